import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { copyProject, make, runIn } from "../support/project-copy.ts";

const lacks = (program: string): boolean => spawnSync(program, ["--version"]).error !== undefined;

describe("the Debian package", () => {
  let folder: string;
  let copy: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "maintenance-log-packages-"));
    copy = copyProject(folder, "project");
    make(copy, "build");
  });
  after(() => rmSync(folder, { recursive: true }));

  test("the package brings its own Node, is installed, upgraded, removed and purged, and is the same bytes each time", t => {
    if (lacks("dpkg-deb")) return t.skip("this machine has no dpkg-deb");
    const build = (): string => {
      rmSync(join(copy, "build"), { recursive: true, force: true });
      runIn(copy, "sh", "deploy/build-deb");
      const [name = ""] = readdirSync(join(copy, "build")).filter(name => name.endsWith(".deb"));
      renameSync(join(copy, "build", name), join(folder, name));
      return join(folder, name);
    };
    const { version } = JSON.parse(readFileSync("package.json", "utf8"));
    const old = build();
    const digest = () => createHash("sha256").update(readFileSync(old)).digest("hex");
    const before = digest();
    assert.equal(build(), old);
    assert.equal(digest(), before, "two packages of one commit differ");
    const fields = execFileSync("dpkg-deb", ["--field", old, "Depends"], { encoding: "utf8" });
    assert.match(fields, /libc6/);
    assert.doesNotMatch(fields, /nodejs/);

    if (process.getuid?.() !== 0) return t.skip("only root can run dpkg");
    const text = readFileSync(join(copy, "package.json"), "utf8");
    writeFileSync(join(copy, "package.json"), text.replace(`"version": "${version}"`, '"version": "99.0.0"'));
    const next = build();

    const root = join(folder, "debian");
    for (const path of ["updates", "info"]) mkdirSync(join(root, "var/lib/dpkg", path), { recursive: true });
    writeFileSync(join(root, "var/lib/dpkg/status"), "");
    const dpkg = (...args: readonly string[]) => {
      // The root has nothing but this package: no Node to depend on, and no shell for its scripts.
      const options = [`--root=${root}`, "--force-depends", "--force-script-chrootless"];
      const { status, stdout, stderr } = spawnSync("dpkg", [...options, ...args], { encoding: "utf8" });
      assert.equal(status, 0, `${args[0]}: ${stdout}${stderr}`);
    };
    const program = join(root, "usr/lib/maintenance-log-service/dist/main.js");
    const environment = join(root, "etc/maintenance-log-service/environment");
    const credential = join(root, "etc/maintenance-log-service/credentials/secret-key");
    const node = join(root, "usr/lib/maintenance-log-service/node");
    const installed = () => execFileSync(node, [program, "--version"], { encoding: "utf8" }).trim();

    dpkg("--install", old);
    assert.equal(installed(), version);
    assert.equal(statSync(join(credential, "..")).mode & 0o777, 0o700);
    dpkg("--verify", "maintenance-log-service");

    writeFileSync(environment, "LOG_LEVEL=warn\n");
    writeFileSync(credential, "secret");
    dpkg("--install", next);
    assert.equal(installed(), "99.0.0");
    assert.equal(readFileSync(environment, "utf8"), "LOG_LEVEL=warn\n");

    dpkg("--remove", "maintenance-log-service");
    assert.deepEqual([existsSync(program), existsSync(environment)], [false, true]);
    dpkg("--purge", "maintenance-log-service");
    assert.deepEqual([existsSync(environment), readFileSync(credential, "utf8")], [false, "secret"]);
  });
});
