import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openCheckpoint } from "../../../../src/domain/trail/checkpoint.ts";
import { provenLog } from "../../../../src/domain/trail/comparison.ts";
import { leafHash, makeFrontier } from "../../../../src/domain/trail/merkle.ts";
import { readProof } from "../../../../src/domain/trail/proof.ts";
import {
  accept,
  key,
  logRecord,
  makeMemoryNote,
  makeTrailOn,
  makeTrailStage,
  range,
} from "../../../support/trail-stage.ts";
import { deferred, until } from "../../../support/until.ts";

function makeService() {
  const stage = makeTrailStage();
  const { trail, clock, commit } = stage;
  const { stateFile } = makeMemoryNote();
  const open = () => makeTrailOn(stage, { stateFile });
  const service = open();
  let size = 0;
  return {
    ...stage,
    service,
    /** Another process on the same database. */
    open,
    stateFile,
    /** Logs are written until there are so many, and all are signed. */
    async grow(to: number) {
      for (; size < to; size = Math.min(to, size + 10_000))
        commit(...range(size + 1, Math.min(to, size + 10_000) + 1));
      do {
        clock.advance(11);
        await service.poll();
      } while (service.state().checkpointSize < to);
    },
    async assertProven(id: number) {
      const proof = readProof(await service.published.proof(id));
      const checkpoint = openCheckpoint(proof.checkpoint, [key]);
      assert.equal(checkpoint.size, trail.stored.entries.length);
      assert.equal(provenLog(proof, checkpoint).id, id);
    },
  };
}

test("each log has a proof that holds, at every form of the tree's right edge", async () => {
  const { grow, assertProven } = makeService();
  for (const size of [1, 2, 3, 7, 16, 17, 255, 256, 257, 300, 511, 512, 513, 768, 1_000]) {
    await grow(size);
    const step = Math.max(1, Math.floor(size / 40));
    for (let id = size; id >= 1; id -= step) await assertProven(id);
    // What is kept since the first time gives the same.
    await assertProven(size);
    await assertProven(1);
  }
});

test("each log has a proof that holds when there are full tiles of both levels", async () => {
  const { grow, assertProven, trail, records } = makeService();
  const size = 256 * 256 + 300;
  const tree = makeFrontier(undefined, (node, hash) => {
    if (node.level % 4 === 0) trail.stored.nodes.push({ ...node, hash });
  });
  for (const id of range(1, size + 1)) {
    const record = logRecord(id);
    const hash = leafHash(record.entry);
    records.log.push(record);
    trail.stored.entries.push({ kind: "log", recordId: id, index: id - 1, hash });
    tree.append(hash);
  }
  await grow(0);
  for (const id of [1, 15, 256, 257, 65_000, 65_536, 65_537, 65_792, 65_793, 65_836]) await assertProven(id);
  // What a process has left out is computed.
  trail.stored.nodes = trail.stored.nodes.filter(({ level, index }) => level === 8 && index !== 255);
  for (const id of [2, 257, 65_280, 65_281, 65_836]) await assertProven(id);
});

test("a tile that the checkpoint of another process covers is there, and one past all entries is not", async () => {
  const { grow, service, commit, numbering } = makeService();
  await grow(300);
  commit(...range(301, 401));
  await numbering().poll();
  assert.equal(service.state().checkpointSize, 300);
  const tile = (await service.published.tile("0/001.p/144")) as Uint8Array;
  assert.equal(tile.length, 144 * 32);
  await assert.rejects(service.published.tile("0/001.p/145"), { code: "NOT_FOUND" });
});

test("no proof is given from a stored hash that is not the one that was signed", async () => {
  const { grow, service, trail, assertProven } = makeService();
  await grow(600);
  const [first = assert.fail()] = trail.stored.nodes;
  trail.stored.nodes[0] = { ...first, hash: new Uint8Array(32) };
  await assert.rejects(service.published.proof(30), { code: "GONE" });
  trail.stored.nodes[0] = first;
  await assertProven(300);
});

