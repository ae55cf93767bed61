import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import postgres from "postgres";
import { script } from "./compiled.ts";
import { type NativePostgres, startNativePostgres } from "./native-postgres.ts";
import { type Outcome, runProgram } from "./program.ts";

/** The password in the credentials: one that was not decoded as libpq does is refused. */
const password = "p@ss%\\n";

/** Runs a command without the right of root to write anywhere. */
export const asOthers =
  process.getuid?.() === 0 ? ["/usr/bin/setpriv", "--bounding-set=-dac_override"] : ["/usr/bin/env"];

/** Kills its process group, and so whatever runs it, when the number in `left` has come down to zero. */
const step = (folder: string): string => `
    read -r left 2> /dev/null < ${folder}/left || left=
    if [ -n "$left" ]; then
      echo $((left - 1)) > ${folder}/left
      [ $left -gt 1 ] || { : > ${folder}/left && kill -9 0; }
    fi`;
/** Between two of their calls a restore changes one thing at most; the other programs only read. */
const steps = ["systemctl", "runuser", "setpriv", "maintenance-log"];

/** In place of what needs a booted machine; `units` has the names of those that run, and `running` of those that ran in a restore. */
const stubs = (folder: string): Readonly<Record<string, string>> => ({
  systemctl: `
    date +%s%N > ${folder}/$1-at
    case $1 in
    list-units) grep -E '^maintenance-log(\\.s|@)' ${folder}/units | sed 's/$/ loaded active running/' || true ;;
    stop) shift && printf '%s\\n' "$@" > ${folder}/stopped && grep -vxF -f ${folder}/stopped ${folder}/units > ${folder}/units.new; mv ${folder}/units.new ${folder}/units ;;
    start) shift && { cat ${folder}/units && printf '%s\\n' "$@"; } | sort -u | sed '/^$/d' > ${folder}/units.new && mv ${folder}/units.new ${folder}/units ;;
    esac`,
  runuser: 'shift 3 && exec "$@"',
  pg_restore: `cp ${folder}/units ${folder}/meanwhile && PATH=\${PATH#*:} && exec pg_restore "$@"`,
  setpriv: 'while [[ $1 = --* ]]; do shift; done; exec "$@"',
  "maintenance-log": `
    export DATABASE_URL=$(cat ${folder}/credentials/database-url) TRAIL_KEY=$(cat ${folder}/credentials/trail-key)
    export SECRET_KEY=$(cat ${folder}/credentials/secret-key) TRAIL_STATE_FILE=${folder}/states/maintenance-log.checkpoint
    [ "$1" != restored ] || export OWNER_DATABASE_URL=$(cat ${folder}/credentials/owner-database-url)
    [ "$1 $2" != "restored finish" ] || cp ${folder}/units ${folder}/running
    exec ${process.execPath} ${script("src/main.ts").join(" ")} "$@"`,
});

/** The scripts of deploy/ on a PostgreSQL of its own, with an installation in a folder. */
export class StubMachine {
  readonly folder: string;
  readonly server: NativePostgres;
  readonly #binaries: string;

  static async make(binaries: string): Promise<StubMachine> {
    const folder = mkdtempSync(join(tmpdir(), "maintenance-log-machine-"));
    const machine = new StubMachine(folder, await startNativePostgres(binaries), binaries);
    await machine.#install();
    return machine;
  }

  private constructor(folder: string, server: NativePostgres, binaries: string) {
    this.folder = folder;
    this.server = server;
    this.#binaries = binaries;
  }

  path(...names: readonly string[]): string {
    return join(this.folder, ...names);
  }

  credential(name: string): string {
    return readFileSync(this.path("credentials", name), "utf8").trim();
  }

