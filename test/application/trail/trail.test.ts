import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { trailCrypto } from "../../../src/adapters/trail-crypto.ts";
import { acceptTrail } from "../../../src/application/trail/acceptance.ts";
import { allPartsOf, makeExamination } from "../../../src/application/trail/examination.ts";
import { makeGaps } from "../../../src/application/trail/gaps.ts";
import { makeSigning } from "../../../src/application/trail/signing.ts";
import type { FullTile } from "../../../src/application/trail/trail-repository.ts";
import { readTree, type Tree } from "../../../src/application/trail/tree.ts";
import { openCheckpoint } from "../../../src/domain/trail/checkpoint.ts";
import { toBase64 } from "../../../src/domain/trail/encoding.ts";
import { makeRecordingEventLog } from "../../fakes/recording-event-log.ts";
import {
  catchUp,
  hasher,
  key,
  logRecord,
  makeMemoryNote,
  makeTrailStage,
  range,
} from "../../support/trail-stage.ts";

describe("numbering", () => {
  test("gives each record one number, by any number of processes at once, and the trees agree", async () => {
    const { numbering, commit, trail, numberedIds, rootOf } = makeTrailStage();
    const processes = [numbering(), numbering(), numbering()];
    let next = 1;
    for (let round = 0; round < 30; round += 1) {
      const ids = range(next, next + 1 + ((round * 37) % 200));
      next += ids.length;
      commit(...ids);
      await Promise.all(processes.map(each => each.step()));
      await processes[round % 3]?.step();
    }
    for (const each of processes) await each.step();
    assert.deepEqual(
      [...numberedIds()].sort((a, b) => a - b),
      range(1, next),
    );
    for (const each of processes) assert.equal(toBase64((each.tree() as Tree).root()), rootOf());
    for (const size of [0, 1, 255, 256, 257, 512, next - 1]) {
      assert.equal(toBase64((await readTree(trail, hasher, size)).root()), rootOf(size), String(size));
    }
  });

  test("finds a record whose id came late, at waits that double, also after a restart", async () => {
    const { numbering, commit, clock, numberedIds } = makeTrailStage();
    let each = numbering();
    commit(1, 2, 5, 6);
    await each.step();
    commit(4);
    clock.advance(1);
    await each.step();
    assert.deepEqual(numberedIds(), [1, 2, 5, 6, 4]);
    each = numbering();
    await each.step();
    for (let hour = 0; hour < 5; hour += 1) {
      clock.advance(3_600);
      await each.step();
    }
    commit(3);
    clock.advance(5 * 3_600);
    await each.step();
    assert.deepEqual(numberedIds(), [1, 2, 5, 6, 4, 3]);
  });

  test("finds a late record behind many newer ones, after the tree was read anew and after a restart", async () => {
    const { numbering, commit, clock, numberedIds } = makeTrailStage();
    let each = numbering();
    commit(...range(1, 3_000).filter(id => id !== 7 && id !== 8));
    for (let step = 0; step < 20; step += 1) await each.step();
    const before = each.tree();
    await each.reread();
    assert.notEqual(each.tree()?.lineage, before?.lineage);
    commit(7);
    clock.advance(1);
    await each.step();
    assert.equal(numberedIds().at(-1), 7);
    each = numbering();
    await each.step();
    commit(8);
    clock.advance(1);
    await each.step();
    assert.equal(numberedIds().at(-1), 8);
    assert.equal(new Set(numberedIds()).size, 2_999);
  });

  test("lets others have their turn after 128 entries, both of its own and of another process", async () => {
    const { numbering, commit, trail } = makeTrailStage();
    const sizes: number[] = [];
    const counting = () => {
      let turns = 0;
      const each = numbering(trail, async () => {
        turns += 1;
      });
      return { each, turns: () => turns };
    };
    const [one, other] = [counting(), counting()];
    await other.each.step();
    commit(...range(1, 1_500));
    for (let step = 0; step < 2; step += 1) sizes.push((await one.each.step()).records);
    assert.deepEqual(sizes, [1_499, 0]);
    // Each turn but the first begins with an interruption.
    assert.equal(one.turns(), 11);
    await other.each.step();
    assert.ok(other.turns() >= 11, String(other.turns()));
  });

  test("numbers what comes after a record with an id that was not given out, also after a restart", async () => {
    const { numbering, commit, given, records, numberedIds } = makeTrailStage();
    const ahead = 1_000_000;
    const [one, other] = [numbering(), numbering()];
    let last = 0;
    const write = () => {
      last += 1;
      given.log = last;
      commit(last);
    };
    const stepAll = async () => {
      for (const each of [one, other, numbering()]) await each.step();
    };
    write();
    commit(5, ahead);
    await stepAll();
    write();
    await stepAll();
    assert.deepEqual(numberedIds(), [1, 2]);
    // What the background reading finds.
    const found = records.log.filter(({ recordId }) => recordId === 5 || recordId === ahead);
    assert.deepEqual(await other.add("log", found), found);
    for (let more = 0; more < 4; more += 1) {
      if (last + 1 === 5) last += 1;
      write();
      await stepAll();
    }
    assert.deepEqual(numberedIds(), [1, 2, 5, ahead, 3, 4, 6, 7]);
    given.log = ahead + 1;
    commit(ahead + 1);
    await stepAll();
    assert.deepEqual(numberedIds(), [1, 2, 5, ahead, 3, 4, 6, 7, ahead + 1]);
  });

  test("leaves a new record to the next step, rather than to the background reading", async () => {
    const { numbering, commit, records } = makeTrailStage();
    const each = numbering();
    commit(1);
    await each.step();
    commit(2);
    assert.deepEqual(await each.add("log", records.log), []);
  });

  test("numbers the records before an entry that somebody has put ahead", async () => {
    const { numbering, commit, given, trail, numberedIds } = makeTrailStage();
    const forge = (recordId: number) =>
      trail.append(trail.stored.entries.length, [{ kind: "log", recordId, hash: new Uint8Array(32) }], []);
    const [one, other] = [numbering(), numbering()];
    given.log = 1;
    commit(1);
    await one.step();
    for (const id of [40, 1_000_000]) await forge(id);
    for (const id of [2, 3, 4]) {
      given.log = id;
      commit(id);
      for (const each of [one, other, numbering()]) await each.step();
    }
    assert.deepEqual(numberedIds(), [1, 40, 1_000_000, 2, 3, 4]);
    // While there is much to catch up with.
    given.log = 12_000;
    commit(...range(5, 12_001));
    await one.step();
    await forge(11_990);
    for (const each of [numbering(), one, other]) await catchUp(each);
    assert.deepEqual(
      [...numberedIds()].sort((a, b) => a - b),
      [...range(1, 12_001), 1_000_000],
    );
  });

  test("numbers on where the sequence was set ahead and back again", async () => {
    const { numbering, commit, given, numberedIds } = makeTrailStage();
    const each = numbering();
    given.log = 1_000_000;
    commit(1, 1_000_000);
    await each.step();
    given.log = 2;
    commit(2);
    await each.step();
    await each.step();
    assert.deepEqual(numberedIds(), [1, 1_000_000, 2]);
  });

  test("takes over what another process has numbered behind ids that were given out in vain", async () => {
    const { numbering, commit, numberedIds } = makeTrailStage();
    const [one, other] = [numbering(), numbering()];
    for (const id of [1, 30_000]) {
      commit(id);
      await one.step();
      assert.deepEqual(await other.step(), { records: 0, isMore: false });
    }
    assert.deepEqual(numberedIds(), [1, 30_000]);
  });

  test("finds a late record at once where thousands of ids before it were given out in vain", async () => {
    const { numbering, commit, clock, numberedIds } = makeTrailStage();
    const each = numbering();
    const other = numbering();
    commit(1);
    for (const one of [each, other]) await one.step();
    const isVain = (id: number) => (id < 2_000 && id % 2 === 0) || (id > 5_000 && id < 55_000);
    commit(...range(2, 55_101).filter(id => !isVain(id)));
    for (const one of [each, other]) await catchUp(one);
    const before = numberedIds().length;
    clock.advance(1);
    await each.step();
    for (const [id, one] of [
      [5_001, numbering()],
      [30_000, each],
      [54_998, numbering()],
      [4, each],
      [40_000, other],
    ] as const) {
      commit(id);
      for (let step = 0; step < 70; step += 1) {
        clock.advance(1);
        await one.step();
      }
      assert.equal(numberedIds().at(-1), id);
    }
    assert.equal(new Set(numberedIds()).size, before + 5);
  });

  test("looks for gaps once, not at each step, where the newest record was removed", async () => {
    const { numbering, commit, records, trail, numberedIds } = makeTrailStage();
    const looks: unknown[] = [];
    const { idsWithoutEntry } = trail;
    trail.idsWithoutEntry = (...asked) => {
      looks.push(asked);
      return idsWithoutEntry(...asked);
    };
    const each = numbering();
    commit(1, 2, 3);
    await each.step();
    records.log.pop();
    for (let step = 0; step < 5; step += 1) await each.step();
    // Of three kinds, at the start and when the record was gone.
    assert.equal(looks.length, 6);
    commit(4);
    await each.step();
    assert.deepEqual(numberedIds(), [1, 2, 3, 4]);
  });

  test("starts anew from what is stored when that is not what it knew", async () => {
    const { numbering, commit, trail, rootOf, numberedIds } = makeTrailStage();
    const [one, other] = [numbering(), numbering()];
    commit(...range(1, 300));
    await one.step();
    await other.step();
    trail.stored.entries = trail.stored.entries.slice(0, 100);
    trail.stored.tiles = [];
    commit(...range(300, 400));
    await other.step();
    await one.step();
    await one.step();
    assert.equal(toBase64((one.tree() as Tree).root()), rootOf());
    assert.deepEqual(
      [...new Set(numberedIds())].sort((a, b) => a - b),
      range(1, 400),
    );
  });

  test("grows by many tiles at once as it does entry by entry", async () => {
    const { trail } = makeTrailStage();
    const leaves = range(0, 70_000).map(at => hasher.leaf(Buffer.from(String(at))));
    const begun = (await readTree(trail, hasher, 0)).with(Buffer.concat(leaves.slice(0, 300))).tree;
    const atOnce = begun.with(Buffer.concat(leaves.slice(300)));
    let tree = begun;
    const tiles: FullTile[] = [];
    for (const leaf of leaves.slice(300)) {
      const grown = tree.with(leaf);
      tree = grown.tree;
      tiles.push(...grown.tiles);
    }
    assert.deepEqual(atOnce.tree.root(), tree.root());
    const inOrder = (all: readonly FullTile[]) =>
      [...all].sort((a, b) => a.level - b.level || a.index - b.index);
    assert.deepEqual(inOrder(atOnce.tiles), inOrder(tiles));
    assert.equal(tiles.filter(({ level }) => level === 1).length, 1);
  });

  test("refuses to go on where tiles are stored of entries that were removed", async () => {
    const { numbering, commit, trail } = makeTrailStage();
    commit(...range(1, 600));
    for (const each = numbering(); trail.stored.entries.length < 599; ) await each.step();
    trail.stored.entries = trail.stored.entries.slice(0, 300);
    await assert.rejects(numbering().step(), {
      name: "TrailError",
      message: "tile 0/001 has entries that were removed",
    });
  });

  test("gives no second number to a record whose entry was removed, neither at the start nor when it is reread", async () => {
    const { numbering, commit, records, trail } = makeTrailStage();
    commit(...range(1, 600));
    const lastHash = () => trail.stored.entries.at(-1)?.hash;
    // As in the database, where the end is that of the last run.
    const stored = {
      ...trail,
      end: async () => ({ ...(await trail.end()), size: 599, lastHash: lastHash() }),
      newest: async () => ({ ...(await trail.newest()), size: 599, lastHash: lastHash() }),
    };
    await numbering().step();
    const running = numbering(stored);
    await running.step();
    const removed = trail.stored.entries.splice(100, 50);
    const refused = { name: "TrailError", message: "entry 100 was removed" };
    await assert.rejects(running.add("log", records.log), refused);
    assert.equal(running.tree()?.size, 599);
    await assert.rejects(numbering(stored).step(), refused);
    trail.stored.entries.splice(100, 0, ...removed);
    assert.deepEqual(await running.add("log", records.log), []);
    await numbering().step();
    assert.equal(trail.stored.entries.length, 599);
  });

  test("numbers a transaction of many records, which ends after later ones, within twice its time", async () => {
    const { numbering, commit, clock, numberedIds } = makeTrailStage();
    const each = numbering();
    commit(1);
    await each.step();
    commit(4_002);
    await each.step();
    for (let second = 0; second < 20; second += 1) {
      clock.advance(1);
      await each.step();
    }
    commit(...range(2, 4_002));
    for (let second = 0; second < 40; second += 1) {
      clock.advance(1);
      await each.step();
    }
    assert.equal(new Set(numberedIds()).size, 4_002);
  });

  test("a gap is looked into again at waits that double, and no more when all of it is known", () => {
    const gaps = makeGaps(0, [], 0);
    const due = (now: number, limit = 10) => gaps.due(now, limit).map(({ first, last }) => [first, last]);
    gaps.note(1, 0);
    gaps.note(5, 0);
    assert.deepEqual([gaps.last, due(0), due(299)], [5, [[2, 4]], []]);
    const looked = gaps.due(300, 10);
    gaps.settle(looked, [3], false, 300);
    // Where something was found there may be more.
    assert.deepEqual(
      [due(300), due(899), due(900)],
      [
        [
          [2, 2],
          [4, 4],
        ],
        [],
        [
          [2, 2],
          [4, 4],
        ],
      ],
    );
    gaps.settle(gaps.due(3_000, 10), [2, 4], false, 3_000);
    assert.deepEqual(due(1_000_000), []);
  });

  test("gaps that were looked into in vain are due later, unless the look was cut short", () => {
    const gaps = makeGaps(0, [], 0);
    gaps.note(3, 0);
    gaps.settle(gaps.due(0, 10), [], false, 0);
    assert.deepEqual(gaps.due(0, 10), []);
    gaps.settle(gaps.due(300, 10), [], true, 300);
    assert.equal(gaps.due(300, 10).length, 1);
  });

  test("a million ids that were given out in vain are one gap, and the newest gaps come first", () => {
    const gaps = makeGaps(0, [], 0);
    const due = (now: number, limit: number) => gaps.due(now, limit).map(({ first }) => first);
    gaps.note(1_000_000, 0);
    assert.deepEqual(gaps.due(0, 10).length, 1);
    for (let at = 1; at <= 20_000; at += 1) gaps.note(1_000_000 + 2 * at, 300);
    assert.equal(gaps.last, 1_040_000);
    // The oldest are left to the background reading.
    assert.equal(gaps.due(300, 100_000).length, 10_000);
    gaps.note(1_040_002, 600);
    gaps.note(1_040_004, 600);
    assert.deepEqual(due(600, 2), [1_040_001, 1_040_003]);
    assert.equal(gaps.due(600, 100_000).length, 9_998);
  });

  test("a gap is given up when a look into it would be more than a day later", () => {
    const gaps = makeGaps(0, [], 0);
    gaps.note(2, 0);
    let looks = 0;
    for (let now = 0; now < 10 * 86_400_000; now += 60_000) looks += gaps.due(now, 10).length;
    assert.equal(looks, 19);
  });
});