test("logs have proofs again after another history was accepted, also those of tiles that were known before", async () => {
  const made = makeService();
  const { grow, assertProven, service, clock, commit, records, trail } = made;
  await grow(600);
  await assertProven(300);
  trail.stored.entries.splice(400);
  records.log.splice(400);
  trail.stored.nodes = trail.stored.nodes.filter(({ level, index }) => (index + 1) * 2 ** level <= 400);
  commit(...range(601, 800));
  const poll = async () => {
    clock.advance(11);
    await service.poll();
  };
  for (let time = 0; time < 5; time += 1) await poll();
  assert.equal(service.state().condition.kind, "contradicted");
  await accept(made, "restored", 1);
  commit(...range(800, 810));
  for (let time = 0; time < 3; time += 1) await poll();
  for (const id of [1, 300, 601, 809]) await assertProven(id);
});

/** A service that has signed 600 logs, of which a test then changes what is stored. */
async function makeSignedService() {
  const stage = makeTrailStage();
  const memory = makeMemoryNote();
  const start = () => makeTrailOn(stage, memory);
  const service = start();
  stage.commit(...range(1, 601));
  const poll = async (trail = service, times = 4) => {
    for (let time = 0; time < times; time += 1) {
      stage.clock.advance(11);
      await trail.poll();
    }
  };
  await poll();
  const broken = () => stage.told("trail broken");
  return { ...stage, ...memory, service, start, poll, broken };
}

test("a log that has its number, and cannot be signed yet, has no proof yet: that is no tampering", async () => {
  const { service, commit, numbering, told, trail } = await makeSignedService();
  commit(601);
  await numbering().poll();
  trail.checkpoints.confirm = () => Promise.reject(new Error("the standby is silent"));
  await assert.rejects(service.published.proof(601), {
    code: "NOT_FOUND",
    message: "Log is not in the trail yet",
  });
  assert.deepEqual(told("trail mismatch"), []);
});

const gone = (message: string) => ({ name: "DomainError", code: "GONE", message });

describe("a trail that was rewritten under the process", () => {
  test("gives no proof that does not hold, and signs nothing any more", async () => {
    const { service, rewrite, poll, commit, note, broken, told } = await makeSignedService();
    const signed = note();
    await service.published.proof(11);
    rewrite(11);
    for (const id of [11, 12, 16]) {
      await assert.rejects(
        service.published.proof(id),
        gone(`Log ${id}, entry ${id - 1} of the trail, is not what was signed`),
      );
    }
    assert.equal(told("trail mismatch").length, 3);
    commit(601, 602);
    await poll();
    assert.equal(note(), signed);
    assert.equal(service.checkpoint(), signed);
    assert.equal(broken().length, 1);
    assert.match(JSON.stringify(broken()), /TRAIL_STATE_FILE 600 /);
  });

  test("has a state with the size and age of what was signed, before and after", async () => {
    const { service, clock, rewrite } = await makeSignedService();
    const { checkpointAgeSeconds: age = Number.NaN, ...state } = service.state();
    assert.deepEqual(state, {
      size: 600,
      isSigned: true,
      checkpointSize: 600,
      condition: { kind: "whole", since: state.condition.since, why: "" },
      pollAgeSeconds: 0,
      waitingRecords: 0,
      transactionWaitSeconds: 0,
    });
    clock.advance(7);
    assert.equal(service.state().checkpointAgeSeconds, age + 7);
    rewrite(11);
    await assert.rejects(service.published.proof(11));
    assert.equal(service.state().checkpointSize, 600);
  });

  test("shows no checkpoint and no proof after a restart that it cannot sign, and the entries that are there", async () => {
    const { start, rewrite, poll, note, broken, trail } = await makeSignedService();
    const signed = note();
    rewrite(11);
    for (const damage of [
      () => {},
      () => trail.stored.nodes.splice(0),
      () => trail.stored.entries.splice(300),
    ]) {
      damage();
      const restarted = start();
      await poll(restarted);
      await assert.rejects(restarted.published.checkpoint(), { code: "NOT_FOUND" });
      assert.equal(restarted.state().condition.kind, "contradicted");
      await assert.rejects(restarted.published.proof(12), { code: "NOT_FOUND" });
      const { next, condition } = await restarted.published.entries(0, 1_000);
      assert.deepEqual([next.from, condition], [trail.stored.entries.length, "contradicted"]);
    }
    assert.deepEqual([broken().length, note()], [3, signed]);
  });
});

