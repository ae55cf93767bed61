import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, beforeEach, describe, test } from "node:test";
import { readDatabaseUrl } from "../../src/adapters/postgres/connection/database-url.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";

interface Run {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly umask?: string;
}

/** A folder in place of a machine, and of the programs that would change it. */
function makeMachine(folder: string) {
  const path = (...names: readonly string[]) => join(folder, ...names);
  mkdirSync(path("programs"));
  return {
    path,
    write(name: string, text: string): void {
      mkdirSync(path(name, ".."), { recursive: true });
      writeFileSync(path(name), text);
    },
    program(name: string, text: string): void {
      writeFileSync(path("programs", name), `#!/bin/bash\n${text}\n`);
      chmodSync(path("programs", name), 0o755);
    },
    /** Runs a script of deploy/ with these texts in place of others, which it has to have. */
    run(script: string, replaced: readonly (readonly [string, string])[], options: Run = {}) {
      const { args = [], env = {}, umask = "022" } = options;
      let text = readFileSync(`deploy/${script}`, "utf8");
      const interpreter = text.startsWith("#!/bin/bash") ? "bash" : "sh";
      for (const [from, to] of replaced) {
        assert.ok(text.includes(from), `deploy/${script} does not say ${from}`);
        text = text.replaceAll(from, to);
      }
      writeFileSync(path(script), text);
      const { status, stdout, stderr } = spawnSync(
        "sh",
        ["-c", `umask ${umask} && exec "$@"`, "sh", interpreter, path(script), ...args],
        { env: { PATH: `${path("programs")}:${process.env["PATH"]}`, ...env }, encoding: "utf8" },
      );
      return { status, stdout, stderr };
    },
  };
}

