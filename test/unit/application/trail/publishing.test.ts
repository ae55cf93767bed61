import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openCheckpoint } from "../../../../src/domain/trail/checkpoint.ts";
import { provenLog } from "../../../../src/domain/trail/comparison.ts";
import { readProof } from "../../../../src/domain/trail/proof.ts";
import { key, makeMemoryNote, makeTrailOn, makeTrailStage, range } from "../../../support/trail-stage.ts";
import { deferred, until } from "../../../support/until.ts";

/** A service that has signed so many logs, of which a test then may change what is stored. */
async function makeService(logs: number) {
  const stage = makeTrailStage();
  const memory = makeMemoryNote();
  /** Another process on the same database. */
  const open = () => makeTrailOn(stage, memory);
  const service = open();
  const poll = async (times: number, polled = service) => {
    for (let time = 0; time < times; time += 1) {
      stage.clock.advance(11);
      await polled.poll();
    }
  };
  let size = 0;
  /** Logs are written until there are so many, and all are signed. */
  const grow = async (to: number) => {
    stage.commit(...range(size + 1, to + 1));
    size = to;
    await poll(1);
  };
  const assertProven = async (id: number) => {
    const proof = readProof(await service.published.proof(id));
    const checkpoint = openCheckpoint(proof.checkpoint, [key]);
    assert.equal(checkpoint.size, stage.trail.stored.entries.length);
    assert.equal(provenLog(proof, checkpoint).id, id);
  };
  await grow(logs);
  return { ...stage, ...memory, ...service, open, poll, grow, assertProven };
}

test("each log has a proof that holds, at every form of the tree's right edge", async () => {
  const { grow, assertProven } = await makeService(1);
  for (const size of [1, 2, 3, 16, 17, 255, 256, 257, 512, 513]) {
    await grow(size);
    for (let id = size; id >= 1; id -= Math.max(1, Math.floor(size / 20))) await assertProven(id);
  }
});

test("a tile that the checkpoint of another process covers is there, and one past all entries is not", async () => {
  const { published, state, commit, numbering } = await makeService(300);
  commit(...range(301, 401));
  await numbering().poll();
  assert.equal(state().checkpointSize, 300);
  const tile = (await published.tile("0/001.p/144")) as Uint8Array;
  assert.equal(tile.length, 144 * 32);
  await assert.rejects(published.tile("0/001.p/145"), { code: "NOT_FOUND" });
});

test("no proof is given from a stored hash that is not the one that was signed", async () => {
  const { published, trail, assertProven } = await makeService(600);
  const [first = assert.fail()] = trail.stored.nodes;
  trail.stored.nodes[0] = { ...first, hash: new Uint8Array(32) };
  await assert.rejects(published.proof(30), { code: "GONE" });
  trail.stored.nodes[0] = first;
  await assertProven(300);
});

test("a log that has its number, and cannot be signed yet, has no proof yet: that is no tampering", async () => {
  const { published, commit, numbering, told, trail } = await makeService(600);
  commit(601);
  await numbering().poll();
  trail.checkpoints.confirm = () => Promise.reject(new Error("the standby is silent"));
  await assert.rejects(published.proof(601), {
    code: "NOT_FOUND",
    message: "Log is not in the trail yet",
  });
  assert.deepEqual(told("trail mismatch"), []);
});

const gone = (message: string) => ({ name: "DomainError", code: "GONE", message });

describe("a trail that was rewritten under the process", () => {
  test("gives no proof that does not hold, and signs nothing any more", async () => {
    const { published, checkpoint, rewrite, poll, commit, note, told } = await makeService(600);
    const signed = note();
    await published.proof(11);
    rewrite(11);
    for (const id of [11, 12, 16]) {
      await assert.rejects(
        published.proof(id),
        gone(`Log ${id}, entry ${id - 1} of the trail, is not what was signed`),
      );
    }
    assert.equal(told("trail mismatch").length, 3);
    commit(601, 602);
    await poll(4);
    assert.deepEqual([note(), checkpoint()], [signed, signed]);
    assert.equal(told("trail broken").length, 1);
    assert.match(JSON.stringify(told("trail broken")), /TRAIL_STATE_FILE 600 /);
  });

  test("has a state with the size and age of what was signed, before and after", async () => {
    const { state, published, clock, rewrite } = await makeService(600);
    const { checkpointAgeSeconds: age = Number.NaN, ...before } = state();
    assert.deepEqual(before, {
      size: 600,
      isSigned: true,
      checkpointSize: 600,
      condition: { kind: "whole", since: before.condition.since, why: "" },
      pollAgeSeconds: 0,
      waitingRecords: 0,
      transactionWaitSeconds: 0,
    });
    clock.advance(7);
    assert.equal(state().checkpointAgeSeconds, age + 7);
    rewrite(11);
    await assert.rejects(published.proof(11));
    assert.equal(state().checkpointSize, 600);
  });

  test("shows no checkpoint and no proof after a restart that it cannot sign, and the entries that are there", async () => {
    const { open, rewrite, poll, note, told, trail } = await makeService(600);
    const signed = note();
    rewrite(11);
    for (const damage of [
      () => {},
      () => trail.stored.nodes.splice(0),
      () => trail.stored.entries.splice(300),
    ]) {
      damage();
      const restarted = open();
      await poll(4, restarted);
      await assert.rejects(restarted.published.checkpoint(), { code: "NOT_FOUND" });
      assert.equal(restarted.state().condition.kind, "contradicted");
      await assert.rejects(restarted.published.proof(12), { code: "NOT_FOUND" });
      const { next, condition } = await restarted.published.entries(0, 1_000);
      assert.deepEqual([next.from, condition], [trail.stored.entries.length, "contradicted"]);
    }
    assert.deepEqual([told("trail broken").length, note()], [3, signed]);
  });
});

