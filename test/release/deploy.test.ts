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
import { makeJsonEventLog } from "../../src/adapters/json-event-log.ts";
import { serveSettings } from "../../src/config/settings.ts";
import { makeFakeClock } from "../fakes/fake-clock.ts";
import { copyProject, make, runIn } from "../support/project-copy.ts";

const lacks = (program: string): boolean => spawnSync(program, ["--version"]).error !== undefined;

/** Fails, with the table, for a unit that systemd-analyze rates above 1.2 of 10. */
function exposesLittle(...unit: string[]): void {
  if (lacks("systemd-analyze")) return;
  const args = ["security", "--offline=yes", "--threshold=12", ...unit];
  const { status, stdout, stderr } = spawnSync("systemd-analyze", args, { encoding: "utf8" });
  assert.equal(status, 0, stdout + stderr);
}

/** Lines of the units that the documents promise, and that nothing else would miss. */
const promised: Readonly<Record<string, readonly string[]>> = {
  "maintenance-log.service": [
    // operations.md, Settings: a wrong setting ends it, any other end is the beginning of the next start.
    "Restart=always",
    "RestartSec=1",
    "RestartPreventExitStatus=78",
    // The requests under way have 10 s.
    "TimeoutStopSec=15",
    "KillMode=mixed",
    // performance.md: 10,000 connections.
    "LimitNOFILE=65536",
    "StateDirectoryMode=0700",
    "InaccessiblePaths=-/var/lib/maintenance-log-backup",
    "User=maintenance-log",
  ],
  "maintenance-log.socket": ["ListenStream=127.0.0.1:7070", "Backlog=4096"],
  "maintenance-log-migrate.service": [
    "TimeoutStartSec=infinity",
    "StartLimitIntervalSec=0",
    "User=maintenance-log",
  ],
  "maintenance-log-backup.service": [
    "TimeoutStartSec=infinity",
    "StateDirectoryMode=0700",
    "Environment=KEEP_DAYS=30",
    "User=maintenance-log",
  ],
  "maintenance-log-verify.service": ["TimeoutStartSec=infinity", "User=maintenance-log"],
  "maintenance-log-backup.timer": ["OnCalendar=*-*-* 02:30 UTC", "Persistent=yes"],
  "maintenance-log-verify.timer": ["OnCalendar=*-*-* 03:30 UTC", "Persistent=yes"],
  "maintenance-log-restore-test.timer": ["OnCalendar=Sun *-*-* 04:30 UTC", "Persistent=yes"],
  "sandbox.conf": [
    // operations.md, Other addresses: this machine only.
    "IPAddressDeny=any",
    "IPAddressAllow=localhost",
    "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX",
    // Installation: without capabilities or devices, with at most 512 MiB of memory.
    "CapabilityBoundingSet=",
    "AmbientCapabilities=",
    "NoNewPrivileges=yes",
    "PrivateDevices=yes",
    "DevicePolicy=closed",
    "MemoryMax=512M",
    "UMask=0077",
  ],
};

