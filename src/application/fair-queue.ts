/**
 * A bounded queue of several lines that take turns, one job each (fair queueing, RFC 970). When it is full the newest job of
 * the longest line loses its place, as in stochastic fair queueing: a flood in one line costs the others about a turn each.
 */
export class FairQueue<Job> {
  readonly #most: number;
  /** In the order of their turns. None is empty. */
  readonly #lines = new Map<string, Job[]>();
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  /** Returns the job that has no place, if there is one. It may be this one. */
  add(line: string, job: Job): Job | undefined {
    const jobs = this.#lines.get(line) ?? [];
    jobs.push(job);
    this.#lines.set(line, jobs);
    this.#size += 1;
    if (this.#size <= this.#most) return undefined;
    // Of lines that are equally long it is this one's, whose job is the newest.
    const longest = [...this.#lines.values()].reduce((a, b) => (b.length > a.length ? b : a), jobs);
    this.#size -= 1;
    const refused = longest.pop();
    if (jobs.length === 0) this.#lines.delete(line);
    return refused;
  }

  /** Takes out the job whose turn it is. */
  take(): Job | undefined {
    const [turn] = this.#lines;
    if (turn === undefined) return undefined;
    const [line, jobs] = turn;
    this.#lines.delete(line);
    this.#size -= 1;
    const job = jobs.shift();
    if (jobs.length > 0) this.#lines.set(line, jobs);
    return job;
  }
}
