import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type AuditedTrail, type AuditState, auditTrail } from "../../../../src/application/trail/audit.ts";
import { openCheckpoint } from "../../../../src/domain/trail/checkpoint.ts";
import { readVerifierKey } from "../../../../src/domain/trail/note.ts";
import { writeBundle } from "../../../../src/domain/trail/tile.ts";
import { logEntry, makeTestTrail } from "../../../support/trail.ts";

/** A trail behind a load balancer: each request goes to the next of these processes, which know so many entries. */
function balanced(sizes: readonly number[]) {
  const trail = makeTestTrail();
  for (let id = 1; id <= 600; id += 1) trail.add(logEntry(id));
  const bytes = trail
    .export()
    .trimEnd()
    .split("\n")
    .map(line => Buffer.from(line));
  let asked = 0;
  let pauses = 0;
  const next = () => sizes[Math.min(asked++, sizes.length - 1)] as number;
  const published: AuditedTrail = {
    checkpoint: async () => trail.checkpoint(next()),
    async bundle({ index, width }) {
      const from = index * 256;
      return from + width > next() ? undefined : writeBundle(bytes.slice(from, from + width));
    },
    tile: async () => undefined,
    pause: async () => {
      pauses += 1;
    },
  };
  const keys = [readVerifierKey(trail.vkey)];
  return {
    audit(state?: AuditState, seenSize?: number) {
      const last = state && { head: openCheckpoint(state.checkpoint, keys), hashes: state.hashes };
      return auditTrail(published, { keys, witnesses: [] }, last, seenSize);
    },
    pauses: () => pauses,
  };
}

describe("an audit behind a load balancer", () => {
  test("asks again where one process is behind another, for a checkpoint and for a bundle", async () => {
    const { state } = await balanced([600]).audit();
    // The checkpoint of one that is behind, twice; then that of another, whose last bundle the first has not yet.
    const { audit, pauses } = balanced([500, 500, 600, 500, 600]);
    assert.equal((await audit(state)).added, 0);
    assert.equal(pauses(), 3);
  });

  test("asks again where a kept checkpoint of one process covers more than the newest of another", async () => {
    const { audit, pauses } = balanced([300, 500, 600]);
    assert.equal((await audit(undefined, 600)).checkpoint.size, 600);
    assert.equal(pauses(), 2);
  });

  test("believes it after some times", async () => {
    const { state } = await balanced([600]).audit();
    const behind = balanced([500]);
    await assert.rejects(behind.audit(state), /has 500 entries, fewer than the 600 that it had before/);
    assert.equal(behind.pauses(), 5);
    const without = balanced([600, 0]);
    await assert.rejects(without.audit(), /has no entry bundle 0, which its checkpoint covers/);
    assert.equal(without.pauses(), 5);
  });
});
