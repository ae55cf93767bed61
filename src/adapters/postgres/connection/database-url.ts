import { readFileSync } from "node:fs";
import { readEncryption, readWord } from "./encryption.ts";

/** One PostgreSQL server: its name in messages, and what node:net connects to. */
export type DatabaseServer = { readonly name: string } & (
  | { readonly host: string; readonly port: number }
  | { readonly path: string }
);

/** What DATABASE_URL says. */
export type DatabaseUrl = ReturnType<typeof readDatabaseUrl>;

const known = ["sslmode", "sslrootcert", "sslcert", "sslkey", "target_session_attrs"];
const form =
  /^postgres(?:ql)?:\/\/(?:([^\s:@/?#]*)(?::([^\s@/?#]*))?@)?([^\s@/?#]+)\/([^\s@/?#]+)(?:\?([^\s@?#]*))?$/;
const malformed =
  "is not a PostgreSQL connection URL, in which @ / ? # % and blanks of a user or password are written as %40 %2F %3F %23 %25 %20";
/** So libpq takes the folder of a Unix socket. */
const hostParameter = /\?(?:[^#]*&)?host=/;

const readText = (path: string): string => readFileSync(path, "utf8");

/**
 * Reads `postgres://user:password@host[:port][,host[:port]…]/database[?parameters]`, a part of what libpq reads.
 *
 * @param readFile for the certificates that parameters name
 * @throws Error with what is wrong, in words that follow the name of the setting; no value is part of them
 */
export function readDatabaseUrl(text: string, readFile = readText) {
  if (hostParameter.test(text))
    throw new Error("has its host as a parameter: write postgres://user@%2Fpath:port/db");
  const [, user = "", password, hosts, database, query = ""] = form.exec(text) ?? [];
  if (hosts === undefined || database === undefined) throw new Error(malformed);
  const parameters = readParameters(query);
  return {
    servers: hosts.split(",").map(readServer),
    // Without a user or password, those of PostgreSQL's own programs.
    user: user === "" ? undefined : decode(user),
    // The form that PostgreSQL hashes (RFC 4013), whatever form an editor has written.
    password: password === undefined ? undefined : decode(password).normalize("NFKC"),
    database: decode(database),
    /** Undefined: in plain text. */
    encryption: readEncryption(parameters, readFile),
    /** Whether a server that takes no writes will not do. */
    needsWrites: readWord(parameters, "target_session_attrs", ["any", "read-write"]) === "read-write",
  };
}

function decode(text: string): string {
  // PostgreSQL's protocol ends a text with NUL.
  if (/%(?![\da-f]{2})|%00/i.test(text)) throw new Error(malformed);
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error("has an encoded character that is not UTF-8");
  }
}

function readParameters(query: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const pair of query.split("&").filter(pair => pair !== "")) {
    const [name = "", ...value] = pair.split("=");
    if (!known.includes(name)) {
      const shown = /^\w{1,40}$/.test(name) ? name : "it";
      throw new Error(`has a parameter that is not known (${shown}); known are ${known.join(", ")}`);
    }
    if (parameters.has(name)) throw new Error(`has ${name} twice`);
    parameters.set(name, decode(value.join("=")));
  }
  return parameters;
}

/** A host that begins with an encoded / is the folder of a Unix socket. */
function readServer(text: string): DatabaseServer {
  const [, address, name = "", digits = "5432"] =
    /^(?:\[([\da-f:.]+(?:%25\w+)?)\]|([^:[\]]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const [host, port] = [decode(address ?? name), Number(digits)];
  if (!/^(\/.+|[\w.:%-]+)$/s.test(host) || port < 1 || port > 65_535) {
    throw new Error(
      "has a host that is not written as name, name:port or [address]:port, with a port up to 65535",
    );
  }
  const path = `${host}/.s.PGSQL.${port}`;
  if (host.startsWith("/")) return { name: path, path };
  return { name: `${address === undefined ? host : `[${host}]`}:${port}`, host, port };
}
