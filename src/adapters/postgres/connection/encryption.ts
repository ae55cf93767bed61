import { X509Certificate } from "node:crypto";
import { type ConnectionOptions, createSecureContext } from "node:tls";
import { isDeepStrictEqual } from "node:util";

/** How a connection is encrypted, as node:tls has it. */
type Encryption = Pick<ConnectionOptions, "secureContext" | "rejectUnauthorized" | "checkServerIdentity">;

/** The contents of the files, in PEM. */
type Pem = Readonly<Record<"ca" | "cert" | "key", string | undefined>>;

const modes = ["disable", "require", "verify-ca", "verify-full"] as const;

/** The files of a DATABASE_URL with TLS. They are read again for each connection: authorities and certificates are renewed. */
export class EncryptionFiles {
  readonly #mode: (typeof modes)[number];
  readonly #read: () => Pem;
  #pem: Pem | undefined;
  #encryption: Encryption = {};

  /** Throws Error as `current` does. */
  constructor(mode: (typeof modes)[number], read: () => Pem) {
    this.#mode = mode;
    this.#read = read;
    this.current();
  }

  /** Throws Error with what is wrong with the files, in words that follow the name of the setting. */
  current(): Encryption {
    const pem = this.#read();
    // Parsing all authorities of a machine takes 50 ms.
    if (!isDeepStrictEqual(pem, this.#pem)) {
      this.#encryption = this.#make(pem);
      this.#pem = pem;
    }
    return this.#encryption;
  }

  #make(pem: Pem): Encryption {
    try {
      // createSecureContext() silently ignores an authority that it cannot read.
      if (pem.ca !== undefined) new X509Certificate(pem.ca);
      return {
        secureContext: createSecureContext(pem),
        rejectUnauthorized: this.#mode !== "require",
        ...(this.#mode === "verify-ca" && { checkServerIdentity: () => undefined }),
      };
    } catch {
      throw new Error("has certificates that are not in PEM, or a key that does not fit its certificate");
    }
  }
}

/**
 * Reads the parameters of TLS, and the files that they name (PostgreSQL documentation, 34.19).
 *
 * @returns undefined for plain text
 * @throws Error with what is wrong, in words that follow the name of the setting
 */
export function readEncryption(parameters: ReadonlyMap<string, string>, readFile: (path: string) => string) {
  const mode = readWord(parameters, "sslmode", modes) ?? "disable";
  const read = (name: string): string | undefined => {
    const path = parameters.get(name);
    if (path === undefined) return undefined;
    if (mode === "disable" || (name === "sslrootcert" && mode === "require"))
      throw new Error(`has an ${name}, which sslmode=${mode} does not look at: use verify-full`);
    // libpq's word for the authorities that the machine trusts; here they are those of Node.
    if (name === "sslrootcert" && path === "system") return undefined;
    try {
      return readFile(path);
    } catch {
      throw new Error(`has an ${name} that names no file which can be read`);
    }
  };
  const readAll = () => ({ ca: read("sslrootcert"), cert: read("sslcert"), key: read("sslkey") });
  if (parameters.has("sslcert") !== parameters.has("sslkey"))
    throw new Error("has only one of sslcert and sslkey");
  if (mode !== "disable") return new EncryptionFiles(mode, readAll);
  // Throws where a file is named all the same.
  readAll();
  return undefined;
}

/** Reads a parameter that has a few possible values; undefined where it is not given. */
export function readWord<Word extends string>(
  parameters: ReadonlyMap<string, string>,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const value = parameters.get(name);
  const word = words.find(known => known === value);
  if (value !== undefined && word === undefined)
    throw new Error(`has a ${name} that is none of ${words.join(", ")}`);
  return word;
}
