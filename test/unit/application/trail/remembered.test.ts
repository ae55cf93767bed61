import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { requireRemembered } from "../../../../src/application/trail/remembered.ts";
import { acceptTrail } from "../../../../src/application/trail/signing.ts";
import { signCheckpoint } from "../../../../src/domain/trail/checkpoint.ts";
import { fromBase64 } from "../../../../src/domain/trail/encoding.ts";
import { emptyRoot } from "../../../../src/domain/trail/merkle.ts";
import { makeSignerKey } from "../../../../src/domain/trail/note.ts";
import { key, makeMemoryNote, makeTrailStage, range } from "../../../support/trail-stage.ts";

/** Logs that are numbered, and the checkpoint of their trail is remembered. */
async function makeStage(logs: number) {
  const stage = makeTrailStage();
  const memory = makeMemoryNote();
  stage.commit(...range(1, logs + 1));
  await stage.numbering().poll();
  memory.setNote(signCheckpoint({ size: logs, root: fromBase64(stage.rootOf()) }, key));
  const ports = { ...stage.trail, stateFile: memory.stateFile };
  return { ...stage, ...memory, ports };
}

const emptied = {
  name: "UnsuitableDatabase",
  message: /^the database has no records, and TRAIL_STATE_FILE .* 300 /,
};

describe("the stored trail beside what is remembered of it", () => {
  test("extends it where it is the same or has grown, and where no entry is remembered", async () => {
    const { ports, commit, numbering, setNote, trail, records } = await makeStage(300);
    await requireRemembered(ports);
    commit(...range(301, 700));
    await numbering().poll();
    await requireRemembered(ports);
    trail.stored.entries.splice(0);
    records.log.splice(0);
    await assert.rejects(requireRemembered(ports), emptied);
    for (const note of [undefined, signCheckpoint({ size: 0, root: emptyRoot }, key)]) {
      setNote(note);
      await requireRemembered(ports);
    }
  });

  test("lacks some entries, also where other records have taken the place of some", async () => {
    const { ports, trail, records, commit, numbering } = await makeStage(300);
    trail.stored.entries.splice(200);
    trail.stored.nodes.splice(0);
    records.log.splice(200);
    commit(...range(400, 410));
    await numbering().poll();
    await assert.rejects(requireRemembered(ports), {
      name: "TrailError",
      message:
        "TRAIL_STATE_FILE remembers 300 entries of the trail, and the database has 210: 90 are missing",
    });
  });

  test("is another one where it was rewritten", async () => {
    const { ports, rewrite } = await makeStage(300);
    rewrite(7);
    await assert.rejects(requireRemembered(ports), {
      name: "TrailError",
      message: "the database does not have the 300 entries that TRAIL_STATE_FILE remembers",
    });
  });

  test("is lost as a whole only where neither entries nor records are there", async () => {
    const { ports, trail, records } = await makeStage(300);
    const [log = assert.fail()] = records.log.splice(0);
    await requireRemembered(ports);
    trail.stored.entries.splice(0);
    trail.stored.nodes.splice(0);
    records.log.push(log);
    await assert.rejects(requireRemembered(ports), { name: "TrailError", message: /: 300 are missing$/ });
    records.log.splice(0);
    await assert.rejects(requireRemembered(ports), emptied);
  });

  test("agrees with it where the key has signed to go on with fewer entries", async () => {
    const { ports, trail, records } = await makeStage(300);
    trail.stored.entries.splice(120);
    trail.stored.nodes.splice(0);
    records.log.splice(120);
    const stateFile = { ...ports.stateFile, write: async () => {} };
    await acceptTrail({ ...ports, stateFile, key }, { reason: "restored", givesUp: 180 });
    await requireRemembered(ports, [key]);
    const missing = { name: "TrailError", message: /: 180 are missing$/ };
    await assert.rejects(requireRemembered(ports), missing);
    await assert.rejects(requireRemembered(ports, [makeSignerKey(key.name, new Uint8Array(32))]), missing);
    trail.stored.entries.splice(119);
    const cut =
      "trail_acceptance remembers 120 entries of the trail, and the database has 119: 1 are missing";
    await assert.rejects(requireRemembered(ports, [key]), { name: "TrailError", message: cut });
  });

  test("cannot be compared with a file that says nothing", async () => {
    const { ports, setNote } = await makeStage(3);
    for (const note of ["", "nonsense"]) {
      setNote(note);
      await assert.rejects(requireRemembered(ports), { name: "TrailError", message: /has no checkpoint/ });
    }
  });
});

test("accepting a shorter trail needs the number of entries that are given up, and changes nothing without", async () => {
  const { ports, trail, records, note } = await makeStage(300);
  trail.stored.entries.splice(120);
  trail.stored.nodes.splice(0);
  records.log.splice(120);
  const before = note();
  const accept = (givesUp: number) => acceptTrail({ ...ports, key }, { reason: "restored", givesUp });
  for (const givesUp of [0, 179, 181, 300]) {
    await assert.rejects(accept(givesUp), /^TrailError: 180 of the 300 entries .* add --gives-up 180$/);
  }
  assert.deepEqual([note(), trail.stored.acceptances, trail.stored.checkpoints], [before, [], []]);
  assert.match(JSON.stringify((await accept(180))?.refused), /"size":300,/);
  assert.notEqual(note(), before);
});