test("entries end where those of any process end, and a client that is past the end hears of it", async () => {
  const { grow, commit, service, open } = makeService();
  await grow(5);
  // It has not polled yet.
  const behind = open();
  for (const { published } of [service, behind]) {
    assert.equal((await published.entries(5, 100)).next.from, 5);
    for (const from of [6, 500]) {
      const refusal = { code: "NOT_FOUND", message: "The trail has 5 entries" };
      await assert.rejects(published.entries(from, 100), refusal);
    }
    assert.equal((await published.entries(3, 100)).next.from, 5);
  }
  // One that another process has added since the last poll.
  commit(6);
  await open().poll();
  assert.equal((await service.published.entries(3, 100)).next.from, 6);
});

test("a link is not followed into another history, however long that is", async () => {
  const { grow, service, rewrite } = makeService();
  await grow(20);
  const { published } = service;
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
    const { open, commit } = makeService();
    const services = [open(), open(), open()];
    let size = -1;
    for (let id = 1; id <= 60; id += 1) {
      if (id % 4 !== 0) commit(id);
      const { published } = services[(id * 7) % 3] ?? assert.fail();
      const { head } = await published.head();
      assert.ok(head.size >= size, `${head.size} after ${size}`);
      size = head.size;
      const { published: other } = services[(id * 7 + 1) % 3] ?? assert.fail();
      const { next } = await other.entries(size, 100);
      assert.ok(next.from >= size);
      if (id % 4 !== 0) await other.proof(id);
    }
    assert.equal(size, 45);
  });

  test("is answered from the last poll, and is waiting, where a poll does not end", async () => {
    const { grow, service, commit, clock, trail } = makeService();
    await grow(5);
    commit(6);
    const { ledger } = trail;
    const { number } = ledger;
    const { promise, resolve } = deferred();
    ledger.number = async (...given) => promise.then(() => number(...given));
    const { published } = service;
    const { head, condition } = await published.head();
    assert.deepEqual([head.size, condition], [5, "waiting"]);
    assert.equal((await published.entries(5, 100)).condition, "waiting");
    await assert.rejects(published.proof(6), { message: "Log is not in the trail yet" });
    clock.advance(1);
    const { condition: last, pollAgeSeconds } = service.state();
    assert.deepEqual([last.kind, pollAgeSeconds], ["whole", 1]);
    resolve();
    const after = await published.head();
    assert.deepEqual([after.head.size, after.condition], [6, "whole"]);
    assert.equal(service.state().condition.kind, "whole");
  });

  test("costs one poll at a time, which all share that came before it began", async () => {
    const { grow, service, trail } = makeService();
    await grow(5);
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
    await Promise.all(range(0, 1_000).map(() => service.published.head()));
    assert.deepEqual([polls, most], [1, 1]);
    const first = service.published.head();
    await until(() => polls === 2);
    await Promise.all([first, ...range(0, 1_000).map(() => service.published.head())]);
    assert.deepEqual([polls, most], [3, 1]);
  });
});

describe("a record that was removed", () => {
  test("is named wherever its entry is asked for", async () => {
    const { service, records, trail } = await makeSignedService();
    const { published } = service;
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
});