describe("the systemd units", () => {
  test("have the lines that the documents promise", () => {
    for (const [unit, lines] of Object.entries(promised)) {
      const text = readFileSync(join("deploy", unit), "utf8").split("\n");
      const missing = lines.filter(line => !text.includes(line));
      assert.deepEqual(missing, [], unit);
    }
  });

  test("give up on a service that ends again and again, also where each start takes some seconds", () => {
    const unit = readFileSync("deploy/maintenance-log.service", "utf8");
    const secondsIn = (name: string) => Number(new RegExp(`^${name}=(\\d+)$`, "m").exec(unit)?.[1]);
    for (const secondsOfStart of [0, 0.9, 1.5, 8]) {
      const cycle = secondsIn("RestartSec") + secondsOfStart;
      assert.ok(secondsIn("StartLimitBurst") * cycle < secondsIn("StartLimitIntervalSec"), `${cycle} s`);
    }
  });

  test("the audit exposes little of its machine", t => {
    if (lacks("systemd-analyze")) return t.skip("this machine has no systemd-analyze");
    exposesLittle("./deploy/maintenance-log-audit.service");
  });

  test("give V8 the same bound as the command and make run do", () => {
    const option = /--max-semi-space-size=\d+/;
    const files = ["deploy/maintenance-log.service", "deploy/command", "dev/run/program.ts"];
    const given = files.map(file => option.exec(readFileSync(file, "utf8"))?.[0]);
    assert.match(given[0] ?? "", option);
    assert.equal(new Set(given).size, 1);
  });

  test("the nightly timers run once in a night whose clocks go forward, wherever the machine is", t => {
    if (lacks("systemd-analyze")) return t.skip("this machine has no systemd-analyze");
    for (const [name, hour] of [
      ["backup", "02:30"],
      ["verify", "03:30"],
    ] as const) {
      const timer = readFileSync(`deploy/maintenance-log-${name}.timer`, "utf8");
      const [, when = ""] = /^OnCalendar=(.*)$/m.exec(timer) ?? [];
      const output = execFileSync(
        "systemd-analyze",
        ["calendar", "--base-time=2026-03-28 12:00", "--iterations=2", when],
        // There, 02:30 of the 29th does not exist.
        { env: { ...process.env, TZ: "Europe/Berlin", LC_ALL: "C" }, encoding: "utf8" },
      );
      const times = [...output.matchAll(/\(in UTC\): \w+ (.*) UTC$/gm)].map(([, time]) => time);
      assert.deepEqual(times, [`2026-03-29 ${hour}:00`, `2026-03-30 ${hour}:00`]);
    }
  });

  test("only migrate is given the credential of the tables' owner", () => {
    const credentialsOf = (unit: string) =>
      [...readFileSync(join("deploy", unit), "utf8").matchAll(/^LoadCredential=(\w+):/gm)].map(
        ([, name]) => name,
      );
    assert.deepEqual(credentialsOf("maintenance-log.service"), ["DATABASE_URL", "SECRET_KEY", "TRAIL_KEY"]);
    assert.deepEqual(credentialsOf("maintenance-log-migrate.service"), ["OWNER_DATABASE_URL"]);
    assert.deepEqual(credentialsOf("maintenance-log-backup.service"), ["DATABASE_URL"]);
    assert.deepEqual(credentialsOf("maintenance-log-verify.service"), ["DATABASE_URL", "VERIFIER_KEY"]);
    assert.deepEqual(credentialsOf("maintenance-log-audit.service"), ["AUDIT_PASSWORD"]);
  });
});

describe("the filter for fail2ban", () => {
  /** As the service writes it about a failed login from there. */
  const lineFrom = (address: string, event = "login failed"): string => {
    let line = "";
    const events = makeJsonEventLog("info", makeFakeClock(), text => {
      line += text;
    });
    events.warn(event, { requestId: "a-b", method: "POST", address, route: "/api/v1/auth/login" });
    return line;
  };

  test("finds the client in the lines that the service writes, IPv6 included", t => {
    if (lacks("fail2ban-regex")) return t.skip("this machine has no fail2ban-regex");
    const folder = mkdtempSync(join(tmpdir(), "maintenance-log-fail2ban-"));
    const log = join(folder, "log");
    const addresses = ["192.0.2.1", "2001:db8:1:2::/64", "2001:db8:0:0::/64"];
    // As fail2ban's systemd backend hands over a line of the journal.
    const fromJournal = (address: string, event?: string) => `walk node[1778]: ${lineFrom(address, event)}`;
    // What a client sends, in a line that is no refusal. JSON escapes its quotation marks.
    const imitated = ["", "x node[1]: "].map(prefix =>
      lineFrom(prefix + lineFrom("192.0.2.9").trimEnd(), "request"),
    );
    const found = [...addresses.map(address => lineFrom(address)), fromJournal("192.0.2.2")];
    const others = ["role refused", "token refused"].map(event => lineFrom("192.0.2.9", event));
    others.push(lineFrom("unknown"));
    const journal = [
      fromJournal("192.0.2.9", "role refused"),
      ...imitated.map(line => `walk node[1778]: ${line}`),
    ];
    const missed = [...others, ...imitated, ...journal];
    writeFileSync(log, [...found, lineFrom("192.0.2.3", "login throttled"), ...missed].join(""));
    const filterFile = join(process.cwd(), "deploy/fail2ban-filter.conf");
    const { stdout } = spawnSync("fail2ban-regex", [log, filterFile], { encoding: "utf8" });
    assert.match(stdout, /^Lines: 13 lines, 0 ignored, 5 matched, 8 missed/m);
    rmSync(folder, { recursive: true });
  });
});

