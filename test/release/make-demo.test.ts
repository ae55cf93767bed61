import assert from "node:assert/strict";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { demoAssets } from "../../dev/demo/assets.ts";
import { planLogs } from "../../dev/demo/plan.ts";
import { makeClient } from "../support/client.ts";
import { openEmptyDatabase, type TestDatabase } from "../support/database.ts";
import { runFirstSession } from "../support/first-session.ts";
import { passwordIn, runPasted, startMakeRun } from "../support/make-run.ts";
import { freePort } from "../support/native-postgres.ts";
import { until } from "../support/until.ts";

describe("make demo", () => {
  let folder: string;
  let database: TestDatabase;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "maintenance-log-demo-"));
    database = await openEmptyDatabase();
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await database.drop();
  });

  test("plans the same logs each time, of the year before a day", () => {
    const plan = { seed: 1, count: 500, until: "2026-03-01" };
    const logs = planLogs(demoAssets, plan);
    assert.deepEqual(planLogs(demoAssets, plan), logs);
    const dates = logs.map(({ performedDate }) => performedDate);
    assert.ok(dates.every(date => date >= "2025-03-01T06:00" && date < "2026-03-01T00:00"));
    assert.deepEqual([...new Set(logs.map(({ asset }) => asset))].sort(), [...demoAssets.keys()]);
    for (const field of ["status", "taskType", "performer"] as const)
      assert.ok(new Set(logs.map(log => log[field])).size >= 2, field);
    assert.deepEqual(
      logs.map(({ comment }) => comment).filter(comment => /[{}]/.test(comment)),
      [],
    );
  });

  test("writes an employee of each role, ten assets and 500 logs, once, and says where", async t => {
    const port = await freePort();
    const settings = {
      DATA_FOLDER: folder,
      DATABASE_URL: database.url,
      DATABASE_DURABILITY: "any",
      PORT: String(port),
      OPS_PORT: "0",
    };
    const { shell, introduced, ended } = startMakeRun(settings, "--demo");
    t.after(() => shell.kill("SIGKILL"));
    const block = await introduced;
    assert.match(block, /^ {2}records +the database of DATABASE_URL: 127\.0\.0\.1:\d+\/\w+$/m);
    const call = makeClient(port);
    const read = async () => {
      const tokens = [];
      for (const role of ["ADMIN", "MANAGER", "TECHNICIAN"]) {
        const body = { email: `${role.toLowerCase()}@example.com`, password: passwordIn(block, role) };
        const { token, authUser } = (await call("POST", "/api/v1/auth/login", { body })).json;
        assert.equal(authUser.role, role);
        tokens.push(token);
      }
      const [token] = tokens;
      const [employees, assets, logs] = await Promise.all(
        ["/employees", "/assets", "/logs"].map(
          async path => (await call("GET", `/api/v1${path}`, { token })).json as { active?: boolean }[],
        ),
      );
      return { employees, assets, logs };
    };
    const records = await read();
    assert.deepEqual([records.employees?.length, records.assets?.length, records.logs?.length], [3, 10, 500]);
    assert.equal(records.assets?.filter(({ active }) => active === false).length, 1);

    // As soon as a checkpoint covers the newest log.
    const pasted = await until(() => {
      const attempt = runPasted(block);
      return attempt.status === 0 ? attempt : undefined;
    });
    assert.equal(pasted.stderr, "");
    const shown = [...block.matchAll(/^ {4}([[{].*)$/gm)].map(([, text = ""]) => text);
    assert.equal(shown.length, 4);
    for (const [at, text] of shown.entries()) {
      assert.ok(pasted.lines[at]?.startsWith(text.replace(/…$/, "")), text);
    }
    assert.match(pasted.lines[4] ?? "", /^the proof holds: /);

    // Beside the first, and as if that one had been ended on its way: nothing is written twice.
    const [state = ""] = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(name =>
      /demo\.json$/.test(name),
    );
    writeFileSync(join(folder, state), readFileSync(join(folder, state), "utf8").replace("true", "false"));
    const beside = await startMakeRun(settings, "--demo").ended;
    assert.equal(beside.code, 0, beside.output);
    assert.match(beside.output, /^MANAGER {2}manager@example\.com {2}\S+$/m);
    assert.match(beside.output, /^ {2}get '\/assets'; echo\n {4}\[\{"id":\d+,/m);
    assert.deepEqual(await read(), records);

    // README.md names the folder of the embedded database.
    mkdirSync(join(folder, ".data"));
    symlinkSync(join(folder, dirname(state)), join(folder, ".data/embedded"));
    const session = runFirstSession(folder, port);
    assert.equal(session.status, 0, session.stderr);
    assert.match(session.stdout, /^\{"id":11,.*\n\{"id":\d+,.*"assetId":11,"assetName":"Pump 7"/);
    shell.kill("SIGKILL");
    await ended;
  });
});
