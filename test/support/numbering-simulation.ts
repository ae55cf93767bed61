import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { Numbering } from "../../src/application/trail/numbering.ts";
import type { Horizon, Ledger, TrailRecords } from "../../src/application/trail/ports.ts";
import { makeStoredTree } from "../../src/application/trail/tree.ts";
import { DomainError } from "../../src/domain/error.ts";
import type { Head } from "../../src/domain/trail/checkpoint.ts";
import { toBase64 } from "../../src/domain/trail/encoding.ts";
import { logRecord, makeTrailStage, range } from "./trail-stage.ts";

/** What a test plants, to show that the simulation finds it. */
export type Fault = "settles too early" | "accepts a taken index" | "forgets a sequence that was set back";

const most = { processes: 4, transactions: 5, snapshots: 40, ids: 2 };
/** Between the id of a record and that of its transaction, in elapsed milliseconds. */
const ownIdWithin = 1_000;

const place = fc.nat({ max: 11 });
const only = <Kind extends string>(kind: Kind) => fc.constant({ kind });
const at = <Kind extends string>(kind: Kind) => fc.record({ kind: fc.constant(kind), place });
/** Everything that can happen next. */
const step = fc.oneof(
  { weight: 3, arbitrary: only("begin") },
  { weight: 10, arbitrary: at("take the id of a record") },
  { weight: 1, arbitrary: at("take the id of a transaction") },
  { weight: 2, arbitrary: at("commit") },
  { weight: 1, arbitrary: at("abort") },
  { weight: 1, arbitrary: only("start a process") },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("kill"), place, isMeant: fc.nat({ max: 5 }) }) },
  {
    weight: 24,
    arbitrary: fc.record({
      kind: fc.constant("go on"),
      place,
      outcome: fc.constantFrom(
        ...Array(12).fill("done"),
        "lost before it was done",
        "lost after it was done",
      ),
    }),
  },
  { weight: 12, arbitrary: at("poll") },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant("time"), milliseconds: fc.integer({ min: 10, max: 1_100 }) }),
  },
  // A new pass over all ids is due.
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("time"), milliseconds: fc.constant(86_400_000) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("promote"),
      isMeant: fc.nat({ max: 3 }),
      lostSteps: fc.nat({ max: most.snapshots }),
      isPooled: fc.boolean(),
      // PostgreSQL logs a sequence ahead of its value.
      ahead: fc.nat({ max: 32 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("set the sequence back"),
      isMeant: fc.nat({ max: 2 }),
      by: fc.nat({ max: 20 }),
    }),
  },
);
type Step =
  | { kind: "begin" | "start a process" }
  | {
      kind: "take the id of a record" | "take the id of a transaction" | "commit" | "abort" | "poll";
      place: number;
    }
  | { kind: "kill"; place: number; isMeant: number }
  | { kind: "go on"; place: number; outcome: string }
  | { kind: "time"; milliseconds: number }
  | { kind: "promote"; isMeant: number; lostSteps: number; isPooled: boolean; ahead: number }
  | { kind: "set the sequence back"; isMeant: number; by: number };

interface Transaction {
  readonly name: string;
  readonly ids: number[];
  /** When it took its first id. */
  since: number;
  xid: number | undefined;
}

interface Process {
  readonly numbering: Numbering;
  /** The statement that it waits for. */
  statement: ((outcome: string) => void) | undefined;
  isPolling: boolean;
  isFree: boolean;
}

const lost = () => new DomainError("UNAVAILABLE", "The database is not available");

/** Processes that number beside transactions, on a database in memory of which each statement is done when a step says so. */
class Simulation {
  readonly #stage = makeTrailStage();
  readonly #fault: Fault | undefined;
  #transactions: Transaction[] = [];
  #processes: Process[] = [];
  #count = 0;
  /** All polls are whole. */
  #isEnding = false;
  #broken: string | undefined;
  /** What a standby may have. */
  #snapshots: ReturnType<Simulation["snapshot"]>[] = [];
  #before: readonly unknown[] = [];
  #signed: Head | undefined;
  /**
   * The highest id before a sequence was set back, and who does not know of that. Until all do, it gives no id: a sequence
   * that has caught up between two polls of a process shows nothing.
   */
  #setBack = { from: 0, times: 0, unaware: new Set<Process>() };

