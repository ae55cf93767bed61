import assert from "node:assert/strict";
import { describe, mock, test } from "node:test";
import { TrailObstacleError } from "../../../../src/application/trail/condition.ts";
import { acceptTrail } from "../../../../src/application/trail/signing.ts";
import { openAcceptance, signAcceptance } from "../../../../src/domain/trail/acceptance.ts";
import { openCheckpoint, readCheckpoint } from "../../../../src/domain/trail/checkpoint.ts";
import { toBase64 } from "../../../../src/domain/trail/encoding.ts";
import { leafHash } from "../../../../src/domain/trail/merkle.ts";
import { makeSignerKey } from "../../../../src/domain/trail/note.ts";
import type { MemoryTrail } from "../../../fakes/memory-trail.ts";
import {
  accept,
  key,
  logRecord,
  makeMemoryNote,
  makeTrailOn,
  makeTrailStage,
  range,
} from "../../../support/trail-stage.ts";

/** Of the head that the first acceptance gives up. */
const refusedSize = (trail: MemoryTrail) =>
  openAcceptance(trail.stored.acceptances[0] ?? "", [key]).refused?.size;

describe("signing", () => {
  test("is not broken by another process that goes on numbering and signing meanwhile", async () => {
    const { start, commit, trail, told } = makeSigner();
    const [one, other] = [start(), start()];
    commit(1);
    await one.poll();
    await other.poll();
    const { newest } = trail.checkpoints;
    let next = 2;
    let isOthers = false;
    Object.assign(trail.checkpoints, {
      async newest(most: number) {
        if (isOthers) return newest(most);
        isOthers = true;
        commit(...range(next, next + 1_500));
        next += 1_500;
        for (let poll = 0; poll < 4; poll += 1) await other.poll();
        isOthers = false;
        return newest(most);
      },
    });
    commit(next);
    next += 1;
    await one.poll();
    assert.deepEqual(told("trail broken"), []);
    assert.ok((one.signing.newest()?.size ?? 0) > 1_500);
  });

  test("signs nothing while what is remembered cannot be read, or was never signed", async () => {
    const { start, commit, setNote, told } = makeSigner();
    commit(...range(1, 8));
    const one = start();
    await one.poll();
    await one.signing.close();
    for (const note of ["garbage\n", one.signing.newest()?.note?.replace("\n7\n", "\n6\n")]) {
      setNote(note);
      const other = start();
      await other.poll();
      assert.equal(other.signing.newest(), undefined);
    }
    assert.equal(told("trail broken").length, 2);
  });

  test("signs nothing over a checkpoint in the database that says nothing, until the operator accepts that", async () => {
    const { start, commit, events, trail, stateFile } = makeSigner();
    commit(1);
    const { signing, poll } = start();
    trail.stored.checkpoints.push("");
    await poll();
    assert.equal(signing.newest(), undefined);
    assert.match(
      String(events.recorded.at(-1)?.details?.["contradicts"]),
      /^database has no checkpoint: put back/,
    );
    const ports = { ...trail, stateFile, key };
    const acceptance = await acceptTrail(ports, { reason: "restored", givesUp: 0 });
    const [stored = ""] = trail.stored.acceptances;
    for (const { refused, accepted, reason } of [openAcceptance(stored, [key]), acceptance ?? assert.fail()])
      assert.deepEqual([refused, accepted.size, reason], [undefined, 1, "restored"]);
    await poll(11);
    assert.equal(signing.newest()?.size, 1);
    assert.equal(await acceptTrail(ports, { reason: "again", givesUp: 0 }), undefined);
  });

  test("records the head that was signed where one of its two places says nothing", async () => {
    for (const isFileBroken of [false, true]) {
      const { start, commit, setNote, trail, stateFile } = makeSigner();
      commit(1, 2);
      const { signing, poll } = start();
      await poll();
      await signing.close();
      if (isFileBroken) setNote("garbage\n");
      else trail.stored.checkpoints.push("garbage\n");
      await accept({ trail, stateFile });
      assert.equal(refusedSize(trail), 2);
    }
  });

  function makeSigner() {
    const stage = makeTrailStage();
    const memory = makeMemoryNote();
    const start = (hasStateFile = true) => {
      // For ever before the end of the stop.
      const pause = () => new Promise(() => {});
      const stateFile = hasStateFile ? memory.stateFile : undefined;
      const trail = makeTrailOn(stage, { stateFile, pause });
      const signing = {
        newest() {
          const note = trail.checkpoint();
          return note === undefined ? undefined : { note, size: trail.state().checkpointSize };
        },
        contradiction() {
          const { kind, why } = trail.state().condition;
          return kind === "whole" ? undefined : why;
        },
        close: trail.stop,
      };
      const poll = async (seconds = 1) => {
        stage.clock.advance(seconds);
        return trail.poll();
      };
      return { signing, poll };
    };
    return { ...stage, ...memory, start };
  }

  test("signs what has grown, and remembers before it tells", async () => {
    const { start, commit, rootOf, note, trail, events } = makeSigner();
    const { signing, poll } = start();
    await poll();
    assert.equal(openCheckpoint(signing.newest()?.note ?? "", [key]).size, 0);
    commit(...range(1, 5_000));
    assert.equal(await poll(0.5), 20);
    assert.equal(openCheckpoint(note() ?? "", [key]).size, 4_000);
    assert.equal(await poll(0.1), 1_000);
    const { size, root } = openCheckpoint(note() ?? "", [key]);
    assert.deepEqual([size, toBase64(root), signing.newest()?.note], [4_999, rootOf(), note()]);
    await signing.close();
    assert.equal(trail.stored.checkpoints.at(-1), note());
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
        const { start, commit, note, trail, stateFile, told } = signer;
        let { signing, poll } = start();
        commit(...range(1, 600));
        await poll();
        await poll();
        const before = note();
        tamper(signer);
        trail.stored.nodes = trail.stored.nodes.filter(
          ({ level, index }) => (index + 1) * 2 ** level <= trail.stored.entries.length,
        );
        if (restarted || what !== "an older dump") ({ signing, poll } = start());
        commit(...range(600, 610));
        for (let time = 0; time < 5; time += 1) await poll(11);
        assert.equal(note(), before);
        assert.notEqual(signing.contradiction(), undefined);
        assert.equal(told("trail broken").length, 1);
        assert.match(JSON.stringify(told("trail broken")), /TRAIL_STATE_FILE 599 /);

        await accept({ trail, stateFile }, "restored", what === "an older dump" ? 189 : 0);
        assert.equal(refusedSize(trail), 599);
        commit(...range(610, 620));
        for (let time = 0; time < 3; time += 1) await poll(11);
        assert.equal(signing.contradiction(), undefined);
        assert.equal(openCheckpoint(note() ?? "", [key]).size, trail.stored.entries.length);
        assert.equal(told("trail whole again").length, 1);
      });
    }
  }

  test("goes on in each process that remembers the head that an acceptance of its own key gives up, and in no other", async () => {
    const stage = makeTrailStage();
    const { trail, records, clock, commit, told } = stage;
    const files = [makeMemoryNote(), makeMemoryNote(), makeMemoryNote()] as const;
    const [first, second, behind] = files;
    const make = ({ stateFile }: Pick<(typeof files)[0], "stateFile">) => {
      const made = makeTrailOn(stage, { stateFile });
      const poll = async () => {
        clock.advance(11);
        await made.poll();
        return made.state().condition.kind;
      };
      return { poll, size: () => made.state().checkpointSize };
    };
    commit(...range(1, 500));
    await make(behind).poll();
    for (const { setNote } of [first, second]) setNote(behind.note());
    commit(...range(500, 601));
    const signed = [await make(first).poll(), await make(second).poll()];
    const inMemory = makeTrailOn(stage);
    await inMemory.poll();
    trail.stored.entries.splice(400);
    trail.stored.nodes.splice(0);
    records.log.splice(400);
    commit(...range(700, 710));
    assert.deepEqual([...signed, await make(second).poll()], ["whole", "whole", "contradicted"]);

    // What the owner of the tables can insert.
    const [refused, accepted] = [
      readCheckpoint(first.note() ?? ""),
      { size: 410, root: Buffer.from(stage.rootOf(), "base64") },
    ];
    const forger = makeSignerKey(key.name, new Uint8Array(32).fill(8));
    trail.stored.acceptances.push(
      signAcceptance({ refused, accepted, reason: "forged" }, forger),
      signAcceptance({ refused: accepted, accepted: refused, reason: "the other way round" }, key),
      `x\n${refused.size} ${toBase64(refused.root)}\n`,
    );
    assert.equal(await make(second).poll(), "contradicted");
    trail.stored.acceptances.splice(0);

    await accept({ trail, stateFile: first.stateFile }, "restored", 190);
    assert.equal(trail.stored.acceptances.length, 1);
    const of = make(second);
    assert.equal(await of.poll(), "whole");
    assert.deepEqual([of.size(), readCheckpoint(second.note() ?? "").size], [410, 410]);
    clock.advance(11);
    await inMemory.poll();
    assert.deepEqual(
      [inMemory.state().condition.kind, inMemory.state().checkpointSize],
      ["whole", 410],
      "a process without a state file goes by its memory",
    );
    const words = {
      reason: "restored",
      refused: `600 ${toBase64(refused.root)}`,
      accepted: `410 ${stage.rootOf()}`,
    };
    assert.deepEqual(told("trail accepted"), [words, words]);
    assert.equal(await make(behind).poll(), "contradicted", "another head was given up");
    commit(710);
    assert.deepEqual([await make(second).poll(), readCheckpoint(second.note() ?? "").size], ["whole", 411]);
    assert.equal(told("trail accepted").length, 2);
    // Back to what was given up before: nothing is remembered that an acceptance gives up.
    trail.stored.entries.splice(410);
    records.log.splice(410);
    trail.stored.nodes.splice(0);
    assert.equal(await make(second).poll(), "contradicted");
  });

  test("keeps a checkpoint in the database for a thousand entries, or for an hour", async () => {
    const { start, commit, trail } = makeSigner();
    const { poll } = start();
    const sizes = () => trail.stored.checkpoints.map(note => readCheckpoint(note).size);
    commit(1);
    await poll();
    commit(...range(2, 900));
    await poll();
    assert.deepEqual(sizes(), [1]);
    commit(...range(900, 1_002));
    await poll();
    commit(1_002);
    await poll();
    assert.deepEqual(sizes(), [1, 1_001]);
    commit(1_003);
    await poll(3_600);
    assert.deepEqual(sizes(), [1, 1_001, 1_003]);
  });

  test("tells of a checkpoint in the log at most once a minute", async () => {
    const { start, commit, told } = makeSigner();
    const { poll } = start();
    const sizes = () => told("checkpoint").map(details => details?.["size"]);
    commit(1);
    await poll();
    commit(2);
    await poll(59);
    assert.deepEqual(sizes(), [1]);
    commit(3);
    await poll(1);
    assert.deepEqual(sizes(), [1, 3]);
  });

  test("says whether the database or its own memory contradicts the trail, where there is no state file", async () => {
    for (const isRestarted of [false, true]) {
      const signer = makeSigner();
      const { start, commit, rewrite, trail } = signer;
      const begin = () => start(false);
      let { signing, poll } = begin();
      commit(1, 2, 3);
      await poll();
      await signing.close();
      rewrite(2);
      if (isRestarted) ({ signing, poll } = begin());
      commit(4);
      for (let time = 0; time < 3; time += 1) await poll(11);
      assert.match(signing.contradiction() ?? "", isRestarted ? /^database 3 / : /^memory 3 /);
      assert.equal(trail.stored.checkpoints.length, 1);
    }
  });

  test("signs no entry that a synchronous standby may not have", async () => {
    const { start, commit, note, trail, numbering, events } = makeSigner();
    const { signing, poll } = start();
    commit(1);
    await numbering().poll();
    trail.checkpoints.confirm = () => Promise.reject(new Error("the standby is silent"));
    assert.equal(await poll(), 10_000);
    assert.match(JSON.stringify(events.recorded), /the standby is silent/);
    assert.deepEqual([note(), signing.newest()], [undefined, undefined]);
    trail.checkpoints.confirm = async () => {};
    await poll();
    assert.equal(signing.newest()?.size, 1);
  });

  test("signs nothing over checkpoints in the database while the state file is missing, until it is put back", async () => {
    const { start, commit, setNote, note, told } = makeSigner();
    commit(1, 2);
    const one = start();
    await one.poll();
    await one.signing.close();
    const kept = note();
    for (const isRestarted of [false, true]) {
      setNote(undefined);
      const { signing, poll } = isRestarted ? start() : one;
      commit(isRestarted ? 4 : 3);
      for (let time = 0; time < 3; time += 1) await poll(11);
      assert.match(
        signing.contradiction() ?? "",
        /^for the operator, since TRAIL_STATE_FILE is missing: copy/,
      );
      assert.equal(note(), undefined);
      setNote(kept);
      await poll(11);
      assert.equal(signing.contradiction(), undefined);
      assert.equal(signing.newest()?.size, isRestarted ? 4 : 3);
    }
    assert.equal(told("trail waits").length, 2);
    assert.equal(told("trail broken").length, 0);
  });

  test("begins where a new database has no state file, and signs nothing beside one that is empty", async () => {
    for (const state of [undefined, ""]) {
      const { start, commit, setNote, note } = makeSigner();
      setNote(state);
      commit(1);
      const { signing, poll } = start();
      await poll();
      if (state === undefined) assert.equal(openCheckpoint(note() ?? "", [key]).size, 1);
      else {
        assert.match(
          signing.contradiction() ?? "",
          /^TRAIL_STATE_FILE has no checkpoint: put back .* or run accept-trail$/,
        );
        assert.deepEqual([signing.newest(), note()], [undefined, ""]);
      }
    }
  });

  test("is failing, and not contradicted, while the state file cannot be written, and signs again when it can", async () => {
    const { start, commit, stateFile, told } = makeSigner();
    const { signing, poll } = start();
    commit(1);
    await poll();
    const { write } = stateFile;
    stateFile.write = () =>
      Promise.reject(new TrailObstacleError("TRAIL_STATE_FILE cannot be written: ENOSPC", "failing"));
    commit(2);
    await poll(11);
    assert.match(signing.contradiction() ?? "", /cannot be written: ENOSPC$/);
    assert.equal(signing.newest()?.size, 1);
    stateFile.write = write;
    await poll(11);
    assert.deepEqual([signing.contradiction(), signing.newest()?.size], [undefined, 2]);
    const named = (event: string) => told(event).length;
    assert.deepEqual([named("trail failed"), named("trail broken"), named("trail whole again")], [1, 0, 1]);
  });

  test("gives a checkpoint to nobody before the state file has it: not to the database, the log or a client", async () => {
    const { start, commit, stateFile, trail, events } = makeSigner();
    const { signing, poll } = start();
    const write = mock.method(stateFile, "write", () => Promise.reject(new Error("the power fails")));
    commit(1);
    await poll();
    assert.equal(write.mock.callCount(), 1);
    assert.deepEqual([trail.stored.checkpoints, signing.newest()], [[], undefined]);
    assert.ok(events.recorded.every(({ event }) => event !== "checkpoint"));
  });

  test("stores no checkpoint at the stop while the trail contradicts what was signed", async () => {
    const { start, commit, rewrite, trail } = makeSigner();
    const { signing, poll } = start();
    commit(1);
    await poll();
    commit(2);
    await poll();
    assert.equal(signing.newest()?.size, 2);
    rewrite(1);
    commit(3);
    await poll(11);
    assert.notEqual(signing.contradiction(), undefined);
    await signing.close();
    assert.deepEqual(
      trail.stored.checkpoints.map(note => readCheckpoint(note).size),
      [1],
    );
  });

  test("keeps what is remembered where what the operator accepts cannot be stored", async () => {
    const { start, commit, rewrite, note, trail, stateFile } = makeSigner();
    commit(1, 2);
    await start().poll();
    const before = note();
    rewrite(1);
    const accepts = { ...trail.checkpoints, accept: () => Promise.reject(new Error("the power fails")) };
    const ports = { ...trail, checkpoints: accepts, stateFile, key };
    await assert.rejects(acceptTrail(ports, { reason: "restored", givesUp: 0 }), /the power fails/);
    assert.equal(note(), before);
  });

  test("signs nothing beside checkpoints of a key of another name, until the operator accepts that", async () => {
    const { start, commit, trail, stateFile, told } = makeSigner();
    commit(1);
    const one = start();
    await one.poll();
    await one.signing.close();
    for (const place of ["database", "TRAIL_STATE_FILE"]) {
      const theirs =
        trail.stored.checkpoints.at(-1)?.replace(/^.*\n/, "other.example.com\n") ?? assert.fail();
      if (place === "database") trail.stored.checkpoints.push(theirs);
      else await stateFile.write(theirs);
      commit(place === "database" ? 2 : 3);
      await one.poll(11);
      assert.equal(
        one.signing.contradiction(),
        `${place} has a checkpoint of other.example.com, and not of trail.example.com`,
      );
      await accept({ trail, stateFile }, "one name");
      await one.poll(11);
      assert.equal(one.signing.contradiction(), undefined);
    }
    assert.equal(told("trail broken").length, 2);
  });

  test("numbers on while the state file cannot be read, and signs again when it can", async () => {
    const { start, commit, stateFile, trail, note } = makeSigner();
    const { signing, poll } = start();
    commit(1);
    await poll();
    const { read } = stateFile;
    stateFile.read = () =>
      Promise.reject(new TrailObstacleError("TRAIL_STATE_FILE cannot be read: EACCES", "failing"));
    commit(2, 3);
    await poll(11);
    assert.deepEqual([trail.stored.entries.length, signing.newest()?.size], [3, 1]);
    assert.match(signing.contradiction() ?? "", /cannot be read: EACCES$/);
    stateFile.read = read;
    await poll(11);
    assert.equal(signing.contradiction(), undefined);
    assert.equal(openCheckpoint(note() ?? "", [key]).size, 3);
  });

  test("signs without a state file where an operator accepts that it is new", async () => {
    const { start, commit, setNote, note, trail, stateFile } = makeSigner();
    commit(1);
    const { signing, poll } = start();
    await poll();
    await signing.close();
    setNote(undefined);
    await accept({ trail, stateFile }, "a new machine");
    assert.equal(refusedSize(trail), 1);
    assert.equal(openCheckpoint(note() ?? "", [key]).size, 1);
    commit(2);
    await poll();
    assert.equal(signing.newest()?.size, 2);
  });

  test("signs no second entry of a record, whoever has added it", async () => {
    for (const isRestarted of [false, true]) {
      for (const isCovered of [false, true]) {
        const stage = makeSigner();
        const { start, commit, trail, note, records } = stage;
        commit(...range(1, 11));
        let { signing, poll } = start();
        await poll();
        const before = note();
        // The owner of the tables drops the constraint, changes a log, and adds an entry of what it says now.
        records.log[4] = logRecord(5, "forged");
        const [forged = assert.fail()] = records.log.slice(4);
        const index = trail.stored.entries.length;
        trail.stored.entries.push({ kind: "log", recordId: 5, index, hash: leafHash(forged.entry) });
        if (isCovered) trail.stored.checkpoints.push(`of nobody\n11\n${stage.rootOf()}\n`);
        if (isRestarted) ({ signing, poll } = start());
        for (let time = 0; time < 3; time += 1) await poll(11);
        assert.equal(signing.contradiction(), "another entry than entry 10 of log record 5");
        assert.equal(note(), before);
      }
    }
  });

  test("signs on where somebody sets the clock back", async () => {
    const { start, commit, clock } = makeSigner();
    const { signing, poll } = start();
    commit(1);
    await poll();
    clock.set("2001-01-01T00:00:00Z");
    commit(2);
    await poll();
    assert.equal(signing.newest()?.size, 2);
  });
});
