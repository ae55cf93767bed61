import { X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";

/** How a connection is encrypted. */
export interface Encryption {
  /** Otherwise it goes on in plain text where the server has no TLS. */
  readonly isRequired: boolean;
  /** Whether the server's certificate must be signed by a known authority, and whether it must name the host too. */
  readonly verifies: "nothing" | "authority" | "host";
  readonly context: SecureContext;
}

type Parameters = ReadonlyMap<string, string>;

const modes = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;
const verified = {
  prefer: "nothing",
  require: "nothing",
  "verify-ca": "authority",
  "verify-full": "host",
} as const;

/**
 * Reads the parameters of TLS, and the files that they name (PostgreSQL documentation, 34.19).
 *
 * @returns undefined for plain text
 * @throws Error with what is wrong, in words that follow the name of the setting
 */
export function readEncryption(
  parameters: Parameters,
  readFile: (path: string) => string,
): Encryption | undefined {
  const mode = readWord(parameters, "sslmode", modes) ?? "disable";
  const verifies = mode === "disable" ? "nothing" : verified[mode];
  const authority = parameters.get("sslrootcert");
  if (authority !== undefined && verifies === "nothing") {
    throw new Error(`has an sslrootcert, which sslmode=${mode} does not look at: use verify-full`);
  }
  if (parameters.has("sslcert") !== parameters.has("sslkey")) {
    throw new Error("has only one of sslcert and sslkey");
  }
  if (mode === "disable") {
    if (parameters.has("sslcert")) throw new Error("has an sslcert, which sslmode=disable does not use");
    return undefined;
  }
  const read = (name: string): string | undefined => {
    const path = parameters.get(name);
    if (path === undefined) return undefined;
    try {
      return readFile(path);
    } catch {
      throw new Error(`has an ${name} that names no file which can be read`);
    }
  };
  // `system` is libpq's word for the authorities that the machine trusts; here they are those of Node.
  const [ca, cert, key] = [
    authority === "system" ? undefined : read("sslrootcert"),
    read("sslcert"),
    read("sslkey"),
  ];
  try {
    // createSecureContext() takes no notice of an authority that it cannot read.
    if (ca !== undefined) new X509Certificate(ca);
  } catch {
    throw new Error("has an sslrootcert that is no certificate in PEM");
  }
  try {
    return { isRequired: mode !== "prefer", verifies, context: createSecureContext({ ca, cert, key }) };
  } catch {
    throw new Error(
      "has an sslcert and an sslkey that are not a certificate in PEM and the key that fits it",
    );
  }
}

/** Reads a parameter that has a few possible values; undefined where it is not given. */
export function readWord<Word extends string>(
  parameters: Parameters,
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