  constructor(fault: Fault | undefined) {
    this.#fault = fault;
    // A few more complete a subtree that is stored.
    this.#stage.commit(...range(1, 14));
    this.#stage.given.log = 13;
  }

  /** The code under test must not catch what is found. */
  expect(holds: boolean, promise: string): void {
    if (!holds) this.#broken ??= promise;
  }

  snapshot() {
    const { records, given, trail } = this.#stage;
    const { entries, nodes } = trail.stored;
    return {
      log: [...records.log],
      entries: [...entries],
      nodes: [...nodes],
      given: given.log,
      next: trail.transactions.next,
    };
  }

  async take(step: Step): Promise<void> {
    const isPromotion = step.kind === "promote" && step.isMeant === 0;
    this.#take(step);
    await turn();
    this.#check(isPromotion);
    this.#snapshots.push(this.snapshot());
    if (this.#snapshots.length > most.snapshots) this.#snapshots.shift();
  }

  #take(step: Step): void {
    const pick = <Each>(all: readonly Each[], place: number): readonly Each[] =>
      all.length === 0 ? [] : [all[place % all.length] as Each];
    if (step.kind === "begin") this.#begin();
    else if (step.kind === "start a process") this.#start();
    else if (step.kind === "time") this.#pass(step.milliseconds);
    else if (step.kind === "promote" && step.isMeant === 0) this.#promote(step);
    else if (step.kind === "set the sequence back" && step.isMeant === 0) this.#goBack(step.by);
    else if (step.kind === "go on" || step.kind === "poll" || step.kind === "kill")
      for (const process of pick(this.#processes, step.place)) {
        if (step.kind === "go on") this.#goOn(process, step.outcome);
        else if (step.kind === "poll") this.#pollWhole(process);
        else if (step.kind === "kill" && step.isMeant === 0) this.#kill(process);
      }
    else if ("place" in step)
      for (const transaction of pick(this.#transactions, step.place)) {
        if (step.kind === "take the id of a record") this.#takeId(transaction);
        else if (step.kind === "take the id of a transaction") this.#takeOwnId(transaction);
        else if (step.kind === "commit") this.#commit(transaction);
        else this.#end(transaction);
      }
  }

  /** Lets all transactions end and all processes poll until nothing is new, and checks that nothing is left. */
  async end(): Promise<void> {
    for (const transaction of [...this.#transactions]) this.#commit(transaction);
    this.#isEnding = true;
    for (const process of this.#processes) {
      process.isFree = true;
      process.statement?.("done");
    }
    await turn();
    if (this.#processes.length === 0) this.#start(true);
    const { records, trail, clock, rootOf } = this.#stage;
    for (let round = 0; round < 6; round += 1) {
      for (const process of this.#processes) {
        clock.advance(1);
        for (let polls = 0; (await this.#poll(process)) && polls < 20; polls += 1) this.#check(false);
        this.#check(false);
      }
    }
    const numbered = new Set(trail.stored.entries.map(({ recordId }) => recordId));
    const missing = records.log.filter(({ recordId }) => !numbered.has(recordId));
    assert.deepEqual(missing, [], "each committed record has a number");
    const { root } = await makeStoredTree(trail.ledger).frontier(trail.stored.entries.length);
    assert.equal(toBase64(root), rootOf(), "the stored tree is that of the entries");
    assert.equal(this.#stage.events.recorded.length, 0, "nothing is late, since all ids are of the sequence");
  }

  #begin(): void {
    if (this.#transactions.length >= most.transactions) return;
    this.#count += 1;
    this.#transactions.push({
      name: `${this.#count}`,
      ids: [],
      since: Number.POSITIVE_INFINITY,
      xid: undefined,
    });
  }

  #takeId(transaction: Transaction): void {
    const { given, clock } = this.#stage;
    if (transaction.ids.length >= most.ids) return;
    if (this.#setBack.unaware.size > 0) return;
    given.log += 1;
    transaction.ids.push(given.log);
    transaction.since = Math.min(transaction.since, clock.elapsed());
  }

  #takeOwnId(transaction: Transaction): void {
    const { transactions } = this.#stage.trail;
    if (transaction.xid !== undefined || transaction.ids.length === 0) return;
    transaction.xid = transactions.next++;
    transactions.open.add(transaction.xid);
  }

  /** A record whose id is there already fails, and its transaction with it. */
  #commit(transaction: Transaction): void {
    const { records } = this.#stage;
    const { ids, name } = transaction;
    if (
      new Set([...ids, ...records.log.map(({ recordId }) => recordId)]).size ===
      ids.length + records.log.length
    ) {
      records.log.push(...ids.map(id => logRecord(id, name)));
      records.log.sort((a, b) => a.recordId - b.recordId);
    }
    this.#end(transaction);
  }

  #end(transaction: Transaction): void {
    this.#transactions = this.#transactions.filter(other => other !== transaction);
    if (transaction.xid !== undefined) this.#stage.trail.transactions.open.delete(transaction.xid);
  }

  /** A transaction that was given an id has one of its own soon after. */
  #pass(milliseconds: number): void {
    const { clock } = this.#stage;
    clock.advance(milliseconds / 1_000);
    for (const each of this.#transactions)
      if (clock.elapsed() - each.since >= ownIdWithin) this.#takeOwnId(each);
  }

  /** A process that ends is not heard of any more: its statement is never done. */
  #kill(process: Process): void {
    this.#processes = this.#processes.filter(other => other !== process);
    this.#setBack.unaware.delete(process);
  }

  #goBack(by: number): void {
    const { given } = this.#stage;
    const { from, times, unaware } = this.#setBack;
    this.#setBack = {
      from: unaware.size > 0 ? Math.max(from, given.log) : given.log,
      times: times + 1,
      unaware: new Set(this.#processes),
    };
    given.log = Math.max(0, given.log - by);
  }

  #promote({ lostSteps, isPooled, ahead }: Extract<Step, { kind: "promote" }>): void {
    const { records, given, trail } = this.#stage;
    const kept = this.#snapshots[Math.max(0, this.#snapshots.length - 1 - lostSteps)] ?? this.snapshot();
    records.log.splice(0, records.log.length, ...kept.log);
    Object.assign(trail.stored, { entries: [...kept.entries], nodes: [...kept.nodes] });
    given.log = kept.given + ahead;
    this.#count += 1;
    trail.transactions.open.clear();
    Object.assign(trail.transactions, { next: kept.next, server: `server ${this.#count}` });
    this.#transactions = [];
    this.#snapshots = [];
    // Every process finds out: the server is another one.
    this.#setBack = { ...this.#setBack, times: this.#setBack.times + 1, unaware: new Set() };
    // Such a loss is what the checkpoint outside of the database is for.
    if (this.#signed && this.#signed.size > kept.entries.length) this.#signed = undefined;
    // On a connection that is opened anew, the next statement of a poll is done by the new server.
    if (!isPooled) for (const process of this.#processes) process.statement?.("lost before it was done");
  }

  #start(isFree = false): void {
    if (this.#processes.length >= most.processes) return;
    const { trail, clock, events } = this.#stage;
    const process = { statement: undefined, isPolling: false, isFree } as unknown as Process;
    const each = <Port extends object>(port: Port): Port =>
      Object.fromEntries(
        Object.entries(port).map(([name, call]) => [
          name,
          (...given: unknown[]) => this.#run(process, name, given, call),
        ]),
      ) as Port;
    const ledger: Ledger = each(trail.ledger);
    const records: TrailRecords = each(trail.records);
    Object.assign(process, { numbering: new Numbering({ ledger, records, clock, events }) });
    this.#processes.push(process);
  }

  /** Does the statement when a step says so, with the outcome that it says. */
  async #run(
    process: Process,
    name: string,
    given: unknown[],
    call: (...given: unknown[]) => unknown,
  ): Promise<unknown> {
    const outcome = process.isFree
      ? "done"
      : await new Promise<string>(resolve => (process.statement = resolve));
    process.statement = undefined;
    if (outcome === "lost before it was done") throw lost();
    const { times } = this.#setBack;
    const result = await this.#plant(name, given, call);
    if (outcome === "lost after it was done") throw lost();
    if (name === "horizon" && times === this.#setBack.times) this.#setBack.unaware.delete(process);
    return result;
  }

  async #plant(name: string, given: unknown[], call: (...given: unknown[]) => unknown): Promise<unknown> {
    const { trail } = this.#stage;
    if (this.#fault === "accepts a taken index" && name === "number") {
      const { entries } = trail.stored;
      const [{ size }] = given as Parameters<Ledger["number"]>;
      const hidden = entries.splice(size);
      const result = call(...given);
      entries.push(...hidden);
      return result;
    }
    const result = await call(...given);
    if (name !== "horizon") return result;
    const horizon = result as Horizon;
    if (this.#fault === "settles too early") {
      const [, ...open] = [...trail.transactions.open].sort((a, b) => a - b);
      return { ...horizon, xmin: Math.min(trail.transactions.next, ...open) };
    }
    if (this.#fault === "forgets a sequence that was set back") {
      const log = Math.max(horizon.lastIds.log, this.#setBack.from);
      return { ...horizon, lastIds: { ...horizon.lastIds, log } };
    }
    return horizon;
  }

  #goOn(process: Process, outcome: string): void {
    if (process.statement !== undefined) process.statement(outcome);
    else if (!process.isPolling) void this.#poll(process);
  }

  /** All of a poll, or what is left of one. What the rules of settling forbid takes many polls to show. */
  #pollWhole(process: Process): void {
    process.isFree = true;
    this.#goOn(process, "done");
  }

