import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

describe("make audit", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "maintenance-log-audit-"));
  });
  after(() => rmSync(folder, { recursive: true }));

  /** Runs it with an npm that answers `npm audit` like this, and all else as npm does. */
  function audit(answer: string, code: number) {
    const npm = join(folder, "npm");
    const path = process.env["PATH"] ?? "";
    const lines = [
      "#!/bin/sh",
      `if [ "$1" = audit ]; then echo '${answer}'; exit ${code}; fi`,
      `PATH='${path}' exec npm "$@"`,
    ];
    writeFileSync(npm, `${lines.join("\n")}\n`);
    chmodSync(npm, 0o755);
    const env = { ...process.env, PATH: `${folder}:${path}` };
    return spawnSync("sh", ["deploy/audit"], { encoding: "utf8", env });
  }

  test("passes where nothing is found, with a bill of materials and the licences of the whole tree", () => {
    const { status, stdout } = audit("found 0 vulnerabilities", 0);
    assert.equal(status, 0, stdout);
    assert.equal(stdout.match(/: passed$/gm)?.length, 2);
    const { bomFormat, components } = JSON.parse(readFileSync("build/sbom.cdx.json", "utf8"));
    assert.equal(bomFormat, "CycloneDX");
    const listed = [...stdout.matchAll(/^ *\d+ KiB {2}(\S+) (\S+) {2}(\S+)$/gm)].map(
      ([, name, version, licence]) => ({ name: `${name}@${version}`, licence }),
    );
    assert.equal(listed.length, 4);
    assert.deepEqual(
      listed.map(({ name }) => name).sort(),
      components.map(({ purl }: { purl: string }) => decodeURIComponent(purl).replace("pkg:npm/", "")).sort(),
    );
    for (const { licence } of listed) assert.match(licence ?? "", /^(MIT|Unlicense)$/);
  });

  for (const [what, answer] of [
    ["a known weakness", "1 high severity vulnerability"],
    ["a bad signature", "1 package has an invalid registry signature:"],
    ["anything else that npm complains of", "npm error code EUSAGE"],
  ] as const) {
    test(`fails on ${what}`, () => {
      const { status, stdout } = audit(answer, 1);
      assert.equal(status, 1);
      assert.match(stdout, /: FAILED$/m);
      assert.ok(stdout.includes(answer));
    });
  }

  for (const answer of ["npm error code ENOTFOUND", "npm error audit endpoint returned an error"]) {
    test(`says that nothing is known when the registry does not answer: ${answer}`, () => {
      const { status, stdout } = audit(answer, 1);
      assert.equal(status, 0);
      assert.equal(stdout.match(/: NOT KNOWN, the registry does not answer this$/gm)?.length, 2);
      assert.doesNotMatch(stdout, /passed/);
    });
  }
});
