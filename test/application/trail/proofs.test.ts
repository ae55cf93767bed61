import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { trailCrypto } from "../../../src/adapters/trail-crypto.ts";
import { acceptTrail } from "../../../src/application/trail/acceptance.ts";
import { makeTrail } from "../../../src/application/trail/trail.ts";
import { openCheckpoint } from "../../../src/domain/trail/checkpoint.ts";
import { readProof } from "../../../src/domain/trail/proof.ts";
import { provenLog } from "../../../src/domain/trail/verification.ts";
import { makeRecordingEventLog } from "../../fakes/recording-event-log.ts";
import { hasher, key, makeMemoryNote, makeTrailStage, range } from "../../support/trail-stage.ts";

function makeService() {
  const stage = makeTrailStage();
  const { trail, clock, commit } = stage;
  const { remembered } = makeMemoryNote();
  const service = makeTrail({
    trail,
    requestTrail: trail,
    crypto: trailCrypto,
    key,
    remembered,
    events: makeRecordingEventLog(),
    clock,
    turn,
    pause: async () => {},
  });
  let size = 0;
  return {
    ...stage,
    service,
    remembered,
    /** Logs are written until there are so many, and all are signed. */
    async grow(to: number) {
      for (; size < to; size = Math.min(to, size + 10_000))
        commit(...range(size + 1, Math.min(to, size + 10_000) + 1));
      do {
        clock.advance(11);
        await service.look();
      } while (service.state().checkpointSize < to);
    },
    async assertProven(id: number) {
      const proof = readProof(await service.reader.proof(id));
      const checkpoint = openCheckpoint(proof.checkpoint, [key], trailCrypto);
      assert.equal(checkpoint.size, trail.stored.entries.length);
      assert.equal(provenLog(hasher, proof, checkpoint).id, id);
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
  const { grow, assertProven, trail } = makeService();
  await grow(256 * 256 + 300);
  for (const id of [1, 15, 256, 257, 65_000, 65_536, 65_537, 65_792, 65_793, 65_836]) await assertProven(id);
  // A tile that is kept is not read again.
  trail.stored.tiles.length = 0;
  await assertProven(2);
  await assert.rejects(assertProven(1_000), { code: "GONE" });
});

test("no proof is given from a stored tile that is not the one that was signed", async () => {
  const { grow, service, trail } = makeService();
  await grow(600);
  // A hash of others: with its own the entry would not even be in the tile.
  const [first = assert.fail()] = trail.stored.tiles;
  trail.stored.tiles[0] = { ...first, sixteenths: Uint8Array.from(first.sixteenths).fill(0, 480) };
  await assert.rejects(service.reader.proof(1), { code: "GONE" });
  assert.match(String(service.state().contradiction), /^log 1, entry 0, which is not in the tree/);
});

test("logs have proofs again after another history was accepted, also those of tiles that were known before", async () => {
  const { grow, assertProven, service, clock, commit, records, trail, remembered } = makeService();
  await grow(600);
  await assertProven(300);
  trail.stored.entries.splice(400);
  records.log.splice(400);
  trail.stored.tiles = trail.stored.tiles.filter(({ index }) => index === 0);
  commit(...range(601, 800));
  const look = async () => {
    clock.advance(11);
    await service.look();
  };
  for (let time = 0; time < 5; time += 1) await look();
  assert.notEqual(service.state().contradiction, undefined);
  await acceptTrail({ trail, hasher, ed25519: trailCrypto, remembered, key }, "restored");
  commit(...range(800, 810));
  for (let time = 0; time < 3; time += 1) await look();
  for (const id of [1, 300, 601, 809]) await assertProven(id);
});