describe("signing", () => {
  test("is not broken by another process that goes on numbering and signing meanwhile", async () => {
    const { start, commit, trail, events } = makeSigner();
    const [one, other] = [start(), start()];
    commit(1);
    await one.look();
    await other.look();
    const { lastCheckpoint } = trail;
    let next = 2;
    let isOthers = false;
    Object.assign(trail, {
      async lastCheckpoint() {
        if (isOthers) return lastCheckpoint();
        isOthers = true;
        commit(...range(next, next + 1_500));
        next += 1_500;
        for (let look = 0; look < 4; look += 1) await other.look();
        isOthers = false;
        return lastCheckpoint();
      },
    });
    commit(next);
    next += 1;
    await one.look();
    assert.deepEqual(
      events.recorded.filter(({ event }) => event === "trail broken"),
      [],
    );
    assert.ok((one.signing.newest()?.size ?? 0) > 3_000);
  });

  test("shows the last checkpoint of the database while what is remembered cannot be read", async () => {
    const { start, commit, setNote, events } = makeSigner();
    commit(...range(1, 8));
    const one = start();
    await one.look();
    await one.signing.close();
    for (const note of ["garbage\n", one.signing.newest()?.note?.replace("\n7\n", "\n6\n")]) {
      setNote(note);
      const other = start();
      await other.look();
      assert.equal(other.signing.newest()?.note, one.signing.newest()?.note);
    }
    assert.equal(events.recorded.filter(({ event }) => event === "trail broken").length, 2);
  });

  function makeSigner() {
    const stage = makeTrailStage();
    const memory = makeMemoryNote();
    const { remembered } = memory;
    const events = makeRecordingEventLog();
    const start = () => {
      const numbering = stage.numbering();
      const ports = { ...stage, hasher, ed25519: trailCrypto, key, remembered, events };
      const signing = makeSigning({ ...ports, numbering });
      const look = async (seconds = 1) => {
        stage.clock.advance(seconds);
        await numbering.step();
        await signing.sign();
      };
      return { signing, look };
    };
    return {
      ...stage,
      ...memory,
      events,
      start,
    };
  }

  test("signs what has grown, at most once a second, and remembers before it tells", async () => {
    const { start, commit, rootOf, note, trail, events } = makeSigner();
    const { signing, look } = start();
    await look();
    assert.equal(openCheckpoint(signing.newest()?.note ?? "", [key], trailCrypto).size, 0);
    commit(...range(1, 700));
    await look(0.1);
    assert.equal(signing.newest()?.size, 0);
    await look();
    await look();
    const { size, root } = openCheckpoint(note() ?? "", [key], trailCrypto);
    assert.deepEqual([size, toBase64(root), signing.newest()?.note], [699, rootOf(), note()]);
    await signing.close();
    assert.equal(trail.stored.checkpoints.at(-1)?.note, note());
    assert.deepEqual(
      events.recorded.map(({ event }) => event),
      ["checkpoint", "checkpoint"],
    );
  });

  for (const [what, tamper] of [
    [
      "an older dump",
      ({ trail, records }: ReturnType<typeof makeTrailStage>) => {
        trail.stored.entries.splice(400);
        records.log.splice(400);
      },
    ],
    [
      "a history that was rewritten consistently",
      ({ rewrite }: ReturnType<typeof makeTrailStage>) => rewrite(11),
    ],
  ] as const) {
    for (const restarted of [true, false]) {
      test(`signs nothing over ${what}${restarted ? ", after a restart" : ""}, until it is accepted`, async () => {
        const signer = makeSigner();
        const { start, commit, note, events, trail, remembered, clock } = signer;
        let { signing, look } = start();
        commit(...range(1, 600));
        await look();
        await look();
        const before = note();
        tamper(signer);
        trail.stored.tiles = trail.stored.tiles.filter(
          tile => (tile.index + 1) * 256 <= trail.stored.entries.length,
        );
        if (restarted || what !== "an older dump") ({ signing, look } = start());
        commit(...range(600, 610));
        for (let time = 0; time < 5; time += 1) await look(11);
        assert.equal(note(), before);
        assert.notEqual(signing.contradiction(), undefined);
        const told = events.recorded.filter(({ event }) => event === "trail broken");
        assert.equal(told.length, 1);
        assert.match(JSON.stringify(told), /TRAIL_STATE_FILE 599 /);

        await acceptTrail({ trail, hasher, ed25519: trailCrypto, remembered, key }, "restored");
        assert.equal(trail.stored.acceptances[0]?.refused?.size, 599);
        commit(...range(610, 620));
        for (let time = 0; time < 3; time += 1) await look(11);
        assert.equal(signing.contradiction(), undefined);
        assert.equal(openCheckpoint(note() ?? "", [key], trailCrypto).size, trail.stored.entries.length);
        assert.ok(clock.now());
      });
    }
  }

  test("signs no entry that a synchronous standby may not have", async () => {
    const { start, commit, note, trail, numbering } = makeSigner();
    const { signing, look } = start();
    commit(1);
    await numbering().step();
    trail.confirm = () => Promise.reject(new Error("the standby is silent"));
    await assert.rejects(look(), /silent/);
    assert.deepEqual([note(), signing.newest()], [undefined, undefined]);
    trail.confirm = async () => {};
    await look();
    assert.equal(signing.newest()?.size, 1);
    // The commit of what this process has numbered itself has waited for the standby.
    trail.confirm = () => assert.fail("nothing more to wait for");
    commit(2);
    await look();
    assert.equal(signing.newest()?.size, 2);
  });

  test("a note that cannot be read is a contradiction too", async () => {
    const { start, commit, setNote, events } = makeSigner();
    const { signing, look } = start();
    setNote("nonsense");
    commit(1);
    await look();
    assert.equal(signing.newest(), undefined);
    assert.deepEqual(
      events.recorded.map(({ event }) => event),
      ["trail broken"],
    );
  });
});

