import { setImmediate as nextTurn } from "node:timers/promises";
import type { StatementSource } from "../connection/database.ts";
import { isRefused } from "../connection/sqlstate.ts";
import type { Statement } from "../connection/statement.ts";

/** Calls that one statement takes at most. */
const maxCalls = 100;

/** From calls to one statement, and from its rows to as many results, in the order of the calls. */
interface BatchQuery<Call, Row, Result> {
  run(source: StatementSource): Promise<readonly Row[]>;
  statementFor(calls: readonly Call[]): Statement;
  resultsOf(rows: readonly Row[], calls: readonly Call[]): readonly Result[];
}

/** Calls that share one statement: open for more until the statement gets a connection or fails, or there are 100 of them. */
class Batch<Call, Row, Result> {
  readonly calls: Call[] = [];
  readonly results: Promise<readonly Result[]>;
  #isSent = false;

  constructor(query: BatchQuery<Call, Row, Result>) {
    this.results = nextTurn()
      .then(() => this.#send(query))
      .finally(() => {
        // It may have failed before it got a connection.
        this.#isSent = true;
      });
  }

  get isOpen(): boolean {
    return !this.#isSent && this.calls.length < maxCalls;
  }

  async #send({ run, statementFor, resultsOf }: BatchQuery<Call, Row, Result>): Promise<readonly Result[]> {
    const rows = await run(() => {
      this.#isSent = true;
      return statementFor(this.calls);
    });
    const results = resultsOf(rows, this.calls);
    if (results.length === this.calls.length) return results;
    throw new Error(`the database gave ${results.length} results for ${this.calls.length} calls`);
  }
}

class Batches<Call, Row, Result> {
  readonly #query: BatchQuery<Call, Row, Result>;
  #latest: Batch<Call, Row, Result> | undefined;

  constructor(query: BatchQuery<Call, Row, Result>) {
    this.#query = query;
  }

  async run(call: Call): Promise<Result> {
    if (this.#latest?.isOpen !== true) this.#latest = new Batch(this.#query);
    const batch = this.#latest;
    const position = batch.calls.push(call) - 1;
    try {
      return (await batch.results)[position] as Result;
    } catch (error) {
      if (batch.calls.length === 1 || !isRefused(error)) throw error;
      const alone = new Batch(this.#query);
      alone.calls.push(call);
      return (await alone.results)[0] as Result;
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
 *
 * @param resultsOf throws, or returns as many results as there are calls, in their order (the contract of graphql/dataloader)
 */
export function batched<Call, Row, Result>(
  run: BatchQuery<Call, Row, Result>["run"],
  statementFor: BatchQuery<Call, Row, Result>["statementFor"],
  resultsOf: BatchQuery<Call, Row, Result>["resultsOf"],
): (call: Call) => Promise<Result> {
  const batches = new Batches({ run, statementFor, resultsOf });
  return call => batches.run(call);
}
