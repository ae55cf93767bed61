import assert from "node:assert/strict";
import { describe, mock, test } from "node:test";
import { TrailObstacleError } from "../../../../src/application/trail/condition.ts";
import { acceptTrail } from "../../../../src/application/trail/signing.ts";
import { openAcceptance, signAcceptance } from "../../../../src/domain/trail/acceptance.ts";
import { openCheckpoint, readCheckpoint } from "../../../../src/domain/trail/checkpoint.ts";
import { toBase64 } from "../../../../src/domain/trail/encoding.ts";
import { leafHash } from "../../../../src/domain/trail/merkle.ts";
import { makeSignerKey } from "../../../../src/domain/trail/note.ts";
import {
  accept,
  key,
  logRecord,
  makeMemoryNote,
  makeTrailOn,
  makeTrailStage,
  range,
} from "../../../support/trail-stage.ts";

/** A stage with so many logs, and a process on it that has signed them, which `start` may make another of. */
async function makeSigner(logs = 1, hasStateFile = true) {
  const stage = makeTrailStage();
  const memory = makeMemoryNote();
  const stateFile = hasStateFile ? memory.stateFile : undefined;
  const start = () => {
    // For ever before the end of the stop.
    const trail = makeTrailOn(stage, { stateFile, pause: () => new Promise(() => {}) });
    const poll = async (seconds = 1, times = 1) => {
      let wait = 0;
      for (let time = 0; time < times; time += 1) {
        stage.clock.advance(seconds);
        wait = await trail.poll();
      }
      return wait;
    };
    const whyNot = () => trail.state().condition.why;
    return {
      poll,
      whyNot,
      size: () => trail.state().checkpointSize,
      note: trail.checkpoint,
      stop: trail.stop,
    };
  };
  stage.commit(...range(1, logs + 1));
  const signer = start();
  await signer.poll();
  const { stored } = stage.trail;
  return {
    ...stage,
    ...memory,
    start,
    signer,
    storedSizes: () => stored.checkpoints.map(note => readCheckpoint(note).size),
    /** Of the head that the first acceptance gives up. */
    refusedSize: () => openAcceptance(stored.acceptances[0] ?? "", [key]).refused?.size,
    signedSize: () => openCheckpoint(memory.note() ?? "", [key]).size,
  };
}