test("entries end where those of any process end, and a client that is past the end hears of it", async () => {
  const { commit, published, open } = await makeService(5);
  // The other has not polled yet.
  for (const each of [published, open().published]) {
    assert.equal((await each.entries(5, 100)).next.from, 5);
    for (const from of [6, 500]) {
      const refusal = { code: "NOT_FOUND", message: "The trail has 5 entries" };
      await assert.rejects(each.entries(from, 100), refusal);
    }
    assert.equal((await each.entries(3, 100)).next.from, 5);
  }
  // One that another process has added since the last poll.
  commit(6);
  await open().poll();
  assert.equal((await published.entries(3, 100)).next.from, 6);
});

test("a link is not followed into another history, however long that is", async () => {
  const { published, rewrite } = await makeService(20);
  const { next } = await published.entries(0, 10);
  assert.deepEqual([next.from, next.after?.length], [10, 16]);
  assert.equal((await published.entries(10, 10, next.after)).next.from, 20);
  rewrite(11);
  assert.equal((await published.entries(10, 10, next.after)).next.from, 20);
  rewrite(10);
  const refusal = { code: "CONFLICT", message: "The trail has another history" };
  await assert.rejects(published.entries(10, 10, next.after), refusal);
  await assert.rejects(published.entries(500, 10, next.after), refusal);
  for (const after of [undefined, next.after])
    assert.equal((await published.entries(0, 20, after)).next.from, 20);
});

describe("what is asked of two processes in turn", () => {
  test("never goes back, and nothing that one has shown is missing at the other", async () => {
    const { open, commit } = await makeService(0);
    const services = [open(), open(), open()];
    let size = -1;
    for (let id = 1; id <= 60; id += 1) {
      if (id % 4 !== 0) commit(id);
      const { published } = services[(id * 7) % 3] ?? assert.fail();
      const { head } = await published.head();
      assert.ok(head.size >= size, `${head.size} after ${size}`);
      size = head.size;
      const { published: other } = services[(id * 7 + 1) % 3] ?? assert.fail();
      if (id % 4 !== 0) await other.proof(id);
      const { next } = await other.entries(size, 100);
      assert.ok(next.from >= size);
    }
    assert.equal(size, 45);
  });

  test("is answered from the last poll, and is waiting, where a poll does not end", async () => {
    const { published, state, commit, clock, trail } = await makeService(5);
    commit(6);
    const { ledger } = trail;
    const { number } = ledger;
    const { promise, resolve } = deferred();
    ledger.number = async (...given) => promise.then(() => number(...given));
    const { head, condition } = await published.head();
    assert.deepEqual([head.size, condition], [5, "waiting"]);
    assert.equal((await published.entries(5, 100)).condition, "waiting");
    await assert.rejects(published.proof(6), { message: "Log is not in the trail yet" });
    clock.advance(1);
    const { condition: last, pollAgeSeconds } = state();
    assert.deepEqual([last.kind, pollAgeSeconds], ["whole", 1]);
    resolve();
    const after = await published.head();
    assert.deepEqual([after.head.size, after.condition], [6, "whole"]);
    assert.equal(state().condition.kind, "whole");
  });

  test("costs one poll at a time, which all share that came before it began", async () => {
    const { published, trail } = await makeService(5);
    const { ledger } = trail;
    const { number } = ledger;
    let polls = 0;
    let most = 0;
    let underWay = 0;
    ledger.number = async (...given) => {
      polls += 1;
      underWay += 1;
      most = Math.max(most, underWay);
      await null;
      underWay -= 1;
      return number(...given);
    };
    await Promise.all(range(0, 1_000).map(() => published.head()));
    assert.deepEqual([polls, most], [1, 1]);
    const first = published.head();
    await until(() => polls === 2);
    await Promise.all([first, ...range(0, 1_000).map(() => published.head())]);
    assert.deepEqual([polls, most], [3, 1]);
  });
});

test("a record that was removed is named wherever its entry is asked for", async () => {
  const { published, records, trail } = await makeService(600);
  records.log.splice(299, 1);
  const removed = gone("Entry 299 of the trail was removed");
  const bundle = async (path: string) => {
    for await (const _ of await published.tile(path));
  };
  await assert.rejects(bundle("entries/001"), removed);
  await assert.rejects(published.proof(300), gone("Log 300, entry 299 of the trail, was removed"));
  const read = async (from: number) => {
    for await (const _ of (await published.entries(from, 100)).list);
  };
  await assert.rejects(read(200), removed);
  await bundle("entries/000");
  trail.stored.entries.splice(400, 1);
  await assert.rejects(published.tile("0/001"), gone("The stored trail is broken: entry 400 was removed"));
  await assert.rejects(read(400), gone("Entry 400 of the trail was removed"));
});
