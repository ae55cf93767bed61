import assert from "node:assert/strict";
import { createServer, connect as dial } from "node:net";
import { test } from "node:test";
import { commandLimits } from "../../../src/adapters/postgres/connection/database.ts";
import { sql } from "../../../src/adapters/postgres/connection/statement.ts";
import { makeRepositories } from "../../../src/adapters/postgres/repositories/repositories.ts";
import { elementsOf } from "../../../src/application/json-list.ts";
import type { LogList } from "../../../src/application/ports.ts";
import type { MaintenanceLog } from "../../../src/domain/maintenance-log.ts";
import { byAdmin } from "../../support/by-admin.ts";
import { connectTo } from "../../support/connect-to.ts";
import { openDatabase } from "../../support/database.ts";
import { listenLocally } from "../../support/listen.ts";
import { stocked } from "../../support/stocked.ts";
import { aLog } from "../../support/test-records.ts";

/** Where the message of PostgreSQL begins that has this text: its type, and then its length. */
function startOfMessage(bytes: Buffer, text: string): number {
  const at = bytes.indexOf(text);
  for (let start = 0; ; start += 1 + bytes.readInt32BE(start + 1)) {
    if (start + 1 + bytes.readInt32BE(start + 1) > at) return start;
  }
}

/** What a faulty network device may make of a row, from where its message begins. */
const garblings: Readonly<Record<string, (bytes: Buffer, row: number) => void>> = {
  "a column's length": (bytes, row) => void bytes.writeInt32BE(1_000_000, row + 7),
  "the number of rows": (bytes, row) => void bytes.write("N", row),
  "an error in its place": (bytes, row) => void bytes.write("E", row),
};

/** A relay before PostgreSQL that may change or repeat what PostgreSQL sends. */
async function openRelay(url: string, change: (bytes: Buffer) => Buffer) {
  const { hostname, port, username, pathname } = new URL(url);
  const relay = createServer(client => {
    const server = dial(Number(port), hostname);
    client.pipe(server);
    server.on("data", bytes => client.write(change(bytes)));
    client.on("error", () => {}).on("close", () => server.destroy());
    server.on("error", () => {}).on("close", () => client.destroy());
  });
  const relayPort = await listenLocally(relay);
  return {
    url: `postgres://${username}@127.0.0.1:${relayPort}${pathname}`,
    close: () => relay.close(),
  };
}

for (const [what, garble] of Object.entries(garblings)) {
  test(`no log of a batch is written twice when the result that follows the commit is garbled: ${what}`, async () => {
    await using opened = await openDatabase();
    let garbled = 0;
    const relay = await openRelay(opened.url, bytes => {
      if (garbled === 0 && bytes.includes("garble this")) {
        garbled += 1;
        garble(bytes, startOfMessage(bytes, "garble this"));
      }
      return bytes;
    });

    const owner = opened.connect(commandLimits);
    const { performer, asset } = await stocked(owner);
    const garbling = connectTo(relay.url, commandLimits);
    const { maintenanceLogs } = byAdmin(makeRepositories(garbling));
    const append = (comment: string) => maintenanceLogs.append(asset.id, performer, { ...aLog(), comment });
    const comments = [...Array.from({ length: 20 }, (_, n) => `log ${n}`), "garble this"];
    const settled = await Promise.allSettled(comments.map(append));
    assert.equal(garbled, 1);
    for (const outcome of settled)
      if (outcome.status === "rejected")
        assert.equal(outcome.reason.code, "UNAVAILABLE", `${outcome.reason}`);

    const stored = await owner.query<{ comment: string }>(sql`select comment from maintenance_log`);
    assert.deepEqual(stored.map(({ comment }) => comment).sort(), comments.sort());
    assert.equal((await append("afterwards")).log.comment, "afterwards");

    await garbling.close();
    relay.close();
  });
}

test("a statement that fails after its first rows leaves none of them in the result of the next one", async () => {
  await using opened = await openDatabase();
  const { query, queryBytes } = opened.connect(commandLimits);
  const failing = sql`select 1 / (4 - n) as rest from generate_series(1, 9) as n where ${1}::int = 1`;
  const next = sql`select n from generate_series(1, ${2}::int) as n`;
  await assert.rejects(query(failing), { code: "22012" });
  assert.deepEqual(await query(next), [{ n: 1 }, { n: 2 }]);
  await assert.rejects(queryBytes(failing), { code: "22012" });
  assert.deepEqual(await queryBytes(next), [[Buffer.from("1")], [Buffer.from("2")]]);
});

/** What a list says, or what refused it. */
const outcomeOf = async (list: LogList): Promise<unknown> => {
  const logs: MaintenanceLog[] = [];
  try {
    for await (const chunk of list) logs.push(...elementsOf<MaintenanceLog>(chunk));
    return logs.map(({ id }) => id);
  } catch (error) {
    return error;
  }
};

test("a list ends with an error when the network gives it the result before, and the next one is whole", async () => {
  await using opened = await openDatabase();
  let before: Buffer = Buffer.alloc(0);
  let mayRepeat = false;
  const relay = await openRelay(opened.url, bytes => {
    const sent = mayRepeat ? Buffer.concat([before, bytes]) : bytes;
    mayRepeat = false;
    before = bytes;
    return sent;
  });
  const repeating = connectTo(relay.url, commandLimits);
  const { employees, assets, maintenanceLogs, performer, asset } = await stocked(repeating);
  const { log } = await maintenanceLogs.append(asset.id, performer, aLog());
  for (const read of [() => assets.find(asset.id), () => employees.find(performer.employeeId)]) {
    await read();
    mayRepeat = true;
    assert.ok((await outcomeOf(maintenanceLogs.list({}))) instanceof Error);
    assert.deepEqual(await outcomeOf(maintenanceLogs.list({})), [log.id]);
  }
  await repeating.close();
  relay.close();
});

test("a log whose date is none, because the owner has dropped the rule, refuses the lists that have it", async () => {
  await using opened = await openDatabase();
  const owner = opened.connect(commandLimits);
  const { maintenanceLogs, performer, asset } = await stocked(owner);
  await maintenanceLogs.append(asset.id, performer, aLog());
  await owner.query(sql`alter table maintenance_log drop constraint maintenance_log_performed_date_check`);
  for (const date of ["infinity", "-infinity"])
    await owner.query(sql`
      insert into maintenance_log (performed_date, status, task_type, comment, asset_id, performed_by_employee_id)
      values (${date}::text::timestamp, 'PENDING', 'ERROR', '', ${asset.id}, ${performer.employeeId})`);
  for (const list of [maintenanceLogs.list({}), maintenanceLogs.listOfAsset(asset.id, { limit: 1 })])
    assert.ok((await outcomeOf(list)) instanceof RangeError);
});
