import { readTrustedProxy } from "./adapters/http/client-address.ts";
import type { AllowedOrigins } from "./adapters/http/cors.ts";
import { logLevels } from "./adapters/json-event-log.ts";

/** What is wrong with the environment: one line for each setting. Values are never part of it. */
export class SettingsError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join("\n"));
    this.name = "SettingsError";
    this.faults = faults;
  }
}

interface Setting<T> {
  readonly name: string;
  readonly example: string;
  /** What stands for a setting that is not given; without it the setting must be, unless it is optional. */
  readonly fallback?: string;
  readonly optional?: true;
  /** Throws with the reason when the text will not do. */
  parse(text: string): T;
}

const setting = <T>(declared: Setting<T>): Setting<T> => declared;

const databaseUrl = setting({
  name: "DATABASE_URL",
  example: "postgres://maintenance:password@127.0.0.1:5432/maintenance",
  parse: readDatabaseUrl,
});

const secretKey = setting({
  name: "SECRET_KEY",
  example: "the output of: openssl rand -base64 48",
  parse: text => {
    if (Buffer.byteLength(text.trim()) < 32) throw new Error("has fewer than 32 bytes");
    return text;
  },
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

export const serveSettings = {
  databaseUrl,
  secretKey,
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
};
export const migrateSettings = { databaseUrl, preparesStatements };
export const createAdminSettings = { databaseUrl, preparesStatements, adminPassword };
export const checkSettings = serveSettings;
export const exportLogsSettings = { databaseUrl, preparesStatements };

export type Declared = Readonly<Record<string, Setting<unknown>>>;
type Read<D extends Declared> = { readonly [Key in keyof D]: D[Key] extends Setting<infer T> ? T : never };

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads settings from the environment, each as `NAME` or from the file that `NAME_FILE` names.
 *
 * @throws SettingsError with every fault at once
 */
export function readSettings<D extends Declared>(
  declared: D,
  environment: Environment,
  readFile: (path: string) => string,
): Read<D> {
  const faults: string[] = [];
  const values = Object.entries(declared).map(([key, setting]) => {
    try {
      const text = textOf(setting, environment, readFile);
      return [key, text === undefined ? undefined : setting.parse(text)];
    } catch (error) {
      faults.push(`${setting.name} ${(error as Error).message}; for example: ${setting.example}`);
      return [key, undefined];
    }
  });
  if (faults.length > 0) throw new SettingsError(faults);
  return Object.fromEntries(values) as Read<D>;
}

function textOf(
  { name, fallback, optional }: Setting<unknown>,
  environment: Environment,
  readFile: (path: string) => string,
): string | undefined {
  const direct = environment[name];
  const file = environment[`${name}_FILE`];
  if (direct !== undefined && file !== undefined) throw new Error(`is given twice, also as ${name}_FILE`);
  const text = (file === undefined ? direct : readSecretFile(name, file, readFile)) ?? fallback;
  if (text === undefined && optional !== true) throw new Error("is missing");
  if (text === "") throw new Error("is empty");
  return text;
}

function readSecretFile(name: string, path: string, readFile: (path: string) => string): string {
  try {
    return readFile(path).replace(/\r?\n$/, "");
  } catch {
    throw new Error(`cannot be read from the file that ${name}_FILE names`);
  }
}

function accept(text: string, format: RegExp, refusal: string): string {
  if (!format.test(text)) throw new Error(refusal);
  return text;
}

function readHost(text: string): string {
  return accept(text, /^[\w.:%-]+$/, "is not a host name or address");
}

function readPort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new Error("is not a port from 0 to 65535");
  return Number(text);
}

const databaseUrlFormat = /^postgres(?:ql)?:\/\/(?:([^@/?\s]*)@)?([^@/?\s]+)\/[^/?\s]+(?:\?(\S*))?$/;
const databaseParameters: Readonly<Record<string, readonly string[]>> = {
  sslmode: ["disable", "prefer", "require", "verify-full"],
  target_session_attrs: ["read-write", "read-only", "primary", "standby", "prefer-standby"],
};

/** What postgres.js would make an exception of, or silently misunderstand, is refused here in words. */
function readDatabaseUrl(text: string): string {
  const parts = databaseUrlFormat.exec(text);
  if (parts === null) throw new Error("is not a PostgreSQL connection URL");
  const [, user = "", hosts = "", query = ""] = parts;
  if (/%(?![\da-f]{2})/i.test(user))
    throw new Error("has a % in user or password that is not written as %25");
  for (const host of hosts.split(",")) {
    if (host.startsWith("[")) throw new Error("has an IPv6 address, which must be given as a host name");
    const [, port] = /^[\w.-]+(?::(\d{1,5}))?$/.exec(host) ?? [undefined, "99999"];
    if (Number(port ?? 0) > 65_535) throw new Error("has a host that is not written as name or name:port");
  }
  for (const [name, value] of new URLSearchParams(query)) {
    const known = databaseParameters[name];
    if (known?.includes(value) === false)
      throw new Error(`has a ${name} that is none of ${known.join(", ")}`);
  }
  return text;
}

/** Browsers send an origin in just one form (RFC 6454, section 6.2); any other would never match. */
function readOrigin(text: string): string {
  const origin = text.trim();
  if (!/^https?:[^*]*$/.test(origin) || !URL.canParse(origin) || new URL(origin).origin !== origin) {
    throw new Error("is not a list of origins as browsers send them");
  }
  return origin;
}

const unitMilliseconds: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A whole number of seconds, or of the unit that follows; parts of a second count as a whole one. */
function readLifetime(text: string): number {
  const [, amount = "", unit = "s"] = /^(\d{1,12})(ms|s|m|h|d)?$/.exec(text.trim()) ?? [];
  const seconds = Math.ceil((Number(amount) * (unitMilliseconds[unit] ?? 0)) / 1_000);
  if (amount === "" || seconds < 1) throw new Error("is not a length of time");
  if (seconds > 10 * 365 * 86_400) throw new Error("is longer than ten years");
  return seconds;
}