describe("signing", () => {
  test("is not broken by another process that goes on numbering and signing meanwhile", async () => {
    const { start, commit, trail, told, signer: one } = await makeSigner();
    const other = start();
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
        await other.poll(1, 4);
        isOthers = false;
        return newest(most);
      },
    });
    commit(next);
    next += 1;
    await one.poll();
    assert.deepEqual(told("trail broken"), []);
    assert.ok(one.size() > 1_500);
  });

  test("signs nothing while what is remembered cannot be read, or was never signed", async () => {
    const { start, setNote, note, told, signer } = await makeSigner(7);
    await signer.stop();
    const others = ["garbage\n", "", note()?.replace("\n7\n", "\n6\n")];
    for (const other of others) {
      setNote(other);
      const restarted = start();
      await restarted.poll();
      assert.deepEqual([restarted.note(), note()], [undefined, other]);
      if (other === "")
        assert.match(
          restarted.whyNot(),
          /^TRAIL_STATE_FILE has no checkpoint: put back .* or run accept-trail$/,
        );
    }
    assert.equal(told("trail broken").length, others.length);
  });

  test("signs nothing over a checkpoint in the database that says nothing, until the operator accepts that", async () => {
    const { start, commit, trail, stateFile, setNote } = await makeSigner(0);
    setNote(undefined);
    commit(1);
    trail.stored.checkpoints.push("");
    const { poll, size, whyNot } = start();
    await poll();
    assert.equal(size(), 0);
    assert.match(whyNot(), /^database has no checkpoint: put back/);
    const ports = { ...trail, stateFile, key };
    const acceptance = await acceptTrail(ports, { reason: "restored", givesUp: 0 });
    const [stored = ""] = trail.stored.acceptances;
    for (const { refused, accepted, reason } of [openAcceptance(stored, [key]), acceptance ?? assert.fail()])
      assert.deepEqual([refused, accepted.size, reason], [undefined, 1, "restored"]);
    await poll(11);
    assert.equal(size(), 1);
    assert.equal(await acceptTrail(ports, { reason: "again", givesUp: 0 }), undefined);
  });

  for (const [what, lose] of Object.entries<(stage: Awaited<ReturnType<typeof makeSigner>>) => void>({
    "the state file says nothing": ({ setNote }) => setNote("garbage\n"),
    "the state file is missing": ({ setNote }) => setNote(undefined),
    "the database says nothing": ({ trail }) => trail.stored.checkpoints.push("garbage\n"),
  })) {
    test(`goes on from the head that was signed, which is recorded, when an operator accepts that ${what}`, async () => {
      const stage = await makeSigner(2);
      const { start, commit, trail, stateFile, refusedSize, signedSize, signer } = stage;
      await signer.stop();
      lose(stage);
      await accept({ trail, stateFile }, "a new machine");
      assert.deepEqual([refusedSize(), signedSize()], [2, 2]);
      commit(3);
      const restarted = start();
      await restarted.poll();
      assert.equal(restarted.size(), 3);
    });
  }

  test("signs what has grown, and remembers before it tells", async () => {
    const { commit, rootOf, note, trail, events, signer, signedSize } = await makeSigner(0);
    assert.equal(signedSize(), 0);
    commit(...range(1, 5_000));
    assert.equal(await signer.poll(0.5), 20);
    assert.equal(signedSize(), 4_000);
    assert.equal(await signer.poll(0.1), 1_000);
    const { size, root } = openCheckpoint(note() ?? "", [key]);
    assert.deepEqual([size, toBase64(root), signer.note()], [4_999, rootOf(), note()]);
    await signer.stop();
    assert.equal(trail.stored.checkpoints.at(-1), note());
    assert.deepEqual(
      events.recorded.map(({ event }) => event),
      ["checkpoint", "checkpoint"],
    );
  });

  for (const what of ["an older dump", "a history that was rewritten consistently"]) {
    for (const restarted of [true, false]) {
      test(`signs nothing over ${what}${restarted ? ", after a restart" : ""}, until it is accepted`, async () => {
        const isOlder = what === "an older dump";
        const signer = await makeSigner(599);
        const { start, commit, note, trail, records, rewrite, stateFile, told, refusedSize, signedSize } =
          signer;
        const { stored } = trail;
        const before = note();
        if (isOlder) {
          stored.entries.splice(400);
          records.log.splice(400);
        } else rewrite(11);
        stored.nodes = stored.nodes.filter(
          ({ level, index }) => (index + 1) * 2 ** level <= stored.entries.length,
        );
        const { poll, whyNot } = restarted || !isOlder ? start() : signer.signer;
        commit(...range(600, 610));
        await poll(11, 5);
        assert.equal(note(), before);
        assert.notEqual(whyNot(), "");
        assert.equal(told("trail broken").length, 1);
        assert.match(JSON.stringify(told("trail broken")), /TRAIL_STATE_FILE 599 /);

        await accept({ trail, stateFile }, "restored", isOlder ? 189 : 0);
        assert.equal(refusedSize(), 599);
        commit(...range(610, 620));
        await poll(11, 3);
        assert.deepEqual([whyNot(), signedSize()], ["", stored.entries.length]);
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
    const forgeries = [
      signAcceptance({ refused, accepted, reason: "forged" }, forger),
      signAcceptance({ refused: accepted, accepted: refused, reason: "the other way round" }, key),
      `x\n${refused.size} ${toBase64(refused.root)}\n`,
    ];
    trail.stored.acceptances.push(...forgeries);
    assert.equal(await make(second).poll(), "contradicted");

    await accept({ trail, stateFile: first.stateFile }, "restored", 190);
    // Newer than the right one.
    trail.stored.acceptances.push(...forgeries);
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
    const { commit, storedSizes, signer } = await makeSigner();
    commit(...range(2, 900));
    await signer.poll();
    assert.deepEqual(storedSizes(), [1]);
    commit(...range(900, 1_002));
    await signer.poll();
    commit(1_002);
    await signer.poll();
    assert.deepEqual(storedSizes(), [1, 1_001]);
    commit(1_003);
    await signer.poll(3_600);
    assert.deepEqual(storedSizes(), [1, 1_001, 1_003]);
  });

  test("tells of a checkpoint in the log at most once a minute", async () => {
    const { commit, told, signer } = await makeSigner();
    const sizes = () => told("checkpoint").map(details => details?.["size"]);
    commit(2);
    await signer.poll(59);
    assert.deepEqual(sizes(), [1]);
    commit(3);
    await signer.poll(1);
    assert.deepEqual(sizes(), [1, 3]);
  });

  test("says whether the database or its own memory contradicts the trail, where there is no state file", async () => {
    for (const isRestarted of [false, true]) {
      const { start, commit, rewrite, storedSizes, signer } = await makeSigner(3, false);
      await signer.stop();
      rewrite(2);
      const { poll, whyNot } = isRestarted ? start() : signer;
      commit(4);
      await poll(11, 3);
      assert.match(whyNot(), isRestarted ? /^database 3 / : /^memory 3 /);
      assert.deepEqual(storedSizes(), [3]);
    }
  });

  test("finds at the next poll that the newest entry was rewritten with its record, before there is another one", async () => {
    const { rewrite, signer, told } = await makeSigner(3);
    rewrite(3);
    await signer.poll();
    assert.match(signer.whyNot(), /^TRAIL_STATE_FILE 3 /);
    assert.equal(told("trail broken").length, 1);
  });

  test("signs no entry that a synchronous standby may not have", async () => {
    const { commit, signedSize, trail, events, signer } = await makeSigner();
    commit(2);
    trail.checkpoints.confirm = () => Promise.reject(new Error("the standby is silent"));
    assert.equal(await signer.poll(), 10_000);
    assert.match(JSON.stringify(events.recorded), /the standby is silent/);
    assert.deepEqual([signedSize(), signer.size()], [1, 1]);
    trail.checkpoints.confirm = async () => {};
    await signer.poll();
    assert.equal(signer.size(), 2);
  });

  test("signs nothing over checkpoints in the database while the state file is missing, until it is put back", async () => {
    const { start, commit, setNote, note, told, signer } = await makeSigner(2);
    await signer.stop();
    const kept = note();
    for (const [isRestarted, id] of [
      [false, 3],
      [true, 4],
    ] as const) {
      setNote(undefined);
      const { poll, whyNot, size } = isRestarted ? start() : signer;
      commit(id);
      await poll(11, 3);
      assert.match(whyNot(), /^for the operator, since TRAIL_STATE_FILE is missing: copy/);
      assert.equal(note(), undefined);
      setNote(kept);
      await poll(11);
      assert.deepEqual([whyNot(), size()], ["", id]);
    }
    assert.deepEqual([told("trail waits").length, told("trail broken").length], [2, 0]);
  });

  for (const [method, fault] of [
    ["read", "TRAIL_STATE_FILE cannot be read: EACCES"],
    ["write", "TRAIL_STATE_FILE cannot be written: ENOSPC"],
  ] as const) {
    test(`is failing, and numbers on, while ${fault}, tells nobody of a checkpoint, and signs again when it can`, async () => {
      const { start, commit, stateFile, trail, told, signedSize, storedSizes, signer } = await makeSigner();
      await signer.stop();
      const { poll, whyNot, size } = start();
      const refuse = () => Promise.reject(new TrailObstacleError(fault, "failing"));
      const refused = mock.method(stateFile, method, refuse);
      commit(...range(2, 1_500));
      await poll(61);
      assert.deepEqual([refused.mock.callCount(), trail.stored.entries.length], [1, 1_499]);
      assert.deepEqual([whyNot(), size(), storedSizes()], [fault, 0, [1]]);
      assert.equal(told("checkpoint").length, 1);
      refused.mock.restore();
      await poll(11);
      assert.deepEqual([whyNot(), size(), signedSize()], ["", 1_499, 1_499]);
      const counts = ["trail failed", "trail broken", "trail whole again"].map(event => told(event).length);
      assert.deepEqual(counts, [1, 0, 1]);
    });
  }

  test("stores no checkpoint at the stop while the trail contradicts what was signed", async () => {
    const { commit, rewrite, storedSizes, signer } = await makeSigner();
    commit(2);
    await signer.poll();
    assert.equal(signer.size(), 2);
    rewrite(1);
    commit(3);
    await signer.poll(11);
    assert.notEqual(signer.whyNot(), "");
    await signer.stop();
    assert.deepEqual(storedSizes(), [1]);
  });

  test("keeps what is remembered where what the operator accepts cannot be stored", async () => {
    const { rewrite, note, trail, stateFile } = await makeSigner(2);
    const before = note();
    rewrite(1);
    const accepts = { ...trail.checkpoints, accept: () => Promise.reject(new Error("the power fails")) };
    const ports = { ...trail, checkpoints: accepts, stateFile, key };
    await assert.rejects(acceptTrail(ports, { reason: "restored", givesUp: 0 }), /the power fails/);
    assert.equal(note(), before);
  });

  test("signs nothing beside checkpoints of a key of another name, until the operator accepts that", async () => {
    const { commit, trail, stateFile, told, signer } = await makeSigner();
    await signer.stop();
    for (const [place, id] of [
      ["database", 2],
      ["TRAIL_STATE_FILE", 3],
    ] as const) {
      const theirs =
        trail.stored.checkpoints.at(-1)?.replace(/^.*\n/, "other.example.com\n") ?? assert.fail();
      if (place === "database") trail.stored.checkpoints.push(theirs);
      else await stateFile.write(theirs);
      commit(id);
      await signer.poll(11);
      const fault = `${place} has a checkpoint of other.example.com, and not of trail.example.com`;
      assert.equal(signer.whyNot(), fault);
      await accept({ trail, stateFile }, "one name");
      await signer.poll(11);
      assert.equal(signer.whyNot(), "");
    }
    assert.equal(told("trail broken").length, 2);
  });

  test("signs no second entry of a record, whoever has added it", async () => {
    for (const isRestarted of [false, true]) {
      for (const isCovered of [false, true]) {
        const { start, trail, note, records, rootOf, signer } = await makeSigner(10);
        const before = note();
        // The owner of the tables drops the constraint, changes a log, and adds an entry of what it says now.
        const forged = logRecord(5, "forged");
        records.log[4] = forged;
        const index = trail.stored.entries.length;
        trail.stored.entries.push({ kind: "log", recordId: 5, index, hash: leafHash(forged.entry) });
        if (isCovered) trail.stored.checkpoints.push(`of nobody\n11\n${rootOf()}\n`);
        const { poll, whyNot } = isRestarted ? start() : signer;
        await poll(1, 3);
        assert.equal(whyNot(), "another entry than entry 10 of log record 5");
        assert.equal(note(), before);
      }
    }
  });

  test("signs on where somebody sets the clock back", async () => {
    const { commit, clock, signer } = await makeSigner();
    clock.set("2001-01-01T00:00:00Z");
    commit(2);
    await signer.poll();
    assert.equal(signer.size(), 2);
  });
});
