import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { copyProject, make, runIn } from "../support/project-copy.ts";

const lacks = (program: string): boolean => spawnSync(program, ["--version"]).error !== undefined;

describe("the Debian packages", () => {
  let folder: string;
  let copy: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "maintenance-log-packages-"));
    copy = copyProject(folder, "project");
    make(copy, "build");
  });
  after(() => rmSync(folder, { recursive: true }));

  test("the one with its own Node needs no other, runs on it, and is the same bytes each time", t => {
    if (lacks("dpkg-deb")) return t.skip("this machine has no dpkg-deb");
    if (process.arch !== "x64") return t.skip("the package is for amd64");
    const buildWithNode = () => {
      runIn(copy, "sh", "deploy/build-deb", "--with-node");
      const [name = ""] = readdirSync(join(copy, "build")).filter(name => /\+node.*\.deb$/.test(name));
      return join(copy, "build", name);
    };
    const first = buildWithNode();
    const digest = () => createHash("sha256").update(readFileSync(first)).digest("hex");
    const before = digest();
    rmSync(first);
    assert.equal(buildWithNode(), first);
    assert.equal(digest(), before, "two packages with Node of one commit differ");
    const fields = execFileSync("dpkg-deb", ["--field", first, "Depends"], { encoding: "utf8" });
    assert.match(fields, /libc6/);
    assert.doesNotMatch(fields, /nodejs/);
    const unpacked = join(folder, "with-node");
    execFileSync("dpkg-deb", ["--extract", first, unpacked]);
    const own = join(unpacked, "usr/lib/maintenance-log-service");
    const output = execFileSync(join(own, "node"), [join(own, "dist/main.js"), "--version"], {
      encoding: "utf8",
    });
    assert.equal(output.trim(), JSON.parse(readFileSync("package.json", "utf8")).version);
    assert.match(
      readFileSync(join(unpacked, "usr/lib/systemd/system/maintenance-log.service"), "utf8"),
      /^ExecStart=\/usr\/lib\/maintenance-log-service\/node /m,
    );
  });

  test("the Debian package is installed, upgraded, removed and purged, and is the same bytes each time", t => {
    if (lacks("dpkg-deb")) return t.skip("this machine has no dpkg-deb");
    const architecture = execFileSync("dpkg", ["--print-architecture"], { encoding: "utf8" }).trim();
    const build = (version: string): string => {
      runIn(copy, "sh", "deploy/build-deb");
      return join(copy, "build", `maintenance-log-service_${version}_${architecture}.deb`);
    };
    const { version } = JSON.parse(readFileSync("package.json", "utf8"));
    const old = build(version);
    const bytes = readFileSync(old);
    rmSync(old);
    assert.ok(readFileSync(build(version)).equals(bytes), "two packages of one commit differ");

    if (process.getuid?.() !== 0) return t.skip("only root can run dpkg");
    const text = readFileSync(join(copy, "package.json"), "utf8");
    writeFileSync(join(copy, "package.json"), text.replace(`"version": "${version}"`, '"version": "99.0.0"'));
    const next = build("99.0.0");

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
    const installed = () =>
      execFileSync(process.execPath, [program, "--version"], { encoding: "utf8" }).trim();

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
