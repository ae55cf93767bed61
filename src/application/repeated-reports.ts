/** Reports of what may be found again and again: each is due when it differs from the last one, and again after a while. */
export class RepeatedReports {
  readonly #now: () => number;
  readonly #repeatMilliseconds: number;
  #last = "";
  #lastAt = 0;

  /** @param now in elapsed milliseconds */
  constructor(now: () => number, repeatMilliseconds: number) {
    this.#now = now;
    this.#repeatMilliseconds = repeatMilliseconds;
  }

  /**
   * Whether to report this now. Whoever asks has to do so, since the report counts as made.
   *
   * @param found empty if nothing is wrong: that is due once, after a report of something else
   */
  claim(found: string): boolean {
    const isRecent = this.#now() - this.#lastAt < this.#repeatMilliseconds;
    if (found === this.#last && (isRecent || found === "")) return false;
    this.#last = found;
    this.#lastAt = this.#now();
    return true;
  }
}
