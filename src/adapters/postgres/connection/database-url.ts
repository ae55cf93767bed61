import { type Encryption, readEncryption, readWord } from "./encryption.ts";

/** One PostgreSQL server, as node:net connects to it. */
export type Server = { readonly host: string; readonly port: number } | { readonly path: string };

const attributes = ["any", "read-write", "read-only", "primary", "standby", "prefer-standby"] as const;

/** What DATABASE_URL says. */
export interface DatabaseUrl {
  readonly servers: readonly Server[];
  /** Those of PostgreSQL's own programs without them. */
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string;
  /** Undefined: in plain text. */
  readonly encryption: Encryption | undefined;
  /** Which of the servers will do (PostgreSQL documentation, 34.1.2, target_session_attrs). */
  readonly attribute: (typeof attributes)[number];
  /** What one server may take until it can be asked something. */
  readonly connectMilliseconds: number;
  /** For the server, at the start of a session. */
  readonly session: Readonly<Record<string, string>>;
}

const known = [
  "host",
  "port",
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "channel_binding",
  "connect_timeout",
  "target_session_attrs",
  "application_name",
  "options",
];

/**
 * Reads `postgres://user:password@host[:port][,host[:port]…]/database[?parameters]`, as libpq does.
 *
 * @param readFile for the certificates that parameters name
 * @throws Error with what is wrong, in words that follow the name of the setting; no value is part of them
 */
export function readDatabaseUrl(text: string, readFile: (path: string) => string = noFiles): DatabaseUrl {
  const [, rest] = /^postgres(?:ql)?:\/\/(.*)$/s.exec(text) ?? [];
  if (rest === undefined) throw new Error("is not a PostgreSQL connection URL");
  const at = rest.lastIndexOf("@");
  refuseReserved(rest.slice(0, Math.max(at, 0)), "in a user or password it is");
  refuseReserved(rest.slice(at + 1).replaceAll(/[/?[\]]/g, ""), "it is");
  const [user, password] = splitAt(rest.slice(0, Math.max(at, 0)), ":").map(decode);
  const [address = "", query = ""] = splitAt(rest.slice(at + 1), "?");
  const [hosts = "", database = ""] = splitAt(address, "/");
  if (database === "" || database.includes("/")) throw new Error("is not a PostgreSQL connection URL");
  const parameters = readParameters(query);
  readWord(parameters, "channel_binding", ["disable", "prefer"]);
  const servers = readServers(hosts, parameters);
  const timeout = parameters.get("connect_timeout") ?? "2";
  if (!/^([1-9]|[12]\d|30)$/.test(timeout))
    throw new Error("has a connect_timeout that is not 1 to 30 seconds");
  return {
    servers,
    user: user === "" ? undefined : user,
    password,
    database: decode(database),
    encryption: readEncryption(parameters, readFile),
    attribute: readWord(parameters, "target_session_attrs", attributes) ?? "any",
    connectMilliseconds: Number(timeout) * 1_000,
    session: Object.fromEntries(
      ["application_name", "options"].flatMap(name => {
        const value = parameters.get(name);
        return value === undefined ? [] : [[name, value]];
      }),
    ),
  };
}

/** Characters that end a part of a URL, and so must be written in another way where they do not. */
function refuseReserved(part: string, where: string): void {
  const [found] = /[/?#@[\]\s]|%(?![\da-f]{2})/i.exec(part) ?? [];
  if (found === undefined) return;
  const name = /\s/.test(found) ? "blank" : found;
  throw new Error(`has a ${name} where none may be: ${where} written as ${encodeURIComponent(found)}`);
}

function splitAt(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function decode(text: string): string {
  // PostgreSQL's protocol ends a text with it.
  if (text.includes("%00")) throw new Error("has a NUL (%00), which PostgreSQL does not allow");
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error("has an encoded character that is not UTF-8");
  }
}

function readParameters(query: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const pair of query.split("&").filter(pair => pair !== "")) {
    const [name = "", value = ""] = splitAt(pair, "=").map(decode);
    if (name === "channel_binding" && value === "require") {
      throw new Error(
        "has channel_binding=require, which this program cannot do; sslmode=verify-full can be had",
      );
    }
    if (!known.includes(name)) {
      const shown = /^\w{1,40}$/.test(name) ? name : "it";
      throw new Error(`has a parameter that is not known (${shown}); known are ${known.join(", ")}`);
    }
    if (parameters.has(name)) throw new Error(`has ${name} twice`);
    parameters.set(name, value);
  }
  return parameters;
}

/** The parameters `host` and `port` stand for what is before the path; a host that begins with / is a socket's folder. */
function readServers(hosts: string, parameters: ReadonlyMap<string, string>): Server[] {
  const ports = parameters.get("port")?.split(",") ?? [];
  const named = parameters.get("host");
  const list = named === undefined ? hosts.split(",") : named.split(",");
  if (named !== undefined && hosts !== "") throw new Error("names hosts before the database and in host");
  if (ports.length > 1 && ports.length !== list.length)
    throw new Error("has another number of ports than of hosts");
  return list.map((text, i) => {
    const [, bracketed, plain, port = ports[i] ?? ports[0] ?? "5432"] =
      /^(?:\[([\da-f:.]+(?:%\w+)?)\]|([\w.-]+|(?:\/|%2f).*?))(?::(\d+))?$/i.exec(text) ??
      // An address is clear without brackets where no port can follow.
      (named === undefined ? [] : (/^([\da-f:.]+)()$/i.exec(text) ?? []));
    const host = decode(bracketed || plain || "");
    if (host === "") throw new Error("has a host that is not written as name, name:port or [address]:port");
    if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535) {
      throw new Error("has a port that is not 1 to 65535");
    }
    return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port: Number(port) };
  });
}

function noFiles(): never {
  throw new Error("files cannot be read here");
}
