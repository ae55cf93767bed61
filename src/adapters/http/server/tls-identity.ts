import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";

/** Paths of PEM files: the certificate followed by those of its issuers, and its private key. */
export interface IdentityFiles {
  readonly certificateFile: string | undefined;
  readonly keyFile: string | undefined;
}

/** What a server shows its clients: the certificate with those of its issuers, and its private key, as PEM texts. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
  /** Of the certificate, as it says itself. */
  readonly validTo: string;
}

/**
 * Undefined without files. Throws an error that names the setting and its fault, when clients would refuse the certificate,
 * the key is not that of the certificate, or the key is open to every user.
 */
export function readTlsIdentity(
  { certificateFile, keyFile }: IdentityFiles,
  now: Date,
): TlsIdentity | undefined {
  if (certificateFile === undefined && keyFile === undefined) return undefined;
  if (certificateFile === undefined || keyFile === undefined)
    throw new Error("TLS_CERTIFICATE_FILE and TLS_KEY_FILE belong together");
  const certificateSetting = `TLS_CERTIFICATE_FILE ${certificateFile}`;
  const keySetting = `TLS_KEY_FILE ${keyFile}`;
  const cert = read(certificateSetting, certificateFile);
  const key = read(keySetting, keyFile);
  if ((statSync(keyFile).mode & 0o007) !== 0) throw new Error(`${keySetting} can be read by every user`);
  const certificate = parse(certificateSetting, "certificate", () => new X509Certificate(cert));
  const privateKey = parse(keySetting, "private key", () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey))
    throw new Error(`${keySetting} is not the key of the certificate in ${certificateFile}`);
  const { validFrom, validTo } = certificate;
  if (Date.parse(validTo) <= now.getTime()) throw new Error(`${certificateSetting} expired at ${validTo}`);
  if (Date.parse(validFrom) > now.getTime())
    throw new Error(`${certificateSetting} is valid from ${validFrom}`);
  return { cert, key, validTo };
}

function read(setting: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(`${setting} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

function parse<T>(setting: string, what: string, read: () => T): T {
  try {
    return read();
  } catch {
    // The parser's message could quote the file.
    throw new Error(`${setting} has no ${what} in PEM form`);
  }
}
