import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import type { TlsIdentity } from "../../src/adapters/http/server/tls-identity.ts";
import { readIdentity, ServedCertificate } from "../../src/commands/served-identity.ts";
import { makeOwnIdentity } from "../support/certificates.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";

test("a certificate that is renewed with the same key is taken over, and one that is not new is not", () => {
  const folder = makeTemporaryFolder();
  const files = makeOwnIdentity(folder, "localhost", { days: 3 });
  const first = readIdentity(files) as TlsIdentity;
  const certificate = new ServedCertificate(files, first);
  const used: TlsIdentity[] = [];
  const events: string[] = [];
  const note = (event: string) => void events.push(event);
  const renew = () =>
    certificate.renew({ debug: note, info: note, warn: note, error: note }, identity => used.push(identity));
  renew();
  assert.deepEqual([used, events], [[], []]);

  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const { keyFile, certificateFile } = files;
  execFileSync(
    "openssl",
    ["req", "-x509", "-key", keyFile, ...subject, "-days", "60", "-out", certificateFile],
    { stdio: "pipe" },
  );
  renew();
  assert.deepEqual(events, ["certificate renewed"]);
  assert.deepEqual(
    used.map(({ key, cert }) => [key === first.key, cert === first.cert]),
    [[true, false]],
  );
  assert.equal(certificate.state().validToSeconds, Date.parse(used[0]?.validTo ?? "") / 1_000);
});
