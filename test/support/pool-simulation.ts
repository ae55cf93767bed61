import assert from "node:assert/strict";
import type { MockTimers } from "node:test";
import fc from "fast-check";
import postgres from "postgres";
import { batched } from "../../src/adapters/postgres/batching/batch.ts";
import { makeDatabase } from "../../src/adapters/postgres/connection/database.ts";
import type { Link } from "../../src/adapters/postgres/connection/link.ts";
import { Pool } from "../../src/adapters/postgres/connection/pool.ts";
import { isRefused } from "../../src/adapters/postgres/connection/sqlstate.ts";
import { sql } from "../../src/adapters/postgres/connection/statement.ts";
import { stepOf } from "./step.ts";

const limits = { connections: 3, deadlineMilliseconds: 1_000, waiting: 4 };

/** What becomes of a statement: whether PostgreSQL does it, and what the service gets to know. */
const outcomes = {
  done: { isDone: true, error: undefined },
  refused: { isDone: false, error: () => reported("23514") },
  "refused for a deadlock": { isDone: false, error: () => reported("40P01") },
  "lost before it was done": { isDone: false, error: () => failure("CONNECTION_CLOSED") },
  "lost after it was done": { isDone: true, error: () => failure("ECONNRESET") },
  "ended by a fatal error after it was done": { isDone: true, error: () => reported("XX000", "FATAL") },
  "garbled after it was done": { isDone: true, error: () => new RangeError("out of range") },
  "not confirmed": { isDone: true, error: () => new Error("not confirmed") },
  "done, with a row missing": { isDone: true, error: undefined },
} as const;

const failure = (code: string) => Object.assign(new Error(code), { code });
const reported = (code: string, severity = "ERROR") =>
  new postgres.PostgresError({ message: code, code, severity } as never);

const place = fc.nat({ max: 9 });
/** Everything that can happen next. */
export const step = fc.oneof(
  stepOf(6, "call"),
  stepOf(2, "opened", { place, succeeds: fc.boolean() }),
  stepOf(5, "result", {
    place,
    outcome: fc.constantFrom(...(Object.keys(outcomes) as (keyof typeof outcomes)[])),
  }),
  stepOf(1, "lost", { place }),
  stepOf(2, "time", { milliseconds: fc.integer({ min: 1, max: 700 }) }),
  stepOf(4, "microtasks", { count: fc.integer({ min: 1, max: 8 }) }),
  stepOf(3, "turn"),
);
export type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

interface Running {
  readonly calls: readonly number[];
  settle(outcome: keyof typeof outcomes): void;
}

/** A connection whose statements end when the simulation says so. */
class SimulatedLink implements Link {
  readonly server = { name: "db:5432", host: "db", port: 5_432 };
  readonly isWritable = true;
  isLost = false;
  isClosed = false;
  running: Running | undefined;
  #isBroken = false;
  readonly #world: Simulation;

  constructor(world: Simulation) {
    this.#world = world;
  }

  isOpen = () => !this.isLost && !this.isClosed;
  cancel = () => {};

