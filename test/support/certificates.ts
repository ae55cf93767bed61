import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

export function makeAuthority(name: string): Authority {
  const [authority, folder] = [`/CN=${name}`, mkdtempSync(join(tmpdir(), "maintenance-log-ca-"))];
  const file = (name: string) => join(folder, name);
  const run = (...args: readonly string[]) => execFileSync("openssl", args, { stdio: "pipe" });
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  try {
    run(
      "req",
      "-x509",
      ...curve,
      "-subj",
      authority,
      "-days",
      "2",
      "-keyout",
      file("key"),
      "-out",
      file("pem"),
    );
    const own = { certificate: readFileSync(file("pem"), "utf8"), key: readFileSync(file("key"), "utf8") };
    return { ...own, sign: (subject, names) => sign(own, subject, names) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function sign(authority: KeyPair, subject: string, names = ""): KeyPair {
  const folder = mkdtempSync(join(tmpdir(), "maintenance-log-ca-"));
  const file = (name: string) => join(folder, name);
  const run = (...args: readonly string[]) => execFileSync("openssl", args, { stdio: "pipe" });
  try {
    writeFileSync(file("ca.pem"), authority.certificate);
    writeFileSync(file("ca.key"), authority.key);
    writeFileSync(file("names"), names === "" ? "" : `subjectAltName=${names}`);
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    run("req", ...curve, "-subj", `/CN=${subject}`, "-keyout", file("key"), "-out", file("request"));
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
