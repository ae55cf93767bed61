import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { trailCrypto } from "../../../src/adapters/trail-crypto.ts";
import { makeTrail } from "../../../src/application/trail/trail.ts";
import { openCheckpoint } from "../../../src/domain/trail/checkpoint.ts";
import { makeTreeHasher } from "../../../src/domain/trail/merkle.ts";
import { readProof } from "../../../src/domain/trail/proof.ts";
import { provenLog } from "../../../src/domain/trail/verification.ts";
import { makeRecordingEventLog } from "../../fakes/recording-event-log.ts";
import { key, makeMemoryNote, makeTrailStage, range } from "../../support/trail-stage.ts";

/** A service that has signed 600 logs, of which a test then changes what is stored. */
async function makeService() {
  const stage = makeTrailStage();
  const memory = makeMemoryNote();
  const events = makeRecordingEventLog();
  const start = () =>
    makeTrail({
      ...stage,
      ...memory,
      requestTrail: stage.trail,
      crypto: trailCrypto,
      key,
      events,
      turn,
      pause: async () => {},
    });
  const service = start();
  stage.commit(...range(1, 601));
  const look = async (trail = service, times = 4) => {
    for (let time = 0; time < times; time += 1) {
      stage.clock.advance(11);
      await trail.look();
    }
  };
  await look();
  const broken = () => events.recorded.filter(({ event }) => event === "trail broken");
  return { ...stage, ...memory, service, start, look, broken };
}

const gone = (message: string) => ({ name: "DomainError", code: "GONE", message });

describe("a trail that was rewritten under the process", () => {
  test("gives no proof that does not hold, and signs nothing any more", async () => {
    const { service, rewrite, look, commit, note, broken } = await makeService();
    const signed = note();
    await service.reader.proof(11);
    rewrite(11);
    for (const id of [11, 12, 16]) {
      await assert.rejects(
        service.reader.proof(id),
        gone(`Log ${id}, entry ${id - 1} of the trail, is not what was signed`),
      );
    }
    assert.equal(broken().length, 1);
    assert.match(JSON.stringify(broken()), /log 11, entry 10, which is not in the tree that was signed/);
    assert.match(String(service.state().contradiction), /^log 11/);
    // Its proof does not pass the place that was rewritten.
    const proof = readProof(await service.reader.proof(599));
    const checkpoint = openCheckpoint(proof.checkpoint, [key], trailCrypto);
    assert.equal(provenLog(makeTreeHasher(trailCrypto.sha256), proof, checkpoint).id, 599);
    commit(601, 602);
    await look();
    assert.equal(note(), signed);
    assert.equal(service.checkpoint(), signed);
    assert.equal(broken().length, 1);
  });

  test("has a state with the size and age of what was signed, before and after", async () => {
    const { service, clock, rewrite } = await makeService();
    const { checkpointAgeSeconds: age = Number.NaN, ...state } = service.state();
    assert.deepEqual(state, {
      size: 600,
      isSigned: true,
      checkpointSize: 600,
      contradiction: undefined,
      readingFraction: 0,
      mismatches: 0,
    });
    clock.advance(7);
    assert.equal(service.state().checkpointAgeSeconds, age + 7);
    rewrite(11);
    await assert.rejects(service.reader.proof(11));
    assert.equal(service.state().checkpointSize, 600);
  });

  for (const [what, change] of [
    ["removed", (notes: unknown[]) => notes.splice(0)],
    [
      "replaced",
      (notes: { note: string }[]) => notes.splice(0, 1, { ...notes[0], note: "another" } as never),
    ],
  ] as const) {
    test(`notices a stored checkpoint that was ${what} before it signs the next`, async () => {
      const { trail, look, commit, note, broken } = await makeService();
      const signed = note();
      assert.equal(trail.stored.checkpoints.length, 1);
      change(trail.stored.checkpoints as never);
      commit(601);
      await look();
      assert.equal(note(), signed);
      assert.equal(broken().length, 1);
      assert.match(JSON.stringify(broken()), /database \d+ \S+, which was removed or changed/);
    });
  }

  test("keeps showing the last signed checkpoint after a restart", async () => {
    const { start, rewrite, look, note, broken, trail } = await makeService();
    const signed = note();
    rewrite(11);
    for (const damage of [
      () => {},
      () => trail.stored.tiles.splice(0),
      () => trail.stored.entries.splice(300),
    ]) {
      damage();
      const restarted = start();
      await look(restarted);
      assert.equal(restarted.reader.checkpoint(), signed);
      assert.equal(restarted.reader.head().size, 600);
      assert.notEqual(restarted.state().contradiction, undefined);
      await assert.rejects(restarted.reader.proof(12), { code: "GONE" });
    }
    assert.equal(broken().length, 3);
  });
});

describe("a record that was removed", () => {
  test("is named wherever its entry is asked for", async () => {
    const { service, records, trail } = await makeService();
    const { reader } = service;
    records.log.splice(299, 1);
    const removed = gone("Entry 299 of the trail, log 300, was removed");
    const bundle = async (path: string) => {
      for await (const _ of await reader.tile(path));
    };
    await assert.rejects(bundle("entries/001"), removed);
    await assert.rejects(reader.proof(300), gone("Log 300, entry 299 of the trail, was removed"));
    const read = async (from: number) => {
      for await (const _ of reader.entries(from, 100).list);
    };
    await assert.rejects(read(200), removed);
    await bundle("entries/000");
    trail.stored.entries.splice(400, 1);
    await assert.rejects(reader.tile("0/001"), gone("The stored trail is broken: tile 0/001 is not whole"));
    await assert.rejects(read(400), gone("Entry 400 of the trail was removed"));
  });
});