  send({ values }: { readonly values: readonly unknown[] }): Promise<unknown[]> {
    this.#world.expect(!this.isClosed, "a closed connection runs nothing");
    this.#world.expect(!this.#isBroken, "a connection in an unknown state runs nothing");
    this.#world.expect(this.running === undefined, "a connection runs one statement at a time");
    const calls = values as readonly number[];
    this.#world.noteSent(calls);
    return new Promise((resolve, reject) => {
      this.running = {
        calls,
        settle: outcome => {
          this.running = undefined;
          const { isDone, error } = outcomes[outcome];
          this.#world.noteEnd(calls, isDone, outcome.startsWith("refused"));
          this.#isBroken = error !== undefined && !outcome.startsWith("refused");
          if (error !== undefined) reject(error());
          else resolve(calls.slice(outcome === "done, with a row missing" ? 1 : 0));
        },
      };
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

/** What has become of a call so far. */
interface Seen {
  sent: number;
  refused: number;
  done: number;
  settled: number;
}

/** A pool, a batch over it, and a database that does what the steps say; it holds the promises of both after each step. */
export class Simulation {
  readonly #timers: MockTimers;
  readonly #calls: Seen[] = [];
  readonly #links: SimulatedLink[] = [];
  #fault: string | undefined;
  readonly #opening: ((succeeds: boolean) => void)[] = [];
  readonly #pool = new Pool<Link>(limits, {
    open: () =>
      new Promise((resolve, reject) => {
        this.#opening.push(succeeds => {
          if (!succeeds) return reject(failure("ECONNREFUSED"));
          const link = new SimulatedLink(this);
          this.#links.push(link);
          resolve(link);
        });
      }),
    isBroken: error => !isRefused(error),
    isUsable: link => link.isOpen(),
    suspect: () => {},
  });
  readonly #run = batched({
    query: makeDatabase(this.#pool).query<object>,
    statementFor: (calls: readonly number[]) =>
      calls.map(call => sql`${call}`).reduce((all, next) => sql`${all}, ${next}`),
    resultsOf: rows => rows as unknown as number[],
  });

  constructor(timers: MockTimers) {
    this.#timers = timers;
  }

  /** The code under test must not catch what is found. */
  expect(holds: boolean, promise: string): void {
    if (!holds) this.#fault ??= promise;
  }

  noteSent(calls: readonly number[]): void {
    for (const call of calls) {
      const seen = this.#calls[call] as Seen;
      seen.sent += 1;
      this.expect(seen.sent <= seen.refused + 1, "a call is sent again only if its statement was refused");
    }
  }

  noteEnd(calls: readonly number[], isDone: boolean, isRefusal: boolean): void {
    for (const call of calls) {
      const seen = this.#calls[call] as Seen;
      if (isDone) seen.done += 1;
      if (isRefusal) seen.refused += 1;
      this.expect(seen.done <= 1, "no call is done twice");
    }
  }

  async take(step: Step): Promise<void> {
    if (step.kind === "call") this.#call();
    else if (step.kind === "opened")
      this.#opening.splice(step.place % (this.#opening.length || 1), 1)[0]?.(step.succeeds);
    else if (step.kind === "result")
      this.#at(
        this.#links.filter(link => link.running),
        step.place,
      )?.running?.settle(step.outcome);
    else if (step.kind === "lost") Object.assign(this.#at(this.#links, step.place) ?? {}, { isLost: true });
    else if (step.kind === "time") this.#timers.tick(step.milliseconds);
    else if (step.kind === "turn") await new Promise(resolve => setImmediate(resolve));
    else for (let i = 0; i < step.count; i += 1) await undefined;
    this.#check(step.kind === "turn");
  }

  /** Lets time pass until all is settled, and checks that nothing is left. */
  async end(): Promise<void> {
    for (let round = 0; this.#calls.some(({ settled }) => settled === 0); round += 1) {
      assert.ok(round < 20, "every call settles");
      this.#timers.tick(limits.deadlineMilliseconds);
      await new Promise(resolve => setImmediate(resolve));
    }
    for (const opened of this.#opening.splice(0)) opened(true);
    await new Promise(resolve => setImmediate(resolve));
    this.#check(true);
    for (const { settled, done } of this.#calls) assert.deepEqual([settled, done <= 1], [1, true]);
    const { inUse, idle, waiting } = this.#pool.load();
    assert.deepEqual([inUse, waiting], [0, 0], "nothing is checked out or waited for");
    assert.equal(this.#links.filter(({ isClosed }) => !isClosed).length, idle, "no connection leaks");
    await this.#pool.close();
    assert.ok(this.#links.every(({ isClosed }) => isClosed));
  }

  #at<T>(all: readonly T[], place: number): T | undefined {
    return all[place % (all.length || 1)];
  }

  #call(): void {
    const call = this.#calls.length;
    const seen: Seen = { sent: 0, refused: 0, done: 0, settled: 0 };
    this.#calls.push(seen);
    this.#run(call).then(
      result => {
        seen.settled += 1;
        this.expect(result === call && seen.done === 1, "a result is the call's own, and of what was done");
      },
      () => {
        seen.settled += 1;
      },
    );
  }

  /** @param isAtRest whether nothing goes on but what the simulation holds */
  #check(isAtRest: boolean): void {
    assert.equal(this.#fault, undefined);
    const { inUse, idle, waiting, limit } = this.#pool.load();
    const open = this.#links.filter(({ isClosed }) => !isClosed).length;
    assert.ok(inUse + idle <= limit && open <= limit, "the pool keeps its limit");
    assert.ok(waiting <= limits.waiting + limits.connections, "a bounded number waits");
    assert.ok(waiting === 0 || idle === 0, "nobody waits beside an idle connection");
    const wanted = Math.min(waiting, limit - (open - idle));
    // Beside one that is checked out an opening may have failed: those who wait get the one that comes back.
    const isServed = this.#opening.length >= (open > idle ? 0 : wanted);
    assert.ok(!isAtRest || isServed, "nobody waits where no connection is checked out and one may be opened");
  }
}

/** Simulates runs of steps, and says with which seed and steps one failed. */
export const simulate = (timers: MockTimers, runs: number, stepsOfRun: number): Promise<void> =>
  fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: stepsOfRun / 2, maxLength: stepsOfRun, size: "max" }),
      async steps => {
        const simulation = new Simulation(timers);
        for (const each of steps) await simulation.take(each);
        await simulation.end();
      },
    ),
    { numRuns: runs },
  );
