import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { formatSignerKey } from "../../src/domain/trail/note.ts";
import { script } from "../support/compiled.ts";
import { openEmptyDatabase, schema } from "../support/database.ts";
import { shared } from "../support/left-open.ts";
import { nowhere } from "../support/native-postgres.ts";
import { runProgram } from "../support/program.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { key } from "../support/trail-stage.ts";

const SECRET_KEY = "a secret of the check tests, thirty-two bytes";

/** Each single right that sql/service_role.sql grants, as a statement that takes it away again. */
const grants = [...readFileSync("sql/service_role.sql", "utf8").matchAll(/^grant ([^;]+) on ([^;]+) to /gm)];
const revocations = grants.flatMap(([, privileges = "", tables = ""]) => {
  const [, privilege, columns] = /^(insert|update) \(([^)]*)\)$/.exec(privileges) ?? [];
  const rights = columns
    ? columns.split(",").map(column => `${privilege} (${column.trim()})`)
    : privileges.split(", ");
  return tables
    .trim()
    .split(/,\s+/)
    .flatMap(table => rights.map(right => ({ right, table })));
});

describe("check", async () => {
  const database = await shared(openEmptyDatabase());
  const { name } = database;
  const sql = database.session();
  const folder = makeTemporaryFolder();

  // The embedded database does not write to disk as a server would.
  const settings = () => ({
    DATABASE_URL: database.url,
    SECRET_KEY,
    TRUSTED_PROXIES: "127.0.0.1",
    DATABASE_DURABILITY: database.hasUsers ? "required" : "any",
    TRAIL_KEY: formatSignerKey(key),
    TRAIL_STATE_FILE: join(folder, "checkpoint"),
  });
  const durability = () => (database.hasUsers ? "durability: ok" : "durability: any will do");

  test("refuses wrong settings with 78, and arguments with 64", async () => {
    const wrong = await runProgram(["check"], { ...settings(), SECRET_KEY: "short", PORT: "x" });
    assert.deepEqual([wrong.code, wrong.stdout], [78, ""]);
    assert.deepEqual(
      wrong.stderr.split("\n").map(line => line.split(" ").slice(0, 2).join(" ")),
      ["check: SECRET_KEY", "check: PORT", ""],
    );
    const unchanged = await runProgram(["check"], { ...settings(), SECRET_KEY_PREVIOUS: SECRET_KEY });
    assert.deepEqual(
      [unchanged.code, unchanged.stderr],
      [78, "check: SECRET_KEY_PREVIOUS is the same as SECRET_KEY\n"],
    );
    const { code, stderr } = await runProgram(["check", "now"], settings());
    assert.deepEqual([code, stderr.includes("Unexpected argument 'now'")], [64, true]);
  });

  test("says with 69 that the database cannot be reached", async () => {
    const DATABASE_URL = await nowhere();
    const { code, stdout, stderr } = await runProgram(["check"], { ...settings(), DATABASE_URL });
    assert.deepEqual([code, stdout], [69, "settings: ok\n"]);
    assert.match(stderr, /^check: The database is not available: .*ECONNREFUSED.*\n$/);
  });

  test("warns when a proxy on this machine would make one client of all", async () => {
    const DATABASE_URL = await nowhere();
    for (const [TRUSTED_PROXIES, HOST, warns] of [
      ["none", "127.0.0.1", true],
      ["none", "::1", true],
      ["none", "0.0.0.0", false],
      ["127.0.0.1", "127.0.0.1", false],
    ] as const) {
      const { stdout } = await runProgram(["check"], { ...settings(), DATABASE_URL, TRUSTED_PROXIES, HOST });
      const warning =
        "warning: TRUSTED_PROXIES is none: clients that come through a proxy all count as one address\n";
      assert.equal(stdout, `settings: ok\n${warns ? warning : ""}`);
    }
  });

  test("finds a schema that is behind, and does not mend it", async () => {
    for (let run = 0; run < 2; run++) {
      const { code, stdout, stderr } = await runProgram(["check"], settings());
      assert.deepEqual(
        [code, stdout],
        [
          1,
          `settings: ok\nencoding: ok\nsearch path: ok\nforeign keys: ok\n${durability()}\ntrail state file: ok\n`,
        ],
      );
      assert.match(stderr, /^check: the database is behind this program \(missing: employee, .*\n$/);
    }
  });

  test("says that the database may lose logs where the settings allow that", async () => {
    const { stdout } = await runProgram(["check"], { ...settings(), DATABASE_DURABILITY: "any" });
    assert.match(stdout, /^durability: any will do$/m);
  });

  test("finds nothing on a database that serve would take, but warns of an owner", async () => {
    assert.equal((await runProgram(["migrate"], settings())).code, 0);
    const { code, stdout, stderr } = await runProgram(["check"], settings());
    assert.deepEqual([code, stderr], [0, ""]);
    const lines = stdout.trimEnd().split("\n");
    const [warning, connect] = lines.filter(line => line.startsWith("warning: "));
    assert.deepEqual(
      lines.filter(line => !line.startsWith("warning: ")).sort(),
      [
        "settings: ok",
        "schema: ok",
        "encoding: ok",
        "search path: ok",
        "foreign keys: ok",
        durability(),
        "writes: ok",
        "protection: ok",
        "rights: ok",
        "freeze: ok",
        "connections: ok",
        "sequences: ok",
        "records: ok",
        "newest records: ok",
        "trail state file: ok",
      ].sort(),
    );
    assert.match(warning ?? "", /^warning: role \w+ needs no right to own maintenance_log$/);
    assert.match(
      connect ?? "",
      /^warning: every role of this server may connect: revoke connect on database \w+ from public$/,
    );
  });

  test("looks at the trail's key and state file", async () => {
    const { TRAIL_KEY: _, ...unsigned } = settings();
    assert.match(
      (await runProgram(["check"], unsigned)).stdout,
      /^warning: the trail is not signed: TRAIL_KEY/m,
    );
    const { TRAIL_STATE_FILE: file, ...forgetful } = settings();
    assert.match((await runProgram(["check"], forgetful)).stdout, /^warning: TRAIL_STATE_FILE is missing/m);
    writeFileSync(file, "nonsense");
    const { code, stderr } = await runProgram(["check"], settings());
    const fault = "check: TRAIL_STATE_FILE has no checkpoint: put back";
    assert.deepEqual([code, stderr.slice(0, fault.length)], [1, fault]);
    rmSync(file);
    const unwritable = { ...settings(), TRAIL_STATE_FILE: join(folder, "missing", "checkpoint") };
    assert.match(
      (await runProgram(["check"], unwritable)).stderr,
      /^check: TRAIL_STATE_FILE cannot be written: ENOENT$/m,
    );
    const closed = makeTemporaryFolder();
    chmodSync(closed, 0o555);
    // Root may write there, too, unless it has given that up.
    const asOthers = process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override"] : [];
    const [program = "", ...args] = [...asOthers, process.execPath, ...script("src/main.ts"), "check"];
    const env = { PATH: process.env["PATH"], ...settings(), TRAIL_STATE_FILE: join(closed, "checkpoint") };
    const checked = spawnSync(program, args, { env, encoding: "utf8" });
    assert.match(checked.stderr, /^check: TRAIL_STATE_FILE cannot be written: EACCES$/m);
  });

  test("finds a schema that is ahead", async () => {
    await sql`insert into schema_migration (version, name) values (99, 'of a newer program')`;
    const { code, stderr } = await runProgram(["check"], settings());
    assert.equal(code, 1);
    assert.match(stderr, /^check: the database is ahead of this program \(migration 99\).*\n$/);
    await sql`delete from schema_migration where version = 99`;
  });

  test("finds what takes no writes, and nothing that each session sets itself", async t => {
    if (!database.hasUsers) return t.skip("the embedded database has settings of its own");
    await sql.unsafe(`alter database ${name} set synchronous_commit = off`);
    await sql.unsafe(`alter database ${name} set default_transaction_isolation = 'repeatable read'`);
    await sql.unsafe(`alter database ${name} set default_transaction_read_only = on`);
    // The program sets the first two itself.
    const { code, stderr } = await runProgram(["check"], settings());
    assert.deepEqual([code, stderr], [1, "check: the database takes no writes: is it a standby?\n"]);
    await sql.unsafe(`set default_transaction_read_only = off`);
    await sql.unsafe(`alter database ${name} reset all`);
  });

  test("knows every right that the service role is granted, and no others", async t => {
    if (!database.hasUsers) return t.skip("the embedded database has one user for everybody");
    const rights = schema.rights.map(({ definition: columns }) => columns.split(" ").length);
    assert.equal(
      revocations.length,
      rights.reduce((a, b) => a + b),
    );
    const role = `check_${process.pid}`;
    await sql.unsafe(`create role ${role} login password 'x' in role maintenance_log_service`);
    const url = new URL(database.url);
    Object.assign(url, { username: role, password: "x" });
    const checked = () => runProgram(["check"], { ...settings(), DATABASE_URL: url.href });
    // As the documents set it up: not every role of the server may connect.
    await sql.unsafe(`revoke connect on database ${name} from public`);
    await sql.unsafe(`grant connect on database ${name} to ${role}`);
    const promises =
      "encoding search_path foreign_keys durability writes protection rights needless_rights freeze connections sequences records newest_records";
    const okOf = (names: string) => names.replaceAll(/(\w+) ?/g, "$1: ok\n").replaceAll("_", " ");
    const ok = `settings: ok\nschema: ok\n${okOf(promises)}trail state file: ok\n`;
    assert.deepEqual(await checked(), { code: 0, stdout: ok, stderr: "" });

    // Not one after the other: the program takes its time to start.
    const others = revocations.filter(({ table }) => table !== "schema_migration");
    for (const { right, table } of others) {
      await sql.unsafe(`revoke ${right} on ${table} from maintenance_log_service`);
    }
    const lacking = await checked();
    const catalogs = promises.replace("n rights", "n").replace(/ sequences.*/, "");
    const okWithoutRights = `settings: ok\nschema: ok\n${okOf(catalogs)}trail state file: ok\n`;
    assert.deepEqual([lacking.code, lacking.stdout], [1, okWithoutRights]);
    assert.deepEqual(
      lacking.stderr.trimEnd().split("\n").sort(),
      others
        .map(({ right, table }) => {
          const [, privilege, column] = /^(insert|update) \((\w+)\)$/.exec(right) ?? [];
          const name = table.replace("sequence ", "");
          const words = column === undefined ? `${right} on ${name}` : `${privilege} ${name}.${column}`;
          return `check: role ${role} lacks the right to ${words}: run migrate, or grant maintenance_log_service to the role`;
        })
        .sort(),
    );

    await sql.unsafe("revoke select on schema_migration from maintenance_log_service");
    const blind = await checked();
    assert.deepEqual(
      [blind.code, blind.stderr],
      [1, "check: permission denied for table schema_migration\n"],
    );

    // As an earlier version granted it: with the time at which the database takes a log.
    await sql`grant insert on maintenance_log to maintenance_log_service`;
    await runProgram(["migrate"], settings());
    assert.equal((await checked()).stdout, ok);
    const tables =
      "schema_migration employee asset maintenance_log employee_event asset_event trail_entry trail_node trail_checkpoint trail_acceptance";
    const needless: string[] = [];
    for (const right of ["update", "delete", "truncate"]) {
      for (const table of tables.split(" ")) {
        await sql.unsafe(`grant ${right} on ${table} to ${role}`);
        needless.push(`warning: role ${role} needs no right to ${right} on ${table}`);
      }
    }
    for (const table of ["maintenance_log", "employee_event", "asset_event"]) {
      await sql.unsafe(`grant insert (recorded_at) on ${table} to ${role}`);
      needless.push(`warning: role ${role} needs no right to insert ${table}.recorded_at`);
    }
    const { stdout } = await checked();
    const lines = stdout.trimEnd().split("\n");
    assert.deepEqual(lines.filter(line => line.startsWith("warning")).sort(), needless.sort());
    assert.equal(
      lines.filter(line => !line.startsWith("warning")).join("\n"),
      ok.replace("needless rights: ok\n", "").trimEnd(),
    );
    await sql.unsafe(`drop owned by ${role}`);
    await sql.unsafe(`drop role ${role}`);
  });
});
