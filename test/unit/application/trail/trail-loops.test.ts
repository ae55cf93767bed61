import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { TrailObstacleError } from "../../../../src/application/trail/condition.ts";
import type { TrailStore } from "../../../../src/application/trail/ports.ts";
import { DomainError } from "../../../../src/domain/error.ts";
import { TrailError } from "../../../../src/domain/trail/encoding.ts";
import { makeTrailOn, makeTrailStage, range } from "../../../support/trail-stage.ts";
import { deferred, until } from "../../../support/until.ts";

/** Runs a trail for so many waits; answers them, and what was logged. */
async function run(failures: readonly (Error | undefined)[], commits: readonly number[] = []) {
  const stage = makeTrailStage();
  const { events } = stage;
  const waits: number[] = [];
  stage.commit(...commits);
  let polls = 0;
  const trail: TrailStore = {
    ...stage.trail,
    ledger: {
      ...stage.trail.ledger,
      async end() {
        const failure = failures[polls];
        polls += 1;
        if (failure !== undefined) throw failure;
        return stage.trail.ledger.end();
      },
    },
  };
  const { promise: enough, resolve: done } = deferred();
  const service = makeTrailOn(stage, {
    trail,
    pause(milliseconds) {
      waits.push(milliseconds);
      stage.clock.advance(milliseconds / 1_000);
      if (polls >= failures.length) done();
      return turn();
    },
  });
  service.start();
  await enough;
  await service.stop();
  const failed = events.recorded.filter(({ event }) => event === "trail failed");
  return { waits, failed, events: events.recorded, size: service.state().size };
}