describe("the installed command", () => {
  const machine = makeMachine(makeTemporaryFolder());
  const etc = machine.path("etc");

  /** Runs it as a user of a machine with these files, and returns what would be run, in what environment. */
  function command(args: readonly string[], { user = 0, instance = "" } = {}) {
    machine.program("id", `echo ${user}`);
    const env = { INSTANCE: instance };
    const output = machine.run(
      "command",
      [
        ["etc=/etc/maintenance-log-service", `etc=${etc}`],
        ["/usr/bin/node", machine.path("programs/node")],
      ],
      { args, env },
    );
    assert.equal(output.status, 0, output.stderr);
    const [run = "", ...settings] = output.stdout.split("\n");
    return { run, settings };
  }

  before(() => {
    machine.write(
      "etc/environment",
      '# A=1\nISSUER="my issuer"\nCORS_ALLOWED_ORIGINS=https://a.example?b=c=\nOPS_PORT = 7071 \r\n\tTOKEN_EXPIRE_TIME =\t2h',
    );
    machine.write("etc/environment-7072", "OPS_PORT=7073\n");
    machine.write("etc/credentials/database-url", "postgres://serve:a\\n%5Cn@db/maintenance\r\n");
    for (const name of ["secret-key", "trail-key"])
      machine.write(`etc/credentials/${name}`, `the ${name}\r\n`);
    for (const name of ["setpriv", "node"]) machine.program(name, `echo "${name} $*"; env`);
  });

  test("runs with the settings of the service and as its user", () => {
    const { run, settings } = command(["accept-trail", "--reason", "a b"]);
    assert.match(run, /^setpriv --reuid=maintenance-log .*\/dist\/main\.js accept-trail --reason a b$/);
    for (const setting of [
      "ISSUER=my issuer",
      "CORS_ALLOWED_ORIGINS=https://a.example?b=c=",
      "OPS_PORT=7071",
      "TOKEN_EXPIRE_TIME=2h",
      "DATABASE_URL=postgres://serve:a\\n%5Cn@db/maintenance",
      "SECRET_KEY=the secret-key",
      "TRAIL_KEY=the trail-key",
      "TRAIL_STATE_FILE=/var/lib/maintenance-log/maintenance-log.checkpoint",
    ]) {
      assert.ok(settings.includes(setting), setting);
    }
  });

  test("runs with those of a further service, where one is named", () => {
    const { settings } = command(["check"], { instance: "7072" });
    assert.ok(settings.includes("OPS_PORT=7073"));
    assert.ok(settings.includes("TRAIL_STATE_FILE=/var/lib/maintenance-log/maintenance-log@7072.checkpoint"));
  });

  test("of an ordinary user runs as that user, and reads no file of the service", () => {
    const { run, settings } = command(["check", "--records"], { user: 1_000, instance: "7072" });
    assert.match(run, /^node .*\/dist\/main\.js check --records$/);
    assert.deepEqual(
      settings.filter(line => /^(OPS_PORT|ISSUER|DATABASE_URL|SECRET_KEY|TRAIL_)/.test(line)),
      [],
    );
  });

  for (const args of [
    ["set-password", "--email", "a@example.com"],
    ["create-admin", "--email", "a@example.com"],
    ["accept-trail", "--reason", "restored"],
  ])
    test(`hands the event of ${args[0]} to the journal, and keeps the output and the code of the command`, () =>
      handsEvent(args));

  function handsEvent(args: readonly string[]) {
    const event = '{"time":"2026-01-01T00:00:00.000Z","event":"password set"}';
    machine.program("logger", `echo "$*" > ${machine.path("journal")} && cat >> ${machine.path("journal")}`);
    machine.program("setpriv", `echo '${event}' && echo "a new password" && exit $CODE`);
    const run = (code: string, output = "") =>
      machine.run(
        "command",
        [
          ["set -eu", `set -eu${output}`],
          ["etc=/etc/maintenance-log-service", `etc=${etc}`],
        ],
        {
          args,
          env: { CODE: code },
        },
      );
    machine.program("id", "echo 0");
    assert.deepEqual(run("0"), { status: 0, stdout: `${event}\na new password\n`, stderr: "" });
    assert.equal(readFileSync(machine.path("journal"), "utf8"), `-t maintenance-log\n${event}\n`);
    for (const [code, output, status] of [
      ["65", "", 65],
      ["0", "; exec > /dev/full", 74],
    ] as const) {
      rmSync(machine.path("journal"));
      assert.equal(run(code, output).status, status);
      assert.equal(readFileSync(machine.path("journal"), "utf8"), `-t maintenance-log\n${event}\n`);
    }
    machine.program("logger", "exit 1");
    assert.equal(run("0").status, 0);
    assert.equal(run("65").status, 65);
    rmSync(machine.path("journal"), { force: true });
  }

  test("names a credential that is not there, and runs nothing", () => {
    for (const [name, args] of [
      ["trail-key", ["check"]],
      ["owner-database-url", ["restored", "names"]],
    ] as const) {
      rmSync(machine.path("etc/credentials", name), { force: true });
      const outcome = machine.run("command", [["etc=/etc/maintenance-log-service", `etc=${etc}`]], { args });
      const said = `maintenance-log: ${etc}/credentials/${name} cannot be read: docs/operations.md says how it is made\n`;
      assert.deepEqual(outcome, { status: 78, stdout: "", stderr: said });
      machine.write(`etc/credentials/${name}`, "put back");
    }
  });

  test("ends with 74 where standard output is closed, in place of which Node would open /dev/null", () => {
    const closed = spawnSync("sh", ["-c", "exec sh deploy/command export-logs >&-"], { encoding: "utf8" });
    const says = "maintenance-log: the output cannot be written whole: standard output is closed\n";
    assert.deepEqual([closed.status, closed.stderr], [74, says]);
  });
});

