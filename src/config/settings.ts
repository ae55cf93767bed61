import { readTrustedProxy } from "../adapters/http/request/client-address.ts";
import type { AllowedOrigins } from "../adapters/http/request/cors.ts";
import { logLevels } from "../adapters/json-event-log.ts";
import { readDatabaseUrl } from "../adapters/postgres/connection/database-url.ts";
import type { Use } from "../adapters/postgres/schema/promises.ts";
import {
  type Environment,
  optional,
  orNone,
  readSettings,
  required,
  type Setting,
  SettingsError,
  withDefault,
} from "./read-settings.ts";
import { asItIs, auditSettings, trailKeySettings } from "./standalone-settings.ts";
import {
  notBlank,
  oneOf,
  readDuration,
  readListenHost,
  readOrigin,
  readPort,
  readSecretKey,
  requireFormat,
} from "./values.ts";

export { auditSettings, trailKeySettings };

export const databaseSettings = {
  databaseUrl: required(
    "DATABASE_URL",
    "how to reach PostgreSQL; forms and parameters: docs/operations.md",
    "postgres://maintenance:password@127.0.0.1:5432/maintenance",
    readDatabaseUrl,
  ),
};

const aPassword = "a password of 4 to 72 characters";
const adminPassword = optional("ADMIN_PASSWORD", "for `create-admin` and `set-password`", aPassword, asItIs);
export const passwordSettings = { ...databaseSettings, adminPassword };

const databaseUse = withDefault(
  "DATABASE_DURABILITY",
  "`any` lets `serve` run on a PostgreSQL that can lose what it has acknowledged (`fsync` off and the like)",
  "required",
  (text): Use => ({ isDurable: oneOf("required", "any")(text) === "required" }),
  "required or any",
);
const trailStateFile = optional(
  "TRAIL_STATE_FILE",
  "remembers the last checkpoint of the trail outside the database",
  "/var/lib/maintenance-log/trail-checkpoint",
  text => requireFormat(text, /^\//, "is not an absolute path"),
);
export const storedTrailSettings = { ...databaseSettings, trailStateFile };
/** For the command that `maintenance-log restore` runs. */
export const restoreSettings = {
  ...databaseSettings,
  ownerDatabaseUrl: required(
    "OWNER_DATABASE_URL",
    "DATABASE_URL with the owner of the tables, for `restore`",
    "postgres://maintenance_owner:password@127.0.0.1:5432/maintenance",
    readDatabaseUrl,
  ),
  databaseUse,
  ...trailKeySettings,
  trailStateFile,
};
export const acceptTrailSettings = { ...storedTrailSettings, ...trailKeySettings };

const aSecret = "the output of: openssl rand -base64 48";
const levels = logLevels.join(", ");
const tls = "/etc/maintenance-log-service/tls";

export const serveSettings = {
  ...databaseSettings,
  secretKey: required("SECRET_KEY", "signs the tokens; at least 32 bytes", aSecret, readSecretKey),
  previousSecretKey: optional(
    "SECRET_KEY_PREVIOUS",
    "the former SECRET_KEY: tokens signed with it are valid, and the service signs no new ones with it",
    "the old SECRET_KEY; remove it once every token it signed has expired",
    readSecretKey,
  ),
  issuer: withDefault("ISSUER", "`iss` claim that tokens must have", "maintenance-log", notBlank),
  tokenLifetimeSeconds: withDefault(
    "TOKEN_EXPIRE_TIME",
    "life of a token: seconds, or a number with `ms`, `s`, `m`, `h` or `d`; more than a day is warned about",
    "1h",
    readDuration,
    "3600 (seconds), 90m, 12h",
  ),
  host: withDefault("HOST", "where the API listens", "127.0.0.1", readListenHost),
  port: withDefault("PORT", "where the API listens; 0 lets the system choose", "7070", readPort),
  opsHost: withDefault("OPS_HOST", "where the operations listener listens", "127.0.0.1", readListenHost),
  opsPort: optional("OPS_PORT", "switches the operations listener on: health, metrics", "7071", readPort),
  allowedOrigins: withDefault(
    "CORS_ALLOWED_ORIGINS",
    "origins that browsers may call from, separated by commas",
    "*",
    (text): AllowedOrigins => (text.trim() === "*" ? "*" : text.split(",").map(readOrigin)),
    "https://app.example.com,https://admin.example.com",
  ),
  trustedProxies: withDefault(
    "TRUSTED_PROXIES",
    "proxies whose `X-Forwarded-For` says where a request comes from: addresses or networks, separated by commas",
    "none",
    text => (text === "none" ? [] : text.split(",").map(proxy => readTrustedProxy(proxy.trim()))),
    "127.0.0.1,10.0.0.0/8",
  ),
  databaseUse,
  certificateFile: optional("TLS_CERTIFICATE_FILE", "PEM, for HTTPS", `${tls}/certificate.pem`, asItIs),
  keyFile: optional("TLS_KEY_FILE", "PEM, the key of that certificate", `${tls}/key.pem`, asItIs),
  logLevel: withDefault("LOG_LEVEL", `lowest level to log: ${levels}`, "info", oneOf(...logLevels), levels),
  trailKey: orNone(trailKeySettings.trailKey),
  trailStateFile,
};

/** Those of `serve` first. */
export const everySetting: readonly Setting<unknown>[] = Object.values({
  ...serveSettings,
  ownerDatabaseUrl: restoreSettings.ownerDatabaseUrl,
  adminPassword,
  ...auditSettings,
});

export type ServeSettings = ReturnType<typeof readServeSettings>;

/** @throws SettingsError also when the rotation of the secret was not carried out, and when both listeners would have one address */
export function readServeSettings(environment: Environment) {
  const settings = readSettings(serveSettings, environment);
  if (settings.previousSecretKey === settings.secretKey)
    throw new SettingsError(["SECRET_KEY_PREVIOUS is the same as SECRET_KEY"]);
  const { host, port, opsHost, opsPort } = settings;
  // A socket that systemd passes has an address of its own.
  const listensThere = environment["LISTEN_FDS"] === undefined && port !== 0;
  if (listensThere && opsPort === port && opsHost === host)
    throw new SettingsError(["OPS_PORT is the same as PORT, on the same host: each needs a port of its own"]);
  return settings;
}
