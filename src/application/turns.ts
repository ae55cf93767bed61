import { overloaded } from "../domain/error.ts";
import { FairQueue } from "./fair-queue.ts";
import type { TurnLoad } from "./figures.ts";

/** How many may work at one time, and how many may wait for their turn. */
type TurnLimits = Readonly<Record<"working" | "waiting", number>>;

/** Lets so much work go on at one time, and lets the rest wait in lines that take turns. */
export class Turns {
  readonly #limits: TurnLimits;
  readonly #waiting: FairQueue<{ begin(): void; refuse(error: Error): void }>;
  #working = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
    this.#waiting = new FairQueue(limits.waiting);
  }

  /** Throws UNAVAILABLE where too many wait already. */
  async run<T>(line: readonly string[], work: () => Promise<T>): Promise<T> {
    if (this.#working < this.#limits.working) this.#working += 1;
    else {
      await new Promise<void>((begin, refuse) => {
        const refused = this.#waiting.add(line, { begin, refuse });
        refused?.refuse(overloaded());
      });
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.take();
      if (next === undefined) this.#working -= 1;
      else next.begin();
    }
  }

  load(): TurnLoad {
    return {
      working: this.#working,
      workingLimit: this.#limits.working,
      waiting: this.#waiting.size,
      waitingLimit: this.#limits.waiting,
    };
  }
}