describe("set-up", () => {
  const machine = makeMachine(makeTemporaryFolder());
  const etc = machine.path("etc");
  machine.program(
    "maintenance-log",
    `[ "$2" = --public ] && cat ${etc}/credentials/trail-key || echo "key of $2"`,
  );
  // What the superuser is asked, and with which arguments.
  machine.program("runuser", 'echo "$*" && cat');
  const setUp = (...args: readonly string[]) =>
    machine.run(
      "set-up",
      [
        ["/etc/maintenance-log-service", etc],
        ["/usr/bin/maintenance-log", machine.path("programs/maintenance-log")],
      ],
      { args, env: { PGHOST: "db.example.com" } },
    );
  const files = () =>
    readdirSync(machine.path("etc/credentials"))
      .map(name => join("etc/credentials", name))
      .map(name => ({
        name,
        text: readFileSync(machine.path(name), "utf8"),
        mode: statSync(machine.path(name)).mode,
      }));
  before(() => mkdirSync(machine.path("etc/credentials"), { recursive: true }));

  test("makes nothing where a new key of the trail would have no name", () => {
    const says = "set-up: there is no signing key: add the name of the trail\n";
    assert.deepEqual(setUp(), { status: 64, stdout: "", stderr: says });
    assert.equal(setUp("--help").status, 64);
    assert.deepEqual(files(), []);
  });

  test("makes the secrets, which only root can read, and gives the roles their passwords by standard input", () => {
    const { status, stdout, stderr } = setUp("example.com/trail");
    assert.equal(status, 0, stderr);
    const made = files();
    assert.deepEqual(
      made.map(({ name, mode }) => `${name.split("/").at(-1)} ${(mode & 0o777).toString(8)}`),
      ["database-url 600", "owner-database-url 600", "secret-key 600", "trail-key 600"],
    );
    assert.equal(readFileSync(machine.path("etc/verifier-key"), "utf8"), "key of example.com/trail\n");
    const [args = "", ...statements] = stdout.split("\n");
    for (const role of ["owner", "serve"]) {
      const { text = "" } =
        made.find(({ name }) => name.endsWith(role === "owner" ? "owner-database-url" : "/database-url")) ??
        {};
      const [, password = ""] =
        new RegExp(
          `^postgres://maintenance_${role}:([0-9a-f]{48})@db\\.example\\.com:5432/maintenance\n$`,
        ).exec(text) ?? [];
      assert.ok(statements.includes(`alter role maintenance_${role} login password '${password}';`), text);
      assert.ok(!args.includes(password));
    }
  });

  test("keeps what is there when it runs again", () => {
    const made = files();
    assert.equal(setUp().status, 0);
    assert.equal(setUp("another.example.com").status, 0);
    assert.deepEqual(files(), made);
    assert.equal(readFileSync(machine.path("etc/verifier-key"), "utf8"), "key of example.com/trail\n");
  });
});

test("certbot-hook puts a renewed certificate where nginx or the service reads it, and reloads only what is there", () => {
  const machine = makeMachine(makeTemporaryFolder());
  for (const name of ["fullchain", "privkey"]) machine.write(`live/${name}.pem`, `new ${name}`);
  machine.program("systemctl", 'echo "$*"');
  machine.program("install", `[ "$1" != -o ] || shift 4 && exec /usr/bin/install "$@"`);
  const renew = () =>
    machine.run("certbot-hook", [["=/etc/", `=${machine.path()}/`]], {
      env: { RENEWED_LINEAGE: machine.path("live") },
    });
  assert.deepEqual(renew(), { status: 0, stdout: "", stderr: "" });
  for (const [folder, certificate, mode, unit] of [
    ["ssl/maintenance-log", "fullchain.pem", 0o600, "nginx"],
    ["maintenance-log-service/tls", "certificate.pem", 0o640, "maintenance-log.service"],
  ] as const) {
    machine.write(`${folder}/key.pem`, "old");
    assert.deepEqual(renew(), { status: 0, stdout: `reload ${unit}\n`, stderr: "" });
    assert.equal(readFileSync(machine.path(folder, certificate), "utf8"), "new fullchain");
    assert.equal(readFileSync(machine.path(folder, "key.pem"), "utf8"), "new privkey");
    assert.equal(statSync(machine.path(folder, "key.pem")).mode & 0o777, mode);
    rmSync(machine.path(folder), { recursive: true });
  }
});

