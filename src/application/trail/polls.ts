import type { Clock } from "../process.ts";

/**
 * Polls of the database, one at a time. A poll finds what was committed when it began, so a caller never joins one that is under
 * way: it gets the next one, which everybody shares who asks before that begins. Any number of callers cost one poll at a time.
 */
export class Polls<Result> {
  readonly #poll: () => Promise<Result>;
  readonly #clock: Pick<Clock, "elapsed">;
  /** Settles when no poll is under way, or asked for. */
  #last: Promise<unknown> = Promise.resolve();
  /** Undefined unless a poll is asked for that has not begun. */
  #next: Promise<Result> | undefined;
  #since: number | undefined;

  /** @param poll must not reject */
  constructor(poll: () => Promise<Result>, clock: Pick<Clock, "elapsed">) {
    this.#poll = poll;
    this.#clock = clock;
  }

  /** When the poll under way began, in elapsed milliseconds. */
  get since(): number | undefined {
    return this.#since;
  }

  /** Resolves with the result of a poll that begins after this call. */
  next(): Promise<Result> {
    const next = this.#next ?? this.#last.then(() => this.#begin());
    this.#next = next;
    this.#last = next;
    return next;
  }

  /** Resolves when the polls that were asked for have ended. */
  async ended(): Promise<void> {
    await this.#last;
  }

  async #begin(): Promise<Result> {
    this.#next = undefined;
    this.#since = this.#clock.elapsed();
    try {
      return await this.#poll();
    } finally {
      this.#since = undefined;
    }
  }
}