describe("the trail beside the requests", () => {
  test("reports a failure again after ten minutes, counts the records that wait, and says when it is whole", async () => {
    const refused = Object.assign(new Error("permission denied"), { code: "42501" });
    const stage = makeTrailStage();
    const { ledger } = stage.trail;
    const number = ledger.number;
    ledger.number = () => Promise.reject(refused);
    stage.commit(1, 2, 3);
    const service = makeTrailOn(stage);
    assert.deepEqual(service.state().condition.kind, "waiting");
    const poll = async (seconds: number) => {
      stage.clock.advance(seconds);
      await service.poll();
      const { condition, waitingRecords, pollAgeSeconds } = service.state();
      return [condition.kind, waitingRecords, pollAgeSeconds];
    };
    assert.deepEqual(await poll(1), ["failing", 3, 1]);
    assert.equal(service.state().condition.why, "PostgreSQL refuses a statement (42501)");
    for (let time = 0; time < 3; time += 1) await poll(10);
    const events = (name: string) => stage.told(name).length;
    assert.deepEqual([events("trail failed"), events("trail whole again")], [1, 0]);
    assert.deepEqual(await poll(600), ["failing", 3, 631]);
    assert.equal(events("trail failed"), 2);
    ledger.number = number;
    assert.deepEqual(await poll(10), ["whole", 0, 0]);
    assert.deepEqual([events("trail failed"), events("trail whole again")], [2, 1]);
    await poll(1_000);
    assert.equal(events("trail whole again"), 1);
  });

  test("is as it was until it has caught up after a failure, and says that its polls succeed", async () => {
    const stage = makeTrailStage();
    const { ledger } = stage.trail;
    const { end } = ledger;
    ledger.end = () => Promise.reject(new Error("x"));
    stage.commit(...range(1, 10_001));
    const service = makeTrailOn(stage);
    const poll = async (seconds: number) => {
      stage.clock.advance(seconds);
      await service.poll();
      const { condition, size, pollAgeSeconds } = service.state();
      return [condition.kind, size, pollAgeSeconds];
    };
    assert.deepEqual(await poll(5), ["failing", 0, 5]);
    ledger.end = end;
    assert.deepEqual(await poll(10), ["failing", 4_000, 0]);
    assert.deepEqual(await poll(1), ["failing", 8_000, 0]);
    for (let time = 0; time < 5; time += 1) await poll(1);
    assert.deepEqual(await poll(1), ["whole", 10_000, 0]);
  });

  test("reports another condition, and another cause of the same, at once", async () => {
    const stage = makeTrailStage();
    const { ledger } = stage.trail;
    const service = makeTrailOn(stage);
    for (const [error, failed, waits, broken] of [
      [new Error("one"), 1, 0, 0],
      [new Error("other"), 2, 0, 0],
      [new TrailObstacleError("for the operator", "waiting"), 2, 1, 0],
      [new TrailError("database 3 AAA="), 2, 1, 1],
      [new Error("other"), 3, 1, 1],
    ] as const) {
      ledger.end = () => Promise.reject(error);
      await service.poll();
      const told = ["trail failed", "trail waits", "trail broken"].map(event => stage.told(event).length);
      assert.deepEqual(told, [failed, waits, broken]);
    }
  });

  test("reports a failure before it counts the records that wait, which may take long", async () => {
    const stage = makeTrailStage();
    stage.trail.ledger.number = () => Promise.reject(Object.assign(new Error("x"), { code: "42501" }));
    stage.commit(1);
    const { promise: counted, resolve: count } = deferred<number>();
    stage.trail.records.unnumbered = () => counted;
    const service = makeTrailOn(stage);
    stage.clock.advance(1);
    const polled = service.poll();
    await until(() => service.state().condition.kind === "failing");
    assert.deepEqual(
      [stage.events.recorded.map(({ event }) => event), service.state().waitingRecords],
      [["trail failed"], 0],
    );
    count(1);
    await polled;
    assert.equal(service.state().waitingRecords, 1);
  });

  test("tells a failure once as long as it stays the same, waits ten seconds, and goes on after it", async () => {
    const [one, other] = [new Error("one"), new Error("other")];
    const { failed, waits, size } = await run(
      [one, one, one, other, undefined, undefined, other, undefined],
      [1, 2, 3],
    );
    assert.deepEqual(
      failed.map(({ level, details }) => [level, String(details?.["cause"]).split("\n")[0]]),
      [
        ["error", "Error: one"],
        ["error", "Error: other"],
        ["error", "Error: other"],
      ],
    );
    assert.ok(waits.filter(wait => wait === 10_000).length >= 5);
    assert.equal(size, 3);
  });

  test("says once that the database is not available, and why, and asks again after a second", async () => {
    const away = new DomainError("UNAVAILABLE", "The database is not available", {
      cause: new Error("canceling statement due to user request"),
    });
    const { failed, waits } = await run([away, away, away, undefined, undefined, away, undefined]);
    const expected = { level: "warn", details: { cause: "canceling statement due to user request" } };
    assert.deepEqual(
      failed.map(({ level, details }) => ({ level, details })),
      [expected, expected],
    );
    assert.ok(waits.filter(wait => wait === 1_000).length >= 3);
    assert.equal(waits.includes(10_000), false);
  });

  test("polls again soon while there is more to number", async () => {
    const behind = await run(Array(4).fill(undefined), range(1, 12_000));
    assert.ok(behind.waits.includes(20));
    const idle = await run(Array(200).fill(undefined), [1]);
    assert.ok(idle.waits.filter(wait => wait === 1_000).length >= 50);
    assert.equal(idle.waits.includes(20), false);
  });

  test("ends between two batches at the stop, and reports no failure", async () => {
    const stage = makeTrailStage();
    stage.commit(...range(1, 12_000));
    let stopped: Promise<void> | undefined;
    const service = makeTrailOn(stage, {
      pause(milliseconds, value, cut) {
        if (milliseconds === 20) stopped ??= service.stop();
        return sleep(cut?.signal.aborted ? 60_000 : 0, value, cut);
      },
    });
    service.start();
    await until(() => stopped !== undefined);
    await stopped;
    assert.equal(stage.trail.stored.entries.length, 4_000);
    assert.deepEqual(
      stage.events.recorded.map(({ event, details }) => [event, details?.["size"]]),
      [["checkpoint", 4_000]],
    );
  });
});
