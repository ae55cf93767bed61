import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Certificate and private key, in PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** An authority that signs certificates, made with openssl. */
export interface Authority extends KeyPair {
  /** @param names as in `DNS:localhost,IP:127.0.0.1` */
  sign(subject: string, names?: string): KeyPair;
}

const algorithms = {
  ec: ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"],
  rsa: ["-newkey", "rsa:2048", "-nodes"],
} as const;

const run = (...args: readonly string[]) => execFileSync("openssl", args, { stdio: "pipe" });

/** The files of a key, and of a certificate for localhost that it signs itself: NAME.key and NAME.pem in a folder. */
export function makeOwnIdentity(
  folder: string,
  name: string,
  { algorithm = "ec", days = 30 }: { algorithm?: keyof typeof algorithms; days?: number } = {},
) {
  const [keyFile, certificateFile] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)];
  const subject = ["-subj", `/CN=${name}`, "-addext", "subjectAltName=DNS:localhost"];
  const files = ["-keyout", keyFile, "-out", certificateFile];
  run("req", "-x509", ...algorithms[algorithm], ...subject, "-days", String(days), ...files);
  chmodSync(keyFile, 0o600);
  return { keyFile, certificateFile };
}

export function makeAuthority(name: string): Authority {
  const folder = mkdtempSync(join(tmpdir(), "maintenance-log-ca-"));
  const file = (name: string) => join(folder, name);
  const files = ["-keyout", file("key"), "-out", file("pem")];
  try {
    run("req", "-x509", ...algorithms.ec, "-subj", `/CN=${name}`, "-days", "2", ...files);
    const own = { certificate: readFileSync(file("pem"), "utf8"), key: readFileSync(file("key"), "utf8") };
    return { ...own, sign: (subject, names) => sign(own, subject, names) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function sign(authority: KeyPair, subject: string, names = ""): KeyPair {
  const folder = mkdtempSync(join(tmpdir(), "maintenance-log-ca-"));
  const file = (name: string) => join(folder, name);
  try {
    writeFileSync(file("ca.pem"), authority.certificate);
    writeFileSync(file("ca.key"), authority.key);
    writeFileSync(file("names"), names === "" ? "" : `subjectAltName=${names}`);
    run("req", ...algorithms.ec, "-subj", `/CN=${subject}`, "-keyout", file("key"), "-out", file("request"));
    const signer = [
      "-CA",
      file("ca.pem"),
      "-CAkey",
      file("ca.key"),
      "-CAcreateserial",
      "-extfile",
      file("names"),
    ];
    run("x509", "-req", "-in", file("request"), ...signer, "-days", "2", "-out", file("pem"));
    return { certificate: readFileSync(file("pem"), "utf8"), key: readFileSync(file("key"), "utf8") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
