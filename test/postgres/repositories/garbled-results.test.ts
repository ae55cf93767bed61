import assert from "node:assert/strict";
import { createServer, connect as dial } from "node:net";
import { test } from "node:test";
import { commandLimits, connect } from "../../../src/adapters/postgres/connection/database.ts";
import { sql } from "../../../src/adapters/postgres/connection/statement.ts";
import { makeRepositories } from "../../../src/adapters/postgres/repositories/repositories.ts";
import { byOperator, callerOf } from "../../support/by-operator.ts";
import { openDatabase } from "../../support/database.ts";
import { listenLocally } from "../../support/listen.ts";
import { aLog, anAsset, anEmployee } from "../../support/test-records.ts";

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

for (const [what, garble] of Object.entries(garblings)) {
  test(`no log of a batch is written twice when the result that follows the commit is garbled: ${what}`, async () => {
    const opened = await openDatabase();
    const { hostname, port, username, pathname } = new URL(opened.url);
    let garbled = 0;
    const relay = createServer(client => {
      const server = dial(Number(port), hostname);
      client.pipe(server);
      server.on("data", bytes => {
        if (garbled === 0 && bytes.includes("garble this")) {
          garbled += 1;
          garble(bytes, startOfMessage(bytes, "garble this"));
        }
        client.write(bytes);
      });
      client.on("error", () => {}).on("close", () => server.destroy());
      server.on("error", () => {}).on("close", () => client.destroy());
    });
    const relayPort = await listenLocally(relay);

    const owner = connect(opened.url, commandLimits);
    const { employees, assets } = byOperator(makeRepositories(owner));
    const performer = callerOf(await employees.insert(anEmployee()));
    const asset = await assets.insert(anAsset());
    const garbling = connect(`postgres://${username}@127.0.0.1:${relayPort}${pathname}`, commandLimits);
    const { maintenanceLogs } = byOperator(makeRepositories(garbling));
    const append = (comment: string) => maintenanceLogs.append(asset.id, performer, { ...aLog(), comment });
    const comments = [...Array.from({ length: 20 }, (_, n) => `log ${n}`), "garble this"];
    await Promise.allSettled(comments.map(append));
    assert.equal(garbled, 1);

    const stored = await owner.query<{ comment: string }>(sql`select comment from maintenance_log`);
    assert.deepEqual(stored.map(({ comment }) => comment).sort(), comments.sort());
    assert.equal((await append("afterwards")).log.comment, "afterwards");

    await Promise.all([owner.close(), garbling.close()]);
    relay.close();
    await opened.drop();
  });
}
