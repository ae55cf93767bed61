/**
 * A bounded queue: jobs in one line, or lines that take turns, one job each (fair queueing, RFC 970). When it is full the newest
 * job of the longest line loses its place, as in stochastic fair queueing: a flood in one line costs the others about a turn each.
 */
export class FairQueue<Job> {
  readonly #most: number;
  #size = 0;
  readonly #jobs: Job[] = [];
  /** In the order of their turns. None is empty. */
  readonly #lines = new Map<string, FairQueue<Job>>();

  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Returns the job that has no place, if there is one. It may be this one.
   *
   * @param path the line, then the line within it, and so on. All calls give as many names.
   */
  add(path: readonly string[], job: Job): Job | undefined {
    const [name, ...within] = path;
    this.#size += 1;
    if (name === undefined) this.#jobs.push(job);
    else {
      const line = this.#lines.get(name) ?? new FairQueue<Job>();
      line.add(within, job);
      this.#lines.set(name, line);
    }
    return this.#size > this.#most ? this.#giveUp(path) : undefined;
  }

  /** Takes out the job whose turn it is. */
  take(): Job | undefined {
    if (this.#size === 0) return undefined;
    this.#size -= 1;
    const [turn] = this.#lines;
    if (turn === undefined) return this.#jobs.shift();
    const [name, line] = turn;
    this.#lines.delete(name);
    const job = line.take();
    if (line.size > 0) this.#lines.set(name, line);
    return job;
  }

  /** Takes out the newest job of the longest line. Among equally long ones, the line that just got a job loses, else that whose turn is last. */
  #giveUp([newestLine, ...within]: readonly string[]): Job | undefined {
    this.#size -= 1;
    if (this.#lines.size === 0) return this.#jobs.pop();
    const rank = ([name, line]: readonly [string, FairQueue<Job>]) =>
      line.size + (name === newestLine ? 0.5 : 0);
    const [name, line] = [...this.#lines].reduce((a, b) => (rank(b) >= rank(a) ? b : a));
    const job = line.#giveUp(name === newestLine ? within : []);
    if (line.size === 0) this.#lines.delete(name);
    return job;
  }
}
