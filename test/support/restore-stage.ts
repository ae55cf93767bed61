import assert from "node:assert/strict";
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { beforeEach, describe } from "node:test";
import { shared } from "./left-open.ts";
import { findPostgresBinaries } from "./native-postgres.ts";
import { type Outcome, runProgram, type Service, startService } from "./program.ts";
import { StubMachine } from "./stub-machine.ts";
import { until } from "./until.ts";

/** Those that run, before a restore and after it. */
export const units = [
  "maintenance-log-backup.timer",
  "maintenance-log.service",
  "maintenance-log.socket",
  "maintenance-log@7072.service",
  "maintenance-log@7072.socket",
];
export const checkpoints = ["maintenance-log.checkpoint", "maintenance-log@7072.checkpoint"];

/** Tests of what deploy/restore does, each on the stage as it was made. */
export function describeRestores(what: string, suite: (stage: RestoreStage) => void): void {
  const binaries = findPostgresBinaries();
  describe(what, { skip: binaries === undefined && "this machine has no PostgreSQL binaries" }, async () => {
    const stage = await shared(RestoreStage.make(binaries as string));
    beforeEach(() => stage.reset());
    suite(stage);
  });
}

/** A dump with three logs, and a live database with two more, all of them signed. */
export class RestoreStage {
  readonly machine: StubMachine;
  dump = "";

  static async make(binaries: string): Promise<RestoreStage> {
    const stage = new RestoreStage(await StubMachine.make(binaries));
    await stage.#write();
    stage.reset();
    return stage;
  }

  private constructor(machine: StubMachine) {
    this.machine = machine;
  }