describe("on-database", () => {
  const machine = makeMachine(makeTemporaryFolder());
  machine.program("psql", 'printf "%s\\n" "$PGPASSWORD" "$*"');
  const printable = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i));

  test("gives PostgreSQL's programs the password that the service reads from the same URL", () => {
    for (const password of [
      "a\\n\\x41\\\\",
      "%5Cn%5c%5C",
      "a%25%20b%40",
      "p%C3%A4ss",
      "$(id)`id`'\"",
      // Each other printable character as it is, and all of them encoded.
      printable.filter(character => !"@/?#%".includes(character)).join(""),
      printable.map(character => `%${character.charCodeAt(0).toString(16)}`).join(""),
    ]) {
      const url = `postgres://serve:${password}@db.example.com:5433/maintenance?sslmode=require`;
      machine.write("url", `${url}\n`);
      const { status, stdout, stderr } = machine.run("on-database", [], {
        args: [machine.path("url"), "psql", "-At"],
      });
      assert.equal(status, 0, stderr);
      const [given, args] = stdout.split("\n");
      assert.equal(given, readDatabaseUrl(url).password, password);
      // Not among the arguments, which every user of the machine can read.
      assert.equal(args, "-At --dbname=postgres://serve@db.example.com:5433/maintenance?sslmode=require");
    }
  });
});

