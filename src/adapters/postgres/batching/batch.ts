import { setImmediate as nextTurn } from "node:timers/promises";
import { unavailable } from "../../../domain/error.ts";
import type { StatementSource } from "../connection/database.ts";
import { isRefused } from "../connection/sqlstate.ts";
import type { Statement } from "../connection/statement.ts";

/** Calls that one statement takes at most. */
const maxCalls = 100;

/** How calls become a statement, and its rows their results. */
interface BatchPlan<Call, Row, Result> {
  /** `query` or `queryBytes` of the database. */
  query(source: StatementSource, read?: (row: object) => Row): Promise<readonly Row[]>;
  /** Checks each row. */
  readonly read?: (row: object) => Row;
  statementFor(calls: readonly Call[]): Statement;
  /** Throws, or returns as many results as there are calls, in their order (the contract of graphql/dataloader). */
  resultsOf(rows: readonly Row[], calls: readonly Call[]): readonly Result[];
}

/** Calls that share one statement: open for more until the statement gets a connection or fails, or there are 100 of them. */
class Batch<Call, Row, Result> {
  readonly #calls: Call[] = [];
  readonly #results: Promise<readonly Result[]>;
  #isClosed = false;

  constructor(plan: BatchPlan<Call, Row, Result>) {
    this.#results = this.#serve(plan);
  }

  get isOpen(): boolean {
    return !this.#isClosed && this.#calls.length < maxCalls;
  }

  get isShared(): boolean {
    return this.#calls.length > 1;
  }

  async add(call: Call): Promise<Result> {
    const position = this.#calls.push(call) - 1;
    return (await this.#results)[position] as Result;
  }

  async #serve(plan: BatchPlan<Call, Row, Result>): Promise<readonly Result[]> {
    const { query, read, statementFor, resultsOf } = plan;
    try {
      await nextTurn();
      const rows = await query(() => {
        this.#isClosed = true;
        return statementFor(this.#calls);
      }, read);
      const results = resultsOf(rows, this.#calls);
      if (results.length === this.#calls.length) return results;
      throw unavailable(`the database gave ${results.length} results for ${this.#calls.length} calls`);
    } finally {
      // The statement may also fail before it gets a connection.
      this.#isClosed = true;
    }
  }
}

/**
 * Serves calls that come together with one statement, which costs little more than one of them would: those of one turn
 * of the event loop, and those that come while the statement waits for a connection. No call waits for others to come: on
 * its own it is a statement on its own.
 *
 * A statement that PostgreSQL has refused has done nothing. Then each call is run on its own, so that the fault of one does
 * not become that of all. After any other error the statement may have been committed, and no call is run again.
 */
export function batched<Call, Row, Result>(
  plan: BatchPlan<Call, Row, Result>,
): (call: Call) => Promise<Result> {
  let latest: Batch<Call, Row, Result> | undefined;
  return async call => {
    const batch = latest?.isOpen ? latest : new Batch(plan);
    latest = batch;
    try {
      return await batch.add(call);
    } catch (error) {
      if (!batch.isShared || !isRefused(error)) throw error;
      return new Batch(plan).add(call);
    }
  };
}