describe("the examination of all records", () => {
  async function examine(tamper: (stage: ReturnType<typeof makeTrailStage>) => void) {
    const stage = makeTrailStage();
    stage.commit(...range(1, 1_500).filter(id => id !== 77));
    const numbering = stage.numbering();
    for (let time = 0; time < 8; time += 1) await numbering.step();
    tamper(stage);
    const found: string[] = [];
    const examination = makeExamination({
      ...stage,
      hasher,
      pause: async () => {},
      takeLate: async (kind, records) =>
        void found.push(...records.map(({ recordId }) => `${kind} ${recordId} late`)),
    });
    for (const part of await allPartsOf(stage.trail)) {
      for await (const { kind, id, what } of examination.examine(part)) found.push(`${kind} ${id} ${what}`);
    }
    return found;
  }

  test("finds nothing where nothing is wrong", async () => assert.deepEqual(await examine(() => {}), []));

  test("names what was changed, removed, slipped in and cut off", async () => {
    const found = await examine(({ records, commit }) => {
      const at = (id: number) => records.log.findIndex(({ recordId }) => recordId === id);
      records.log[at(300)] = logRecord(300, "forged");
      [records.log[at(400)], records.log[at(401)]] = [logRecord(400, "log 401"), logRecord(401, "log 400")];
      records.log.splice(at(1_000), 1);
      records.log.splice(at(1_498), 2);
      commit(77);
    });
    assert.deepEqual(found.sort(), [
      "log 1000 removed",
      "log 1498 removed",
      "log 1499 removed",
      "log 300 changed",
      "log 400 changed",
      "log 401 changed",
      "log 77 late",
    ]);
  });

  test("names an id that no record can have once, and does not number it", async () => {
    const found = await examine(({ commit }) => commit(0));
    assert.deepEqual(found, ["log 0 has an id that no record can have"]);
  });

  test("names a record that has two numbers, and a tile that is not the root of its hashes", async () => {
    const found = await examine(({ trail }) => {
      const [entry] = trail.stored.entries;
      if (entry !== undefined) trail.stored.entries.push({ ...entry, index: trail.stored.entries.length });
      const third = trail.stored.entries[600];
      if (third !== undefined) trail.stored.entries[600] = { ...third, hash: new Uint8Array(32) };
    });
    assert.deepEqual(found.sort(), [
      "log 1 numbered twice",
      "log 602 changed",
      "tile 2 is not the root of its hashes",
    ]);
  });
});