describe("before a backup", () => {
  const machine = makeMachine(makeTemporaryFolder());
  const unit = readFileSync("deploy/maintenance-log-backup.service", "utf8");
  const [, line = ""] = /^ExecStartPre=\+\/bin\/sh -c '(.*)'$/m.exec(unit) ?? [];
  const compare = () =>
    spawnSync("sh", ["-c", line.replaceAll("$$", "$").replaceAll(/\/(proc|etc)\//g, `${machine.path()}/$1/`)])
      .status;
  const runsWith = (service: string, url: string) =>
    machine.write(`proc/1/root/run/credentials/${service}.service/DATABASE_URL`, url);
  before(() => machine.write("etc/maintenance-log-service/credentials/database-url", "one"));

  test("each service that runs has the database of the credential, further ones too", () => {
    assert.equal(compare(), 0, "no service runs");
    runsWith("maintenance-log", "one");
    runsWith("maintenance-log@7072", "one");
    assert.equal(compare(), 0);
    runsWith("maintenance-log@7072", "another");
    assert.equal(compare(), 1);
    runsWith("maintenance-log@7072", "one");
    runsWith("maintenance-log", "another");
    assert.equal(compare(), 1);
  });
});

describe("the scripts of the Debian package", () => {
  let machine: ReturnType<typeof makeMachine>;
  const name = "maintenance-log-service";
  beforeEach(() => {
    machine = makeMachine(makeTemporaryFolder());
    machine.write(`usr/lib/${name}/environment`, "# settings\n");
    mkdirSync(machine.path(`etc/${name}`), { recursive: true });
    for (const folder of ["systemd", "proc/self", "lib"])
      mkdirSync(machine.path(folder), { recursive: true });
    machine.write("failed", "");
    for (const program of ["systemd-sysusers", "systemd-tmpfiles", "chown"]) machine.program(program, "");
    machine.program(
      "systemctl",
      `case $1 in
      list-units) while read -r unit; do
        for pattern in "\${@:2}"; do
          # As systemd matches.
          [[ $unit != $pattern ]] || echo "$unit loaded failed failed Maintenance Log Service"
        done
      done < ${machine.path("failed")} ;;
      *) echo "$@" >> ${machine.path("asked")} ;;
      esac`,
    );
  });
  const asked = () => readFileSync(machine.path("asked"), "utf8").trimEnd().split("\n");
  const script = (file: string, args: readonly string[], options: Run = {}) => {
    const text = readFileSync(`deploy/${file}`, "utf8");
    const moved = [
      ['"$DPKG_ROOT/', `"${machine.path()}/`],
      ["/var/lib", machine.path("lib")],
      ["/run/systemd/system", machine.path("systemd")],
      ["/proc", machine.path("proc")],
    ] as const;
    return machine.run(
      file,
      moved.filter(([from]) => text.includes(from)),
      { ...options, args },
    );
  };
  const configure = (options: Run = {}) => script("debian-postinst", ["configure", "1.0"], options);

  test("an upgrade restarts the services that run, further ones too, and starts those that have failed", () => {
    machine.write("failed", "maintenance-log.service\nmaintenance-log@7072.service\nother.service\n");
    const { status, stderr } = configure();
    assert.deepEqual([status, stderr], [0, ""]);
    assert.deepEqual(asked(), [
      "daemon-reload",
      "reset-failed maintenance-log.service maintenance-log@7072.service",
      "start maintenance-log.service maintenance-log@7072.service",
      "try-restart maintenance-log.service maintenance-log@*.service",
    ]);
  });

  test("an upgrade starts nothing where no service has failed", () => {
    assert.equal(configure().status, 0);
    assert.deepEqual(asked(), [
      "daemon-reload",
      "try-restart maintenance-log.service maintenance-log@*.service",
    ]);
  });

  test("the settings of an operator stay, and the first ones can be read by all, whatever the umask", () => {
    const environment = machine.path(`etc/${name}/environment`);
    for (const umask of ["022", "077"]) {
      assert.equal(configure({ umask }).status, 0);
      assert.equal(readFileSync(environment, "utf8"), "# settings\n");
      assert.equal(statSync(environment).mode & 0o777, 0o644);
      rmSync(environment);
    }
    writeFileSync(environment, "LOG_LEVEL=warn\n");
    assert.equal(configure().status, 0);
    assert.equal(readFileSync(environment, "utf8"), "LOG_LEVEL=warn\n");
  });

  test("are installed in a chroot without /proc, where systemd-tmpfiles fails, and fail with it elsewhere", () => {
    machine.program("systemd-tmpfiles", "exit 1");
    assert.equal(configure().status, 1);
    rmSync(machine.path("proc/self"), { recursive: true });
    assert.equal(configure().status, 0);
  });

  test("a removal stops all units and disables each that can be enabled; an upgrade does neither", () => {
    assert.equal(script("debian-prerm", ["upgrade", "2.0"]).status, 0);
    assert.equal(script("debian-prerm", ["remove"]).status, 0);
    const [stop = "", disable = "", ...others] = asked();
    assert.deepEqual([stop, others], ["stop maintenance-log*", []]);
    const enabled = readdirSync("deploy").filter(
      unit =>
        /^maintenance-log.*\.(service|socket|timer)$/.test(unit) &&
        // Examples, which an operator copies.
        !/-(audit|watch)\./.test(unit) &&
        readFileSync(`deploy/${unit}`, "utf8").includes("\n[Install]\n"),
    );
    const units = [...enabled, "maintenance-log@.service", "maintenance-log@.socket"];
    assert.deepEqual(disable.split(" ").slice(2).toSorted(), units.toSorted());
  });

  test("a purge removes the settings, and no credential", () => {
    machine.write(`etc/${name}/environment`, "");
    machine.write(`etc/${name}/environment-7072`, "");
    machine.write(`etc/${name}/credentials/secret-key`, "");
    assert.equal(script("debian-postrm", ["remove"]).status, 0);
    assert.equal(script("debian-postrm", ["purge"]).status, 0);
    assert.deepEqual(readdirSync(machine.path(`etc/${name}`)).toSorted(), [
      "credentials",
      "environment-7072",
    ]);
    assert.deepEqual(readdirSync(machine.path(`etc/${name}/credentials`)), ["secret-key"]);
  });
});