describe("deploy/environment", () => {
  test("names every setting of serve that is not a secret, and no other", () => {
    const text = readFileSync("deploy/environment", "utf8");
    const settings = Object.values(serveSettings).map(({ name }) => name);
    assert.deepEqual(
      settings.filter(name => !new RegExp(`\\b${name}\\b`).test(text)),
      [],
      "are missing",
    );
    const offered = [...text.matchAll(/^#?([A-Z_]+)=/gm)].map(([, name = ""]) =>
      settings.includes(name) ? name : name.replace(/_FILE$/, ""),
    );
    assert.deepEqual(
      offered.filter(name => !settings.includes(name)),
      [],
      "are unknown",
    );
    const secrets = ["DATABASE_URL", "SECRET_KEY", "SECRET_KEY_PREVIOUS", "TRAIL_KEY"];
    const setByUnits = [...secrets, "TRAIL_STATE_FILE", "HOST", "PORT"];
    assert.deepEqual(settings.filter(name => !offered.includes(name)).sort(), setByUnits.sort());
  });
});

/** Relative links of the documents below a folder that lead nowhere. */
const brokenLinks = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter(path => path.endsWith(".md"))
    .flatMap(path =>
      [...readFileSync(join(folder, path), "utf8").matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)]
        .map(([, target = ""]) => join(folder, path, "..", target))
        .filter(target => !existsSync(target)),
    );

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

  test("gives the same bytes wherever and whenever it is made", () => {
    const [one, other] = ["one", "other"].map(name => {
      const copy = copyProject(folder, name);
      make(copy, "build");
      return digestsOf(join(copy, "dist"));
    });
    assert.ok(Object.keys(one ?? {}).includes("main.js"));
    assert.deepEqual(one, other);
  });

  test("comes after npm ci where the packages for development are missing", () => {
    const copy = copyProject(folder, "production");
    const plan = (...args: readonly string[]) => runIn(copy, "make", "--dry-run", ...args, "build");
    assert.doesNotMatch(plan("--old-file=node_modules/.package-lock.json"), /npm ci/);
    // As `npm ci --omit=dev` leaves it.
    rmSync(join(copy, "node_modules"));
    mkdirSync(join(copy, "node_modules"));
    writeFileSync(join(copy, "node_modules/.package-lock.json"), "{}");
    assert.match(plan(), /npm ci --ignore-scripts[\s\S]*rm -rf dist/);
  });

  test("make install lays out a tree that runs, and keeps what an operator has written", t => {
    if (process.platform !== "linux") return t.skip("only Linux has systemd");
    const copy = copyProject(folder, "install");
    const root = join(folder, "root");
    const install = () =>
      make(copy, "install", `DESTDIR=${root}`, "PREFIX=/opt/x", "NODE=/opt/node24/bin/node");
    install();
    const program = join(root, "opt/x/lib/maintenance-log-service");
    assert.deepEqual(readdirSync(program).sort(), [
      "backup",
      "dist",
      "docs",
      "environment",
      "node_modules",
      "on-database",
      "package.json",
      "restore",
      "set-up",
      "sql",
    ]);
    const version = execFileSync(process.execPath, [join(program, "dist/main.js"), "--version"], {
      encoding: "utf8",
    });
    assert.equal(version.trim(), JSON.parse(readFileSync("package.json", "utf8")).version);
    const start =
      /\/opt\/node24\/bin\/node --preserve-symlinks --max-semi-space-size=\d+ \/opt\/x\/lib\/maintenance-log-service\/dist\/main\.js/;
    const command = readFileSync(join(root, "opt/x/bin/maintenance-log"), "utf8");
    assert.match(command, new RegExp(`^program="${start.source}"$`, "m"));
    const backup = readFileSync(join(program, "backup"), "utf8");
    assert.match(backup, /^program=\/opt\/x\/lib\/maintenance-log-service$/m);
    assert.match(backup, /^\/opt\/node24\/bin\/node --preserve-symlinks "\$program\/dist\/main\.js" /m);
    const units = join(root, "usr/local/lib/systemd/system");
    const unit = (name: string) => readFileSync(join(units, name), "utf8");
    for (const name of ["maintenance-log.service", "maintenance-log@.service"]) {
      assert.match(unit(name), new RegExp(`^ExecStart=${start.source} serve$`, "m"));
      assert.match(
        unit(`${name}.d/10-sandbox.conf`),
        /^ExecPaths=\/usr \/lib \/lib64 \/opt\/node24\/bin\/node \/opt\/x\/lib\/maintenance-log-service$/m,
      );
    }
    // A drop-in of `systemctl edit` is read after those of the package, and so counts.
    for (const folder of readdirSync(units).filter(name => name.endsWith(".d")))
      for (const file of readdirSync(join(units, folder))) assert.ok(file < "override.conf", file);
    const restoreTest = "maintenance-log-restore-test.service";
    assert.match(unit(restoreTest), /^ExecStart=\/opt\/x\/bin\/maintenance-log restore --test$/m);
    // Root has to become other users, which the sandbox of the other units refuses.
    assert.doesNotMatch(
      unit(`${restoreTest}.d/10-sandbox.conf`),
      /^(CapabilityBoundingSet|PrivateUsers|NoNewPrivileges)/m,
    );
    assert.match(unit("maintenance-log@.service"), /^Requires=maintenance-log@%i\.socket$/m);
    assert.match(
      unit("maintenance-log@.service"),
      /^EnvironmentFile=.*\/environment\nEnvironmentFile=.*-%i$/m,
    );
    assert.match(unit("maintenance-log@.socket"), /^ListenStream=127\.0\.0\.1:%i$/m);
    assert.deepEqual(brokenLinks(join(root, "opt/x/share/doc")), []);
    for (const name of ["", "-migrate", "-backup", "-verify"])
      exposesLittle(`maintenance-log${name}.service`, `--root=${root}`);

    const environment = join(root, "etc/maintenance-log-service/environment");
    writeFileSync(environment, "LOG_LEVEL=warn\n");
    install();
    assert.equal(readFileSync(environment, "utf8"), "LOG_LEVEL=warn\n");

    for (const [setting, reason] of [
      ["NODE=node", /NODE=node is not an absolute path/],
      ["NODE=/opt/my node", /gives a character in it a meaning of its own/],
      ["NODE=/opt/50%/node", /gives a character in it a meaning of its own/],
      ["NODE=/root/.nvm/versions/node/v24/bin/node", /ProtectHome/],
      ["PREFIX=/home/me/service", /ProtectHome/],
    ] as const) {
      assert.throws(() => runIn(copy, "env", "DESTDIR=/nowhere", setting, "sh", "deploy/install"), reason);
    }
    const absent = "NODE=/opt/none/node";
    assert.throws(
      () => runIn(copy, "env", absent, "sh", "deploy/install"),
      new RegExp(`${absent} is not there`),
    );

    make(copy, "uninstall", `DESTDIR=${root}`, "PREFIX=/opt/x");
    const left = readdirSync(root, { recursive: true, encoding: "utf8" });
    assert.deepEqual(
      left.filter(path => statSync(join(root, path)).isFile()),
      ["etc/maintenance-log-service/environment"],
    );
  });
});
