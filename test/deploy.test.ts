import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { makeJsonEventLog } from "../src/adapters/json-event-log.ts";
import { makeFakeClock } from "./fakes/fake-clock.ts";

const lacks = (program: string): boolean => spawnSync(program, ["--version"]).error !== undefined;

describe("the systemd units", () => {
  for (const unit of [
    "maintenance-log.service",
    "maintenance-log-migrate.service",
    "maintenance-log-audit.service",
  ]) {
    test(`${unit} exposes little of the machine`, t => {
      if (lacks("systemd-analyze")) return t.diagnostic("not run: this machine has no systemd-analyze");
      // In tenths; fails, with the table, when there is more.
      const args = ["security", "--offline=yes", "--threshold=12", `./deploy/${unit}`];
      const { status, stdout, stderr } = spawnSync("systemd-analyze", args, { encoding: "utf8" });
      assert.equal(status, 0, stdout + stderr);
    });
  }

  test("only migrate is given the credential of the tables' owner", () => {
    const credentialsOf = (unit: string) =>
      [...readFileSync(join("deploy", unit), "utf8").matchAll(/^LoadCredential=(\w+):/gm)].map(
        ([, name]) => name,
      );
    assert.deepEqual(credentialsOf("maintenance-log.service"), ["SECRET_KEY", "DATABASE_URL"]);
    assert.deepEqual(credentialsOf("maintenance-log-migrate.service"), ["OWNER_DATABASE_URL"]);
    assert.deepEqual(credentialsOf("maintenance-log-audit.service"), ["AUDIT_PASSWORD"]);
  });
});

describe("the filter for fail2ban", () => {
  const filter = readFileSync("deploy/fail2ban-filter.conf", "utf8");

  /** As the service writes it about a failed login from there. */
  const lineFrom = (address: string, event = "login failed"): string => {
    let line = "";
    const events = makeJsonEventLog("info", makeFakeClock(), text => {
      line += text;
    });
    events.warn(event, { requestId: "a-b", method: "POST", address, route: "/api/v1/auth/login" });
    return line;
  };

  test("is the same in docs/operations.md", () => {
    const [, shown] = /```ini\n(#[^`]*)```/.exec(readFileSync("docs/operations.md", "utf8")) ?? [];
    assert.equal(shown, filter);
  });

  test("finds the client in the lines that the service writes, IPv6 included", t => {
    if (lacks("fail2ban-regex")) return t.diagnostic("not run: this machine has no fail2ban-regex");
    const folder = mkdtempSync(join(tmpdir(), "maintenance-log-fail2ban-"));
    const log = join(folder, "log");
    const addresses = ["192.0.2.1", "2001:db8:1:2::/64", "2001:db8:0:0::/64"];
    const others = [lineFrom("unknown"), lineFrom("192.0.2.9", "role refused")];
    writeFileSync(log, [...addresses.map(address => lineFrom(address)), ...others].join(""));
    const filterFile = join(process.cwd(), "deploy/fail2ban-filter.conf");
    const { stdout } = spawnSync("fail2ban-regex", [log, filterFile], { encoding: "utf8" });
    assert.match(stdout, /^Lines: 5 lines, 0 ignored, 3 matched, 2 missed/m);
    rmSync(folder, { recursive: true });
  });
});

const parts = [
  "CHANGELOG.md",
  "Makefile",
  "README.md",
  "SECURITY.md",
  "deploy",
  "docs",
  "package-lock.json",
  "package.json",
  "sql",
  "src",
  "tsconfig.build.json",
  "tsconfig.json",
];

/** Path to digest of every file below a folder. */
const digestsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .sort()
      .filter(path => statSync(join(folder, path)).isFile())
      .map(path => [
        path,
        createHash("sha256")
          .update(readFileSync(join(folder, path)))
          .digest("hex"),
      ]),
  );

describe("the production build", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "maintenance-log-deploy-"));
  });
  after(() => rmSync(folder, { recursive: true }));

  /** What make needs of this project, in a folder of its own. */
  function copyProject(name: string): string {
    const copy = join(folder, name);
    mkdirSync(copy);
    for (const part of parts) {
      cpSync(part, join(copy, part), { recursive: true, preserveTimestamps: true });
    }
    symlinkSync(join(process.cwd(), "node_modules"), join(copy, "node_modules"));
    return copy;
  }
  const make = (copy: string, ...args: readonly string[]): string =>
    execFileSync("make", ["--silent", "--old-file=node_modules/.package-lock.json", ...args], {
      cwd: copy,
      env: { ...process.env, SOURCE_DATE_EPOCH: "1790000000" },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });

  test("gives the same bytes wherever and whenever it is made", () => {
    const [one, other] = ["one", "other"].map(name => {
      const copy = copyProject(name);
      make(copy, "build");
      return digestsOf(join(copy, "dist"));
    });
    assert.ok(Object.keys(one ?? {}).includes("main.js"));
    assert.deepEqual(one, other);
  });

  test("make install lays out a tree that runs, and keeps what an operator has written", t => {
    if (process.platform !== "linux") return t.diagnostic("not run: only Linux has systemd");
    const copy = copyProject("install");
    const root = join(folder, "root");
    const install = () => make(copy, "install", `DESTDIR=${root}`, "PREFIX=/opt/x", "NODE=/opt/node");
    install();
    const program = join(root, "opt/x/bin/maintenance-log-service");
    const version = execFileSync(process.execPath, [program, "--version"], { encoding: "utf8" });
    assert.equal(version.trim(), JSON.parse(readFileSync("package.json", "utf8")).version);
    assert.deepEqual(readdirSync(join(root, "opt/x/lib/maintenance-log-service")).sort(), [
      "dist",
      "node_modules",
      "package.json",
      "sql",
    ]);
    const unit = readFileSync(join(root, "opt/x/lib/systemd/system/maintenance-log.service"), "utf8");
    assert.match(
      unit,
      /^ExecStart=\/opt\/node \/opt\/x\/lib\/maintenance-log-service\/dist\/main\.js serve$/m,
    );

    const environment = join(root, "etc/maintenance-log-service/environment");
    writeFileSync(environment, "LOG_LEVEL=warn\n");
    install();
    assert.equal(readFileSync(environment, "utf8"), "LOG_LEVEL=warn\n");
  });

  test("the Debian package is installed, upgraded, removed and purged, and is the same bytes each time", t => {
    if (lacks("dpkg-deb")) return t.diagnostic("not run: this machine has no dpkg-deb");
    const copy = copyProject("deb");
    const architecture = execFileSync("dpkg", ["--print-architecture"], { encoding: "utf8" }).trim();
    const build = (version: string): string => {
      make(copy, "deb");
      return join(copy, "build", `maintenance-log-service_${version}_${architecture}.deb`);
    };
    const { version } = JSON.parse(readFileSync("package.json", "utf8"));
    const old = build(version);
    const bytes = readFileSync(old);
    rmSync(old);
    assert.ok(readFileSync(build(version)).equals(bytes), "two packages of one commit differ");

    if (process.getuid?.() !== 0) return t.diagnostic("not installed: only root can run dpkg");
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
