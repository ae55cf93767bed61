import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Numbering } from "../../../../src/application/trail/numbering.ts";
import { windowSize } from "../../../../src/application/trail/ports.ts";
import { toBase64 } from "../../../../src/domain/trail/encoding.ts";
import { leafHash } from "../../../../src/domain/trail/merkle.ts";
import { allIds, logRecord, makeTrailStage, range } from "../../../support/trail-stage.ts";

type Stage = ReturnType<typeof makeTrailStage>;

/** Polls of a process, a second after each other. */
async function poll({ clock }: Stage, numbering: ReturnType<Stage["numbering"]>, times = 1): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    clock.advance(1);
    await numbering.poll();
  }
}

/** A process that has polled often enough for all that was there to be settled. */
async function settled(stage: Stage) {
  const each = stage.numbering();
  await poll(stage, each, 8);
  return each;
}

/** The ids above which logs were searched for. */
function watchLooks({ trail }: Stage): number[] {
  const polls: number[] = [];
  const { number } = trail.ledger;
  trail.ledger.number = (end, ids, limit) => {
    polls.push(ids.above.log);
    return number(end, ids, limit);
  };
  return polls;
}

describe("numbering", () => {
  test("goes on with the ids after those of the batch before", async () => {
    const stage = makeTrailStage();
    stage.commit(...range(1, 9_001));
    const polls = watchLooks(stage);
    await poll(stage, stage.numbering());
    // What is new comes before each batch.
    assert.deepEqual(polls, [9_000, 0, 9_000, 4_000, 9_000, 8_000]);
  });

  test("has more to do where other processes were first each time", async () => {
    const stage = makeTrailStage();
    const each = await settled(stage);
    const { number } = stage.trail.ledger;
    stage.trail.ledger.number = async (end, ids, limit) => {
      stage.commit(end.size + 1);
      await number(end, ids, limit);
      return undefined;
    };
    assert.equal(await each.step(), true);
  });

  test("grows by many tiles at once as it does entry by entry", async () => {
    const [many, single] = [makeTrailStage(), makeTrailStage()];
    many.commit(...range(1, 601));
    await many.numbering().poll();
    const each = single.numbering();
    for (const id of range(1, 601)) {
      single.commit(id);
      if (id % 25 === 0) await each.poll();
    }
    assert.equal(many.trail.stored.nodes.length, 37 + 2);
    assert.deepEqual(many.trail.stored.nodes, single.trail.stored.nodes);
    assert.equal(many.rootOf(), single.rootOf());
  });

  test("counts the second within which a transaction takes its own id from the end of the statement that found the ids", async () => {
    const stage = makeTrailStage();
    const { transactions } = stage.trail;
    stage.given.log = 0;
    const each = await settled(stage);
    const { horizon } = stage.trail.records;
    stage.trail.records.horizon = async needsXid => {
      // The statement waits, and meanwhile a transaction is given id 1.
      stage.trail.records.horizon = horizon;
      stage.clock.advance(0.9);
      stage.given.log = 1;
      return horizon(needsXid);
    };
    await poll(stage, each);
    stage.clock.advance(0.2);
    await each.poll();
    // Within a second of its id.
    transactions.open.add(transactions.next);
    transactions.next += 1;
    await poll(stage, each, 4);
    stage.commit(1);
    transactions.open.clear();
    await poll(stage, each, 2);
    assert.deepEqual(stage.numberedIds(), [1]);
  });

  test("goes over the ids of the last seconds only, and over all of them until they are settled at the start and once a day", async () => {
    const stage = makeTrailStage();
    stage.commit(...range(1, 101));
    const polls = watchLooks(stage);
    const each = await settled(stage);
    assert.deepEqual(polls, [100, 0, 100, 100, 0, 100, 100, 100, 100, 100]);
    polls.length = 0;
    stage.commit(101, 102);
    await poll(stage, each, 6);
    assert.deepEqual(polls, [100, 100, 100, 102, 102, 102]);
    polls.length = 0;
    stage.clock.advance(86_400);
    await poll(stage, each, 4);
    assert.deepEqual(polls, [102, 0, 102, 102, 102]);
  });

  test("numbers records that were put below settled ids within a day, and says so with each statement that numbers some", async () => {
    const stage = makeTrailStage();
    stage.commit(10_001, 10_002);
    const each = await settled(stage);
    stage.commit(...range(1, 4_501));
    await poll(stage, each, 20);
    assert.deepEqual(stage.numberedIds(), [10_001, 10_002]);
    stage.clock.advance(86_400);
    await poll(stage, each, 20);
    assert.equal(stage.numberedIds().length, 4_502);
    const late = [
      { records: 4_000, entry: 2 },
      { records: 500, entry: 4_002 },
    ];
    assert.deepEqual(stage.told("trail late"), late);
  });

  test("numbers what comes after a record with an id that was not given out, also after a restart, and calls it not late", async () => {
    const stage = makeTrailStage();
    stage.given.log = 2;
    stage.commit(1, 2, 1_000_000);
    let each = await settled(stage);
    for (const id of [3, 4]) {
      stage.given.log = id;
      stage.commit(id);
      await poll(stage, each);
      each = stage.numbering();
    }
    assert.deepEqual(stage.numberedIds(), [1_000_000, 1, 2, 3, 4]);
    assert.deepEqual(stage.told("trail late"), []);
  });

  test("fails where the trail takes no entries, and goes on when it does", async () => {
    const stage = makeTrailStage();
    const each = await settled(stage);
    const { number } = stage.trail.ledger;
    stage.trail.ledger.number = async () => undefined;
    stage.commit(1);
    await assert.rejects(poll(stage, each), /takes no entries/);
    stage.trail.ledger.number = number;
    await poll(stage, each);
    assert.deepEqual(stage.numberedIds(), [1]);
  });

  test("keeps nothing of the ids of a server that was replaced in the middle of a pass", async () => {
    const stage = makeTrailStage();
    const { records, trail } = stage;
    stage.commit(...range(1, 103));
    stage.given.log = 102;
    const each = await settled(stage);
    const { window } = trail.records;
    trail.records.window = (...asked) => {
      trail.records.window = window;
      // The new primary lacks the last two logs, and has given their ids to a transaction that is open. What has come since is
      // numbered by another process.
      records.log.splice(100);
      trail.stored.entries.splice(100);
      stage.commit(103, 104, 105);
      for (const recordId of [103, 104, 105])
        trail.stored.entries.push({
          kind: "log",
          recordId,
          index: recordId - 3,
          hash: leafHash(logRecord(recordId).entry),
        });
      trail.transactions.server = "another";
      trail.transactions.open.add(trail.transactions.next);
      trail.transactions.next += 1;
      stage.given.log = 105;
      return window(...asked);
    };
    stage.clock.advance(86_400);
    await poll(stage, each, 8);
    stage.commit(101, 102);
    trail.transactions.open.clear();
    await poll(stage, each, 8);
    assert.deepEqual(stage.numberedIds(), [...range(1, 101), 103, 104, 105, 101, 102]);
  });

  test("goes over all ids in windows, of which there are no more than records, however far apart their ids are", async () => {
    const stage = makeTrailStage();
    const { number, firstMissing } = stage.trail.ledger;
    const windows: [number, number][] = [];
    const searched: number[] = [];
    stage.trail.ledger.number = (size, ids, limit) => {
      windows.push([ids.above.log, ids.upTo.log]);
      return number(size, ids, limit);
    };
    stage.trail.ledger.firstMissing = (from, to) => {
      searched.push(to - from);
      return firstMissing(from, to);
    };
    const last = 100_000 * windowSize;
    stage.commit(1, windowSize, windowSize + 2, last);
    stage.given.log = last;
    await stage.numbering().poll();
    const isOfPass = ([above]: readonly number[]) => above !== last;
    const pass = [
      [0, windowSize],
      [windowSize, 2 * windowSize + 1],
      [2 * windowSize + 1, last],
    ];
    assert.deepEqual(windows.filter(isOfPass), pass);
    assert.deepEqual(stage.numberedIds(), [1, windowSize, windowSize + 2, last]);
    windows.length = 0;
    const restarted = stage.numbering();
    await poll(stage, restarted, 8);
    assert.deepEqual(windows.filter(isOfPass), [...pass, ...pass]);
    assert.ok(searched.every(entries => entries <= windowSize));
    windows.length = 0;
    await poll(stage, restarted);
    assert.deepEqual(windows, [[last, allIds.upTo.log]]);
  });

  test("numbers what is new at each step of a pass", async () => {
    const stage = makeTrailStage();
    const each = new Numbering({ ...stage, ...stage.trail });
    const last = 3 * windowSize;
    stage.commit(1, 2 * windowSize, last);
    for (let id = last + 1; await each.step(); id += 1) {
      stage.commit(id);
      assert.equal(await each.step(), true);
      assert.ok(stage.numberedIds().includes(id));
      if (id === last + 1) assert.ok(!stage.numberedIds().includes(last));
    }
    assert.equal(stage.numberedIds().length, stage.records.log.length);
  });

  test("reports a record that is too long for the trail once in ten minutes", async () => {
    const stage = makeTrailStage();
    stage.records.log.push(logRecord(1, "x".repeat(70_000)));
    stage.given.log = 0;
    const each = stage.numbering();
    await poll(stage, each, 500);
    assert.deepEqual(stage.told("record too long for the trail"), [{ record: "log 1" }]);
    await poll(stage, each, 200);
    assert.equal(stage.told("record too long for the trail").length, 2);
  });

  test("measures its times by a clock that nobody can set", async () => {
    const stage = makeTrailStage();
    stage.commit(1);
    const each = await settled(stage);
    const polls = watchLooks(stage);
    stage.clock.set("2099-01-01T00:00:00Z");
    await poll(stage, each);
    stage.clock.set("2001-01-01T00:00:00Z");
    await poll(stage, each);
    assert.deepEqual(polls, [1, 1]);
  });

  test("starts anew from what is stored when that is not what it knew", async () => {
    const stage = makeTrailStage();
    stage.commit(...range(1, 301));
    const each = await settled(stage);
    stage.trail.stored.entries.splice(200);
    stage.trail.stored.nodes.length = 0;
    stage.records.log.splice(150, 100);
    await poll(stage, each, 2);
    assert.equal(toBase64(each.tree()?.root ?? assert.fail()), stage.rootOf());
    const last = stage.trail.stored.entries.pop() ?? assert.fail();
    stage.trail.stored.entries.push({ ...last, hash: new Uint8Array(32) });
    await poll(stage, each, 2);
    assert.equal(toBase64(each.tree()?.root ?? assert.fail()), stage.rootOf());
  });

  test("gives no second number to a record whose entry was removed, and goes on when it is back", async () => {
    for (const isNew of [true, false]) {
      for (const at of [298, 0]) {
        const stage = makeTrailStage();
        const { trail, commit, numbering, numberedIds } = stage;
        commit(...range(1, 301));
        let each = await settled(stage);
        const [removed = assert.fail()] = trail.stored.entries.splice(at, 1);
        if (isNew) each = numbering();
        else stage.clock.advance(86_400);
        commit(301);
        // A process that starts reads the last tile first.
        const message = isNew && at === 298 ? "entry 298 was removed" : `entry ${at} was removed`;
        await assert.rejects(poll(stage, each), { name: "TrailError", message });
        // Only what is new has a number.
        assert.deepEqual(new Set(numberedIds()).size, trail.stored.entries.length);
        assert.ok(!numberedIds().includes(removed.recordId));
        trail.stored.entries.splice(at, 0, removed);
        await poll(stage, each, 2);
        assert.deepEqual(
          [...trail.stored.entries].sort((a, b) => a.index - b.index).map(({ recordId }) => recordId),
          range(1, 302),
        );
      }
    }
  });
});
