import assert from "node:assert/strict";
import { connect } from "node:net";
import { describe, test } from "node:test";
import { openDatabase } from "../support/database.ts";
import { shared } from "../support/left-open.ts";
import { runProgram, type Service, startService } from "../support/program.ts";
import { once, until } from "../support/until.ts";

const account = { email: "ada@example.com", password: "first pass-word" };

/** An error that nobody handles, at a signal. */
const failing = `process.once("SIGUSR2", () => { throw new Error("planted") })`;

/** Long enough for the page that the list has asked the database for. */
const tenSecondsInOne = `const { setTimeout } = globalThis;
  globalThis.setTimeout = (call, milliseconds, ...rest) =>
    setTimeout(call, milliseconds === 10_000 ? 1_000 : milliseconds, ...rest);`;

describe("a service that stops", async () => {
  const database = await shared(openDatabase());
  const sql = database.session({ max: 2 });
  const settings = {
    DATABASE_URL: database.url,
    DATABASE_DURABILITY: "any",
    SECRET_KEY: "a secret of the tests of stopping, long enough",
  };
  const created = await runProgram(["create-admin", "--email", account.email], settings, account.password);
  assert.equal(created.code, 0, created.stderr);

  async function start(preload = failing): Promise<{ service: Service; token: string }> {
    const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(preload)}`;
    const service = await startService({ ...settings, NODE_OPTIONS });
    const { json } = await service.call("POST", "/api/v1/auth/login", { body: account });
    return { service, token: json.token };
  }

  for (const [why, signal, event, code] of [
    ["it is asked to", "SIGTERM", "stopping", 0],
    ["of an error that nobody handled", "SIGUSR2", "unexpected failure", 1],
  ] as const) {
    test(`because ${why} first finishes the request that waits for the database`, async t => {
      if (!database.hasUsers) return t.skip("the embedded database has one session for everybody");
      const { service, token } = await start();
      const locked = sql.begin(async locking => {
        await locking`lock table asset in access exclusive mode`;
        const asked = service.call("GET", "/api/v1/assets", { token });
        await until(async () => {
          const waiting = await sql`select pid from pg_stat_activity
            where wait_event_type = 'Lock' and datname = current_database()`;
          return waiting.length > 0;
        });
        const stopped = service.stop(signal);
        await until(() => service.lines.some(line => JSON.parse(line).event === event));
        return { asked, stopped };
      });
      const { asked, stopped } = await locked.then(({ asked, stopped }) => ({ asked, stopped }));
      const { status, json, headers } = await asked;
      assert.deepEqual([status, json, headers.get("connection")], [200, [], "close"]);
      assert.equal((await stopped).code, code);
    });
  }

  // The ten seconds that are promised pass in one; any other time does not, and the minute after which a client counts
  // as stalled is longer than the test may take.
  test("does not wait for a client that takes nothing of its answer", { timeout: 50_000 }, async () => {
    await sql`insert into asset (name, description) values ('Pump', '')`;
    await sql`
      insert into maintenance_log
        (performed_date, status, task_type, comment, asset_id, performed_by_employee_id, performed_by_name)
      select timestamp '2026-01-01', 'PENDING', 'ERROR', repeat('x', 10000), a.id, e.id, 'Ada Byron'
      from generate_series(1, 3000), asset a, employee e`;
    const { service, token } = await start(tenSecondsInOne);
    const socket = connect(service.port, "127.0.0.1").on("error", () => {});
    socket.write(`GET /api/v1/logs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    await once(socket, "readable");
    const { code, stderr } = await service.stop();
    assert.deepEqual([code, stderr], [0, ""]);
    const requests = service.lines.map(line => JSON.parse(line)).filter(({ event }) => event === "request");
    assert.deepEqual([requests.at(-1).status, requests.at(-1).cut], [200, true]);
    socket.destroy();
  });
});
