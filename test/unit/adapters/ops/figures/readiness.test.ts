import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  type DatabaseState,
  makeReadiness,
  type ReadState,
  type ServicePhase,
} from "../../../../../src/adapters/ops/figures/readiness.ts";

const good: DatabaseState = { database: "ok", schema: "ok" };

/** A database that answers when it is told to, and a clock that goes on when it is told to. */
function makeStage(patienceMilliseconds = 60_000) {
  const questions: { answer(state: ReadState): void }[] = [];
  const reports: ReadState[] = [];
  const stage = { phase: "serving" as ServicePhase, now: 0 };
  const readiness = makeReadiness(
    () => stage.phase,
    () => new Promise(answer => questions.push({ answer })),
    state => void reports.push(state),
    patienceMilliseconds,
    () => stage.now,
  );
  return { stage, questions, reports, readiness };
}

describe("readiness", () => {
  // Its own timer does not keep a process running.
  let running: NodeJS.Timeout;
  before(() => {
    running = setInterval(() => {}, 1_000);
  });
  after(() => clearInterval(running));

  for (const [what, phase, state] of [
    ["is there when the service serves and the database and its schema are right", "serving", good],
    ["is not there when the database is wrong", "serving", { database: "not available", schema: "unknown" }],
    [
      "is not there when the schema is wrong",
      "serving",
      { database: "ok", schema: "the database is behind" },
    ],
    ["is not there before the service listens", "starting", good],
  ] as const)
    test(`${what}, and says so`, async () => {
      const { stage, questions, readiness } = makeStage();
      stage.phase = phase;
      const asked = readiness();
      questions[0]?.answer(state);
      const service = phase === "serving" ? "ok" : phase;
      const ready = state === good && service === "ok";
      assert.deepEqual(await asked, { ready, checks: { service, ...state } });
    });

  test("many who want to know ask one question, and none while the answer is fresh", async () => {
    const { stage, questions, readiness } = makeStage();
    const answers = Array.from({ length: 50 }, readiness);
    assert.equal(questions.length, 1);
    questions[0]?.answer(good);
    assert.ok((await Promise.all(answers)).every(({ ready }) => ready));
    stage.now = 999;
    await readiness();
    assert.equal(questions.length, 1);
    stage.now = 1_000;
    const next = readiness();
    assert.equal(questions.length, 2);
    questions[1]?.answer({ database: "not available", schema: "unknown" });
    assert.equal((await next).ready, false);
  });

  test("a database that does not answer is not waited for, nor asked twice, and may answer later", async () => {
    const { questions, readiness } = makeStage(1);
    const expected = { service: "ok", database: "does not respond", schema: "unknown" };
    for (let i = 0; i < 3; i += 1) assert.deepEqual(await readiness(), { ready: false, checks: expected });
    assert.equal(questions.length, 1);
    questions[0]?.answer(good);
    await new Promise(setImmediate);
    assert.equal((await readiness()).ready, true);
    assert.equal(questions.length, 1);
  });

  test("draining is said at once, without asking the database, of which nothing may be known yet", async () => {
    const { stage, questions, readiness } = makeStage();
    stage.phase = "draining";
    const unknown = { service: "draining", database: "not asked yet", schema: "unknown" };
    assert.deepEqual(await readiness(), { ready: false, checks: unknown });
    assert.equal(questions.length, 0);
    stage.phase = "serving";
    const answer = readiness();
    questions[0]?.answer(good);
    await answer;
    stage.now = 10_000;
    stage.phase = "draining";
    assert.deepEqual(await readiness(), { ready: false, checks: { service: "draining", ...good } });
    assert.equal(questions.length, 1);
  });

  test("says nothing of a cause, which is reported when the state changes, and once a minute while it stays", async () => {
    const { stage, questions, reports, readiness } = makeStage();
    const failing = { database: "fails", schema: "unknown", cause: "planted secret" };
    const away = { database: "not available", schema: "unknown", cause: "another" };
    for (const [now, state, reported] of [
      [0, failing, 1],
      [1_000, good, 1],
      [2_000, failing, 1],
      [59_000, failing, 1],
      [60_000, failing, 2],
      [61_000, away, 3],
      [62_000, good, 3],
    ] as const) {
      stage.now = now;
      const asked = readiness();
      questions.at(-1)?.answer(state);
      const { database, schema } = state;
      const ready = state === good;
      assert.deepEqual(await asked, { ready, checks: { service: "ok", database, schema } });
      assert.equal(reports.length, reported, String(now));
    }
    assert.deepEqual(reports, [failing, failing, away]);
  });
});
