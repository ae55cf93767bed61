import { X509Certificate } from "node:crypto";
import { type ConnectionOptions, createSecureContext } from "node:tls";

/** How a connection is encrypted, as node:tls has it. */
export type Encryption = Pick<
  ConnectionOptions,
  "secureContext" | "rejectUnauthorized" | "checkServerIdentity"
>;

const modes = ["disable", "require", "verify-ca", "verify-full"] as const;

/**
 * Reads the parameters of TLS, and the files that they name (PostgreSQL documentation, 34.19).
 *
 * @returns undefined for plain text
 * @throws Error with what is wrong, in words that follow the name of the setting
 */
export function readEncryption(
  parameters: ReadonlyMap<string, string>,
  readFile: (path: string) => string,
): Encryption | undefined {
  const mode = readWord(parameters, "sslmode", modes) ?? "disable";
  const read = (name: string): string | undefined => {
    const path = parameters.get(name);
    if (path === undefined) return undefined;
    if (mode === "disable" || (name === "sslrootcert" && mode === "require")) {
      throw new Error(`has an ${name}, which sslmode=${mode} does not look at: use verify-full`);
    }
    // libpq's word for the authorities that the machine trusts; here they are those of Node.
    if (name === "sslrootcert" && path === "system") return undefined;
    try {
      return readFile(path);
    } catch {
      throw new Error(`has an ${name} that names no file which can be read`);
    }
  };
  const [ca, cert, key] = [read("sslrootcert"), read("sslcert"), read("sslkey")];
  if ((cert === undefined) !== (key === undefined)) throw new Error("has only one of sslcert and sslkey");
  if (mode === "disable") return undefined;
  try {
    // createSecureContext() takes no notice of an authority that it cannot read.
    if (ca !== undefined) new X509Certificate(ca);
    return {
      secureContext: createSecureContext({ ca, cert, key }),
      rejectUnauthorized: mode !== "require",
      ...(mode === "verify-ca" && { checkServerIdentity: () => undefined }),
    };
  } catch {
    throw new Error("has certificates that are not in PEM, or a key that does not fit its certificate");
  }
}

/** Reads a parameter that has a few possible values; undefined where it is not given. */
export function readWord<Word extends string>(
  parameters: ReadonlyMap<string, string>,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const value = parameters.get(name);
  const word = words.find(known => known === value);
  if (value !== undefined && word === undefined) {
    throw new Error(`has a ${name} that is none of ${words.join(", ")}`);
  }
  return word;
}