  async #install(): Promise<void> {
    for (const name of ["credentials", "dumps", "programs", "states", "run", "sql"])
      mkdirSync(this.path(name), { mode: 0o755 });
    for (const [name, body] of Object.entries(stubs(this.folder)))
      this.program(name, `${steps.includes(name) ? step(this.folder) : ""}\n${body}`);
    for (const name of ["backup", "on-database", "restore"])
      this.program(name, readFileSync(`deploy/${name}`, "utf8"));
    writeFileSync(this.path("units"), "");
    const { port } = new URL(this.server.url);
    for (const [role, file] of [
      ["owner", "owner-database-url"],
      ["serve", "database-url"],
    ] as const) {
      const url = `postgres://maintenance_${role}:${encodeURIComponent(password)}@127.0.0.1:${port}/maintenance`;
      writeFileSync(this.path("credentials", file), `${url}\n`);
    }
    const made = await runProgram(["trail-key", "maintenance.example.com"]);
    writeFileSync(this.path("credentials", "trail-key"), made.stdout);
    writeFileSync(this.path("credentials", "secret-key"), `${"0".repeat(64)}\n`);
    writeFileSync(this.path("verifier-key"), made.stderr);
    this.run(`psql -q --set=ON_ERROR_STOP=1 <<'END'
create role maintenance_owner login password '${password}';
create role maintenance_log_service nologin;
create role maintenance_serve login password '${password}' in role maintenance_log_service;
create database maintenance owner maintenance_owner encoding 'UTF8' template template0;
END
      echo 'host all maintenance_owner,maintenance_serve all scram-sha-256' > ${this.path("hba")}
      echo 'host all all all trust' >> ${this.path("hba")}
      cat ${this.path("hba")} > ${this.server.socketFolder}/data/pg_hba.conf
      psql -c 'select pg_reload_conf()'`);
    const migrated = await runProgram(["migrate"], { DATABASE_URL: this.credential("owner-database-url") });
    if (migrated.code !== 0) throw new Error(migrated.stderr);
  }

  /** A program on the path of the machine. */
  program(name: string, text: string): void {
    const own = text.startsWith("#!") ? text : `#!/bin/bash\n${text}\n`;
    writeFileSync(this.path("programs", name), this.#moved(own), { mode: 0o755 });
  }

  /** A text of deploy/ with the paths of the folder. */
  #moved(text: string): string {
    return text
      .replaceAll("/var/lib/maintenance-log-backup", this.path("dumps"))
      .replaceAll("/var/lib/maintenance-log", this.path("states"))
      .replaceAll("/etc/maintenance-log-service", this.folder)
      .replaceAll("/run/maintenance-log-restore", this.path("run"))
      .replaceAll(
        '/usr/bin/node --preserve-symlinks "$program/dist/main.js"',
        [
          process.execPath,
          ...script("src/main.ts").map(part =>
            part === "--import" || part === "tsx" ? part : resolve(part),
          ),
        ].join(" "),
      )
      .replaceAll("$program/sql", resolve("sql"))
      .replaceAll("/usr/lib/maintenance-log-service", this.path("programs"));
  }

  get environment() {
    return {
      PATH: `${this.path("programs")}:${this.#binaries}:${process.env["PATH"]}`,
      PGHOST: "127.0.0.1",
      PGPORT: new URL(this.server.url).port,
      PGUSER: "postgres",
      CREDENTIALS_DIRECTORY: this.path("credential"),
    };
  }

  /** Runs a shell script as root of the machine. */
  run(script: string): string {
    return execFileSync("bash", ["-e", "-o", "pipefail"], {
      input: script,
      env: this.environment,
      encoding: "utf8",
      stdio: ["pipe", "pipe", "pipe"],
    });
  }

  /** Kills the next program that is run before its so many-th step. */
  killAt(step: number | undefined): void {
    writeFileSync(this.path("left"), step === undefined ? "" : `${step}\n`);
  }

  /** Runs one program of the machine in a process group of its own. */
  async outcomeOf(
    name: string,
    args: readonly string[],
    more: Readonly<Record<string, string>> = {},
  ): Promise<Outcome> {
    const program = spawn(this.path("programs", name), args, {
      env: { ...this.environment, ...more },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const ended = new Promise<number | null>(end => program.once("close", end));
    const [stdout, stderr, code] = await Promise.all([text(program.stdout), text(program.stderr), ended]);
    return { code, stdout, stderr };
  }

  /** What the unit of the backup runs, in its environment. */
  #backup(): string {
    const unit = readFileSync("deploy/maintenance-log-backup.service", "utf8")
      .replaceAll("%d", this.path("credential"))
      .replaceAll("%S", "/var/lib");
    const valuesOf = (name: string) =>
      [...unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value]) => value);
    return this.#moved(`
      mkdir -p ${this.path("credential")}
      cp ${this.path("credentials", "database-url")} ${this.path("credential", "DATABASE_URL")}
      ${valuesOf("Environment")
        .map(setting => `export ${setting}`)
        .join("\n")}
      ${valuesOf("ExecStart").join("\n")}`);
  }

  /** As the unit does. Throws where it fails. */
  backUp(): string {
    return this.run(this.#backup());
  }

  /** As the unit does, where it may fail. */
  outcomeOfBackup(): Outcome {
    const [program = "", ...args] = [...asOthers, "bash", "-e"];
    const { status, stdout, stderr } = spawnSync(program, args, {
      input: this.#backup(),
      env: this.environment,
      encoding: "utf8",
    });
    return { code: status, stdout, stderr };
  }

  asOwner(): postgres.Sql {
    return postgres(this.credential("owner-database-url"), { onnotice: () => {}, max: 1 });
  }

  async stop(): Promise<void> {
    await this.server.stop();
    rmSync(this.folder, { recursive: true });
  }
}
