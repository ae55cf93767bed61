import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";

/** Paths of PEM files: the certificate followed by those of its issuers, and its private key. */
export interface IdentityFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** What a server proves to its clients that it is. */
export interface ServerIdentity {
  readonly cert: string;
  readonly key: string;
  /** Of the certificate, as it says itself. */
  readonly validTo: string;
}

/** Throws an error that says which file is wrong, and how. */
export function readServerIdentity({ certificateFile, keyFile }: IdentityFiles, now: Date): ServerIdentity {
  if ((statSync(keyFile).mode & 0o007) !== 0) throw new Error(`${keyFile} can be read by every user`);
  const [cert, key] = [readFileSync(certificateFile, "utf8"), readFileSync(keyFile, "utf8")];
  const certificate = parse(certificateFile, "certificate", () => new X509Certificate(cert));
  const privateKey = parse(keyFile, "private key", () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new Error(`${keyFile} is not the key of the certificate in ${certificateFile}`);
  }
  const { validFrom, validTo } = certificate;
  if (Date.parse(validTo) <= now.getTime()) throw new Error(`${certificateFile} expired at ${validTo}`);
  if (Date.parse(validFrom) > now.getTime()) throw new Error(`${certificateFile} is valid from ${validFrom}`);
  return { cert, key, validTo };
}

function parse<T>(file: string, what: string, read: () => T): T {
  try {
    return read();
  } catch {
    // The parser's message could quote the file.
    throw new Error(`${file} has no ${what} in PEM form`);
  }
}
