import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeBackgroundReading } from "../../../src/application/trail/background-reading.ts";
import type { TrailRepository } from "../../../src/application/trail/trail-repository.ts";
import { makeRecordingEventLog } from "../../fakes/recording-event-log.ts";
import { hasher, makeTrailStage, range } from "../../support/trail-stage.ts";

/** A background reading of a trail in memory, of three kinds of records and their tiles: four parts. */
async function open(ids = range(1, 301), changes: Partial<TrailRepository> = {}) {
  const stage = makeTrailStage();
  const events = makeRecordingEventLog();
  const numbering = stage.numbering();
  stage.commit(...ids);
  for (let batch = 0; batch < 2; batch += 1) await numbering.step();
  /** Since the last part was stored, whichever it was. */
  let ageSeconds = 600;
  const pauses: number[] = [];
  const trail: TrailRepository = {
    ...stage.trail,
    readings: async limit => (await stage.trail.readings(limit)).map(each => ({ ...each, age: ageSeconds })),
    ...changes,
  };
  let stepSeconds = 0;
  const make = () =>
    makeBackgroundReading({
      trail,
      hasher,
      clock: stage.clock,
      events,
      numbering,
      pause: async milliseconds => {
        pauses.push(milliseconds);
        stage.clock.advance(stepSeconds);
      },
    });
  const reading = make();
  await reading.step();
  stage.clock.advance(30);
  return {
    ...stage,
    events,
    make,
    reading,
    pauses,
    setAge: (seconds: number) => (ageSeconds = seconds),
    setStepSeconds: (seconds: number) => (stepSeconds = seconds),
    fraction: () => reading.state().fraction,
  };
}

describe("the background reading", () => {
  test("leaves the first half minute to the requests", async () => {
    const { make, clock, pauses } = await open();
    const reading = make();
    assert.equal(await reading.step(), 30_000);
    clock.advance(29);
    assert.equal(await reading.step(), 1_000);
    assert.deepEqual(pauses, []);
    clock.advance(1);
    await reading.step();
    assert.notDeepEqual(pauses, []);
  });

  test("reads on behind a part that somebody has stored with a time to come", async () => {
    const { reading, fraction, setAge } = await open();
    await reading.step();
    setAge(-1e9);
    await reading.step();
    assert.equal(fraction(), 0.5);
  });

  test("reads part after part, and begins again after the last", async () => {
    const { reading, fraction } = await open();
    const fractions: number[] = [];
    for (let part = 0; part < 6; part += 1) {
      await reading.step();
      fractions.push(fraction());
    }
    assert.deepEqual(fractions, [0.25, 0.5, 0.75, 1, 0.25, 0.5]);
  });

  test("goes on where the last process was, and waits for its part to be ten minutes old", async () => {
    const { reading, make, clock, pauses, setAge } = await open();
    await reading.step();
    pauses.length = 0;
    const next = make();
    await next.step();
    clock.advance(30);
    for (const [age, wait] of [
      [0, 10_000],
      [589, 10_000],
      [598.5, 1_500],
      [599.9, 1_000],
    ] as const) {
      setAge(age);
      assert.equal(await next.step(), wait, `${age} s`);
      assert.equal(next.state().fraction, 0.25);
    }
    assert.deepEqual(pauses, []);
    setAge(600);
    await next.step();
    assert.equal(next.state().fraction, 0.5);
  });

  test("counts the time that a part took as waited for the next", async () => {
    const { reading, setStepSeconds } = await open();
    assert.equal(await reading.step(), 10_000);
    setStepSeconds(595 / 64);
    assert.equal(await reading.step(), 5_000);
    setStepSeconds(20);
    assert.equal(await reading.step(), 0);
  });

  test("pauses a tenth of a second between steps, and less where a day would not be enough", async () => {
    const small = await open();
    await small.reading.step();
    assert.deepEqual(small.pauses, Array(64).fill(100));

    const spans: TrailRepository["spans"] = async (space, width) =>
      space === "log" ? Array.from({ length: 9_997 }, (_, at) => at * width) : [];
    const large = await open([], { spans });
    await large.reading.step();
    // 10,000 parts a day, 8.64 s each, a quarter of which is divided among 64 steps.
    assert.deepEqual(large.pauses, Array(64).fill(33.75));
  });

  test("names what does not match until it is read again, and numbers what came late", async () => {
    const { reading, records, commit, events, numberedIds } = await open(range(2, 301));
    const [forged] = records.log.splice(5, 1);
    commit(1);
    for (let part = 0; part < 4; part += 1) await reading.step();
    assert.equal(reading.state().mismatches, 1);
    assert.deepEqual(events.recorded, [
      { level: "error", event: "trail mismatch", details: { kind: "log", id: 7, what: "removed" } },
      {
        level: "warn",
        event: "trail late",
        details: { kind: "log", id: 1, recordedAt: "2026-11-21T09:30:00.000000Z" },
      },
    ]);
    assert.equal(numberedIds().at(-1), 1);
    if (forged !== undefined) records.log.push(forged);
    records.log.sort((a, b) => a.recordId - b.recordId);
    for (let part = 0; part < 4; part += 1) await reading.step();
    assert.equal(reading.state().mismatches, 0);
  });

  test("learns what other processes have read", async () => {
    const { reading, make, records, clock } = await open();
    records.log.splice(5, 2);
    const other = make();
    await other.step();
    clock.advance(30);
    await reading.step();
    await other.step();
    await other.step();
    assert.equal(other.state().fraction, 0.75);
    await reading.step();
    assert.equal(reading.state().fraction, 1);
    assert.deepEqual([reading.state().mismatches, other.state().mismatches], [2, 2]);
  });
});
