import { readTrustedProxy } from "../adapters/http/request/client-address.ts";
import type { AllowedOrigins } from "../adapters/http/request/cors.ts";
import { logLevels } from "../adapters/json-event-log.ts";
import { readDatabaseUrl } from "../adapters/postgres/connection/database-url.ts";
import { trailCrypto } from "../adapters/trail-crypto.ts";
import { readSignerKey } from "../domain/trail/note.ts";
import {
  type Environment,
  optional,
  readSettings,
  required,
  SettingsError,
  withDefault,
} from "./read-settings.ts";
import {
  accept,
  oneOf,
  readHost,
  readLifetime,
  readOrigin,
  readPort,
  readSecretKey,
  yesOrNo,
} from "./values.ts";

export const databaseSettings = {
  databaseUrl: required(
    "DATABASE_URL",
    "postgres://maintenance:password@127.0.0.1:5432/maintenance",
    readDatabaseUrl,
  ),
  preparesStatements: withDefault(
    "DATABASE_PREPARE",
    "yes",
    "yes, or no behind a pooler that lends connections by the transaction",
    yesOrNo,
  ),
};

export const passwordSettings = {
  ...databaseSettings,
  /** Without it the password is read from standard input. */
  adminPassword: optional("ADMIN_PASSWORD", "a password of 4 to 72 characters", text => text),
};

const trailStateFile = optional("TRAIL_STATE_FILE", "/var/lib/maintenance-log/trail-checkpoint", text =>
  accept(text, /^\//, "is not an absolute path"),
);

export const verifyDatabaseSettings = { ...databaseSettings, trailStateFile };

const trailKey = [
  "TRAIL_KEY",
  "the output of: node dist/main.js trail-key maintenance.example.com",
  (text: string) => readSignerKey(text, trailCrypto),
] as const;

export const acceptTrailSettings = { ...verifyDatabaseSettings, trailKey: required(...trailKey) };

export const serveSettings = {
  ...databaseSettings,
  secretKey: required("SECRET_KEY", "the output of: openssl rand -base64 48", readSecretKey),
  /** Of before the latest rotation: tokens that it signed are accepted until they expire. */
  previousSecretKey: optional(
    "SECRET_KEY_PREVIOUS",
    "what SECRET_KEY was before; remove it when the last token of then has expired",
    readSecretKey,
  ),
  issuer: withDefault("ISSUER", "maintenance-log", "maintenance-log", text => accept(text, /\S/, "is blank")),
  tokenLifetimeSeconds: withDefault("TOKEN_EXPIRE_TIME", "1h", "3600 (seconds), 90m, 12h", readLifetime),
  host: withDefault("HOST", "127.0.0.1", "127.0.0.1", readHost),
  port: withDefault("PORT", "7070", "7070", readPort),
  opsHost: withDefault("OPS_HOST", "127.0.0.1", "127.0.0.1", readHost),
  /** Without it there is no operations listener. */
  opsPort: optional("OPS_PORT", "7071", readPort),
  allowedOrigins: withDefault(
    "CORS_ALLOWED_ORIGINS",
    "*",
    "https://app.example.com,https://admin.example.com",
    (text): AllowedOrigins => (text.trim() === "*" ? "*" : text.split(",").map(readOrigin)),
  ),
  trustedProxies: withDefault("TRUSTED_PROXIES", "none", "127.0.0.1,10.0.0.0/8", text =>
    text === "none" ? [] : text.split(",").map(proxy => readTrustedProxy(proxy.trim())),
  ),
  durability: withDefault(
    "DATABASE_DURABILITY",
    "required",
    "required, or any to serve on a PostgreSQL that can lose what it has acknowledged",
    oneOf(["required", "any"], "is not required or any"),
  ),
  /** With both of them the API is served over TLS. */
  certificateFile: optional(
    "TLS_CERTIFICATE_FILE",
    "/etc/maintenance-log-service/tls/certificate.pem",
    text => text,
  ),
  keyFile: optional("TLS_KEY_FILE", "/etc/maintenance-log-service/tls/key.pem", text => text),
  /** So that several processes can listen on one port. */
  reusesPort: withDefault("REUSE_PORT", "no", "no, or yes for several processes on one port", yesOrNo),
  logLevel: withDefault("LOG_LEVEL", "info", logLevels.join(", "), oneOf(logLevels, "is not a log level")),
  /** Without it the trail is numbered and not signed. */
  trailKey: optional(...trailKey),
  trailStateFile,
};

/** @throws SettingsError also when the rotation of the secret was not carried out, and when both listeners would have one address */
export function readServeSettings(environment: Environment, readFile: (path: string) => string) {
  const settings = readSettings(serveSettings, environment, readFile);
  if (settings.previousSecretKey === settings.secretKey) {
    throw new SettingsError(["SECRET_KEY_PREVIOUS is the same as SECRET_KEY"]);
  }
  const { host, port, opsHost, opsPort } = settings;
  // A socket that systemd passes has an address of its own.
  const listensThere = environment["LISTEN_FDS"] === undefined && port !== 0;
  if (listensThere && opsPort === port && opsHost === host) {
    throw new SettingsError(["OPS_PORT is the same as PORT, on the same host: each needs a port of its own"]);
  }
  return settings;
}
