import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, test } from "node:test";
import type { JsonList } from "../../src/application/json-list.ts";
import { DomainError } from "../../src/domain/error.ts";
import type { MaintenanceLog } from "../../src/domain/maintenance-log.ts";
import { makeMemoryRepositories } from "../fakes/memory-repositories.ts";
import { sendRaw } from "../support/client.ts";
import { api, openWorld } from "../support/world.ts";

const log = (index: number): MaintenanceLog => ({
  id: 1 + index,
  performedDate: "2026-01-01T00:00:00",
  status: "PENDING",
  taskType: "ERROR",
  comment: "x".repeat(1_000),
  assetId: 1,
  assetName: "Pump",
  performedByEmployeeId: 1,
  performedByName: "Ada Byron",
});
const logsFrom = (first: number, size = 100) => Array.from({ length: size }, (_, i) => log(first + i));
const pieceFrom = (first: number) => Buffer.from(JSON.stringify(logsFrom(first)).slice(1, -1));

/** The service with a list of logs of our own making. */
async function openWorldListing(list: () => JsonList<MaintenanceLog>) {
  const repositories = makeMemoryRepositories();
  return openWorld({
    repositories: { ...repositories, maintenanceLogs: { ...repositories.maintenanceLogs, list } },
  });
}

describe("whole lists", () => {
  for (const pieces of [0, 1, 2, 3, 7]) {
    test(`${pieces} pieces arrive as one JSON array`, async () => {
      const world = await openWorldListing(async function* () {
        for (let i = 0; i < pieces; i += 1) yield pieceFrom(i * 100);
      });
      const { status, json, headers } = await world.call("GET", `${api}/logs`, { token: world.tokens.ADMIN });
      assert.equal(status, 200);
      assert.deepEqual(json, logsFrom(0, pieces * 100));
      assert.equal(headers.get("content-length") === null, pieces > 1, "a list of one piece has a length");
      await world.close();
    });
  }

  test("a failure before the first two pieces is an ordinary error", async () => {
    for (const good of [0, 1]) {
      const world = await openWorldListing(async function* () {
        for (let i = 0; i < good; i += 1) yield pieceFrom(i * 100);
        throw new DomainError("UNAVAILABLE", "The database is not available");
      });
      const { status, json } = await world.call("GET", `${api}/logs`, { token: world.tokens.ADMIN });
      assert.deepEqual([status, json.msg], [503, "The database is not available"]);
      await world.close();
    }
  });

  test("a failure in mid-list destroys the connection: nobody takes a cut list for a whole one", async () => {
    const world = await openWorldListing(async function* () {
      for (let i = 0; i < 4; i += 1) yield pieceFrom(i * 100);
      throw new Error("the database went away");
    });
    await assert.rejects(world.call("GET", `${api}/logs`, { token: world.tokens.ADMIN }));
    const request = `GET ${api}/logs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.tokens.ADMIN}\r\n\r\n`;
    const answer = await sendRaw(world.port, request).catch(error => String(error));
    assert.doesNotMatch(answer, /\r\n0\r\n\r\n$/, "the end of a chunked body must be missing");
    const event = world.recorded.find(({ level }) => level === "error");
    assert.match(String(event?.details?.["cause"]), /the database went away/);
    await world.close();
  });

  test("no more is read than the client takes, and reading ends when the client goes away", async () => {
    let read = 0;
    let ended = () => {};
    const closed = new Promise<void>(resolve => {
      ended = resolve;
    });
    const world = await openWorldListing(async function* () {
      try {
        // Ten gigabytes, if anybody asked for them.
        for (; read < 100_000; read += 1) yield pieceFrom(read * 100);
      } finally {
        ended();
      }
    });
    const socket = connect(world.port, "127.0.0.1");
    socket.write(
      `GET ${api}/logs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.tokens.ADMIN}\r\n\r\n`,
    );
    await once(socket, "readable");
    // Nothing is taken from the socket, so its buffers fill up and the reading stops.
    let before = -1;
    while (before !== read) {
      before = read;
      for (let turn = 0; turn < 200; turn += 1) await new Promise(resolve => setImmediate(resolve));
    }
    assert.ok(read < 1_000, `${read} pieces were read for a client that takes nothing`);
    socket.destroy();
    await closed;
    await world.close();
  });

  test("HEAD does not read the list to its end", async () => {
    let read = 0;
    const world = await openWorldListing(async function* () {
      for (; read < 1_000; read += 1) yield pieceFrom(read * 100);
    });
    const { status } = await world.call("HEAD", `${api}/logs`, { token: world.tokens.ADMIN });
    assert.equal(status, 200);
    assert.ok(read < 3);
    await world.close();
  });
});