  async #write(): Promise<void> {
    const { machine } = this;
    const settings = { DATABASE_URL: machine.credential("database-url"), ADMIN_PASSWORD: "secret" };
    const admin = await runProgram(["create-admin", "--email", "ada@example.com"], settings);
    assert.equal(admin.code, 0, admin.stderr);
    const sql = machine.asOwner();
    await sql`insert into asset (name, description) values ('Pump', '')`;
    await sql.end();
    await this.write("first", "second", "third");
    await this.sign(5);
    this.dump = this.backUp();
    await this.write("fourth", "fifth");
    await this.sign(7);
    machine.run(`
      psql -q -c 'create database pristine template maintenance owner maintenance_owner'
      cp ${machine.path("states", "maintenance-log.checkpoint")} ${machine.path("signed")}`);
  }

  /** Serves until so many entries are signed. */
  async sign(entries: number, checkpoint = "maintenance-log.checkpoint"): Promise<void> {
    const service = await this.serve(checkpoint);
    await until(() => this.signed(checkpoint) === entries, 120_000);
    await service.stop();
  }

  serve(checkpoint = "maintenance-log.checkpoint"): Promise<Service> {
    return startService({
      DATABASE_URL: this.machine.credential("database-url"),
      SECRET_KEY: this.machine.credential("secret-key"),
      TRAIL_KEY: this.machine.credential("trail-key"),
      TRAIL_STATE_FILE: this.machine.path("states", checkpoint),
    });
  }

  /** How many entries a service remembers. */
  signed(checkpoint = "maintenance-log.checkpoint"): number {
    const path = this.machine.path("states", checkpoint);
    if (!existsSync(path)) return 0;
    return Number(readFileSync(path, "utf8").split("\n")[1]);
  }

  /** The live database, its services and what they have signed, as they were before a restore. */
  reset(): void {
    const { machine } = this;
    machine.run(`
      rm -f ${machine.path("run")}/*
      psql -At -c "select format('drop database %I with (force);', datname) from pg_database where datname like 'maintenance%'" | psql -q
      psql -q -c 'create database maintenance template pristine owner maintenance_owner'`);
    for (const name of checkpoints) copyFileSync(machine.path("signed"), machine.path("states", name));
    writeFileSync(machine.path("units"), `${units.join("\n")}\n`);
    writeFileSync(machine.path("stopped"), "");
  }

  async write(...comments: readonly string[]): Promise<void> {
    const sql = this.machine.asOwner();
    for (const comment of comments)
      await sql`
        insert into maintenance_log (performed_date, status, task_type, comment, asset_id, performed_by_employee_id)
        select '2026-01-01', 'COMPLETED', 'MAINTENANCE', ${comment}, asset.id, employee.id from asset, employee`;
    await sql.end();
  }

  /** Returns the path of a new dump. */
  backUp(): string {
    const [, path = ""] = /^(.*\.dump): \d+ bytes$/m.exec(this.machine.backUp()) ?? [];
    return path;
  }

  restore(...args: readonly string[]): Promise<Outcome> {
    return this.machine.outcomeOf("restore", args);
  }

  commentsIn(database: string): string {
    const query = "select string_agg(comment, ' ' order by id) from maintenance_log";
    return this.machine.run(`psql -d ${database} -At -c "${query}"`).trim();
  }

  databases(): string[] {
    const query = "select datname from pg_database where datname like 'maintenance%' order by 1";
    return this.machine.run(`psql -At -c "${query}"`).trim().split("\n");
  }

  /** What a restore that was killed has left: its files, and databases with how much is in them. */
  leftovers(): string[] {
    const relations = (name: string) =>
      this.machine.run(`psql -d ${name} -At -c 'select count(*) from pg_class'`).trim();
    const databases = this.databases().map(
      name => `${name.replace(/_\d.*/, "_replaced")} (${relations(name)})`,
    );
    return [...readdirSync(this.machine.path("run")), ...databases];
  }

  /** From the stop of the services to their start. */
  stoppedSeconds(): number {
    const [stopped, started] = ["stop-at", "start-at"].map(name =>
      Number(readFileSync(this.machine.path(name), "utf8")),
    );
    return ((started ?? Number.NaN) - (stopped ?? Number.NaN)) / 1e9;
  }

  /** The units that run, that ran while the last dump was restored or compared for the last time, or that were stopped for that. */
  running(when: "units" | "meanwhile" | "running" | "stopped" = "units"): string[] {
    return readFileSync(this.machine.path(when), "utf8").trim().split("\n").sort();
  }

  /** Each service, which has its own state file, goes on with what is stored, and remembers that. */
  async goesOn(entries = 5): Promise<void> {
    for (const name of checkpoints) await this.sign(entries, name);
  }

  /** Every record, entry and checkpoint agree with what is served, for each of the services. */
  async isWhole(): Promise<void> {
    const key = readFileSync(this.machine.path("verifier-key"), "utf8").trim();
    for (const name of checkpoints) {
      const TRAIL_STATE_FILE = this.machine.path("states", name);
      const settings = { DATABASE_URL: this.machine.credential("database-url"), TRAIL_STATE_FILE };
      const { code, stdout, stderr } = await runProgram(["verify", "--database", "--key", key], settings);
      assert.equal(code, 0, `${name}: ${stdout}${stderr}`);
    }
  }

  isRestored(): void {
    assert.equal(this.commentsIn("maintenance"), "first second third");
    assert.deepEqual(this.running(), units);
    assert.deepEqual(
      this.databases().filter(name => name.endsWith("_being_restored")),
      [],
    );
  }

  isAsItWas(...written: readonly string[]): void {
    const comments = ["first", "second", "third", "fourth", "fifth", ...written];
    assert.equal(this.commentsIn("maintenance"), comments.join(" "));
    assert.deepEqual(
      checkpoints.map(name => this.signed(name)),
      [7, 7],
    );
    assert.deepEqual(this.running(), units);
    assert.deepEqual(this.databases(), ["maintenance"]);
    assert.deepEqual(readdirSync(this.machine.path("states")).sort(), checkpoints);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.machine.stop();
  }
}
