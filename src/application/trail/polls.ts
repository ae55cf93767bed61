/**
 * Polls of the database, one at a time. A poll finds what was committed when it began, so a caller never joins one that is under
 * way: it shares the next one with everybody who asks before that one begins. Any number of callers cost one poll at a time.
 */
export class Polls<Result> {
  readonly #poll: () => Promise<Result>;
  /** Settles when no poll is under way, or asked for. */
  #last: Promise<unknown> = Promise.resolve();
  /** Undefined unless a poll is asked for that has not begun. */
  #next: Promise<Result> | undefined;

  /** @param poll must not reject */
  constructor(poll: () => Promise<Result>) {
    this.#poll = poll;
  }

  /** Resolves with the result of a poll that begins after this call. */
  next(): Promise<Result> {
    this.#next ??= this.#last.then(() => {
      this.#next = undefined;
      return this.#poll();
    });
    this.#last = this.#next;
    return this.#next;
  }

  /** Resolves when the polls that were asked for have ended. */
  async ended(): Promise<void> {
    await this.#last;
  }
}
