import { readTrustedProxy } from "../adapters/http/request/client-address.ts";
import type { AllowedOrigins } from "../adapters/http/request/cors.ts";
import { logLevels } from "../adapters/json-event-log.ts";
import { readDatabaseUrl } from "../adapters/postgres/connection/database-url.ts";
import { trailCrypto } from "../adapters/trail-crypto.ts";
import { readSignerKey, type SignerKey } from "../domain/trail/note.ts";
import type { Setting } from "./read-settings.ts";
import { accept, readHost, readLifetime, readOrigin, readPort, readSecretKey } from "./values.ts";

const setting = <T>(declared: Setting<T>): Setting<T> => declared;

const databaseUrl = setting({
  name: "DATABASE_URL",
  example: "postgres://maintenance:password@127.0.0.1:5432/maintenance",
  parse: readDatabaseUrl,
});

const secretKey = setting({
  name: "SECRET_KEY",
  example: "the output of: openssl rand -base64 48",
  parse: readSecretKey,
});

/** Of before the latest rotation: tokens that it signed are accepted until they expire. */
const previousSecretKey = setting<string | undefined>({
  name: "SECRET_KEY_PREVIOUS",
  example: "what SECRET_KEY was before; remove it when the last token of then has expired",
  optional: true,
  parse: readSecretKey,
});

const issuer = setting({
  name: "ISSUER",
  example: "maintenance-log",
  fallback: "maintenance-log",
  parse: text => accept(text, /\S/, "is blank"),
});

const tokenLifetimeSeconds = setting({
  name: "TOKEN_EXPIRE_TIME",
  example: "3600 (seconds), 90m, 12h",
  fallback: "1h",
  parse: readLifetime,
});

const host = setting({
  name: "HOST",
  example: "127.0.0.1",
  fallback: "127.0.0.1",
  parse: readHost,
});

const port = setting({ name: "PORT", example: "7070", fallback: "7070", parse: readPort });

const opsHost = setting({
  name: "OPS_HOST",
  example: "127.0.0.1",
  fallback: "127.0.0.1",
  parse: readHost,
});

/** Without it there is no operations listener. */
const opsPort = setting<number | undefined>({
  name: "OPS_PORT",
  example: "7071",
  optional: true,
  parse: readPort,
});

const allowedOrigins = setting<AllowedOrigins>({
  name: "CORS_ALLOWED_ORIGINS",
  example: "https://app.example.com,https://admin.example.com",
  fallback: "*",
  parse: text => (text.trim() === "*" ? "*" : text.split(",").map(readOrigin)),
});

const trustedProxies = setting({
  name: "TRUSTED_PROXIES",
  example: "127.0.0.1,10.0.0.0/8",
  fallback: "none",
  parse: text => (text === "none" ? [] : text.split(",").map(proxy => readTrustedProxy(proxy.trim()))),
});

const durability = setting({
  name: "DATABASE_DURABILITY",
  example: "required, or any to serve on a PostgreSQL that can lose what it has acknowledged",
  fallback: "required",
  parse: text => accept(text, /^(required|any)$/, "is not required or any"),
});

const preparesStatements = setting({
  name: "DATABASE_PREPARE",
  example: "yes, or no behind a pooler that lends connections by the transaction",
  fallback: "yes",
  parse: text => accept(text, /^(yes|no)$/, "is not yes or no") === "yes",
});

/** With both of them the API is served over TLS. */
const certificateFile = setting<string | undefined>({
  name: "TLS_CERTIFICATE_FILE",
  example: "/etc/maintenance-log-service/tls/certificate.pem",
  optional: true,
  parse: text => text,
});

const keyFile = setting<string | undefined>({
  name: "TLS_KEY_FILE",
  example: "/etc/maintenance-log-service/tls/key.pem",
  optional: true,
  parse: text => text,
});

/** So that several processes can listen on one port. */
const reusesPort = setting({
  name: "REUSE_PORT",
  example: "no, or yes for several processes on one port",
  fallback: "no",
  parse: text => accept(text, /^(yes|no)$/, "is not yes or no") === "yes",
});

const logLevel = setting({
  name: "LOG_LEVEL",
  example: logLevels.join(", "),
  fallback: "info",
  parse: text => {
    const level = logLevels.find(known => known === text);
    if (level === undefined) throw new Error("is not a log level");
    return level;
  },
});

/** Without it the password is read from standard input. */
const adminPassword = setting<string | undefined>({
  name: "ADMIN_PASSWORD",
  example: "a password of 4 to 72 characters",
  optional: true,
  parse: text => text,
});

const requiredTrailKey = setting({
  name: "TRAIL_KEY",
  example: "the output of: node dist/main.js trail-key maintenance.example.com",
  parse: text => readSignerKey(text.trim(), trailCrypto),
});

/** Without it the trail is numbered and not signed. */
const trailKey = setting<SignerKey | undefined>({ ...requiredTrailKey, optional: true });

const trailStateFile = setting<string | undefined>({
  name: "TRAIL_STATE_FILE",
  example: "/var/lib/maintenance-log/trail-checkpoint",
  optional: true,
  parse: text => accept(text, /^\//, "is not an absolute path"),
});

export const serveSettings = {
  databaseUrl,
  secretKey,
  previousSecretKey,
  issuer,
  tokenLifetimeSeconds,
  host,
  port,
  opsHost,
  opsPort,
  allowedOrigins,
  trustedProxies,
  durability,
  preparesStatements,
  logLevel,
  certificateFile,
  keyFile,
  reusesPort,
  trailKey,
  trailStateFile,
};
export const migrateSettings = { databaseUrl, preparesStatements };
export const createAdminSettings = { databaseUrl, preparesStatements, adminPassword };
export const setPasswordSettings = createAdminSettings;
export const checkSettings = serveSettings;
export const exportLogsSettings = { databaseUrl, preparesStatements };
export const acceptTrailSettings = {
  databaseUrl,
  preparesStatements,
  trailKey: requiredTrailKey,
  trailStateFile,
};
export const verifyDatabaseSettings = { databaseUrl, preparesStatements, trailStateFile };