  async #poll(process: Process): Promise<boolean> {
    process.isPolling = true;
    const { trail } = this.#stage;
    const { server } = trail.transactions;
    const isSameServer = () => server === trail.transactions.server;
    try {
      const isMore = await process.numbering.step();
      const head = process.numbering.tree as Head;
      if (!isSameServer()) return isMore;
      if (this.#signed && head.size >= this.#signed.size && this.#processes.includes(process))
        this.expect(
          await makeStoredTree(trail.ledger).extends(this.#signed, head),
          "a signed head is a prefix",
        );
      if (head.size >= (this.#signed?.size ?? 0)) this.#signed = head;
      return isMore;
    } catch (error) {
      this.expect(
        !isSameServer() || (error instanceof DomainError && error.code === "UNAVAILABLE"),
        `no poll fails: ${error}`,
      );
      return false;
    } finally {
      process.isPolling = false;
      process.isFree &&= this.#isEnding;
    }
  }

  #check(isPromotion: boolean): void {
    assert.equal(this.#broken, undefined);
    const { entries } = this.#stage.trail.stored;
    assert.ok(
      entries.every(({ index }, at) => index === at),
      "numbers have no gap, and none is given twice",
    );
    assert.equal(
      new Set(entries.map(({ recordId }) => recordId)).size,
      entries.length,
      "a record has one number",
    );
    assert.ok(isPromotion || this.#before.every((entry, at) => entries[at] === entry), "no number changes");
    this.#before = [...entries];
  }
}

/** Simulates runs of steps; throws, with the seed and the fewest steps that fail, where a promise is broken. */
export async function simulate(runs: number, seed: number, fault?: Fault): Promise<number> {
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(step, { minLength: 150, maxLength: 300, size: "max" }),
      async (isCalm, steps) => {
        const simulation = new Simulation(fault);
        for (const each of steps) {
          // What makes processes begin anew hides what only those see that have settled older ids.
          if (isCalm && (each.kind === "promote" || each.kind === "set the sequence back")) continue;
          await simulation.take(each as Step);
          taken += 1;
        }
        await simulation.end();
      },
    ),
    // A planted fault need not be shrunk.
    { numRuns: runs, seed, endOnFailure: fault !== undefined },
  );
  return taken;
}
