import type { ServerResponse } from "node:http";

/** Of lists whose clients have not taken the latest chunk. */
export interface ReaderLimits {
  readonly slowReaders: number;
  readonly slowReaderMilliseconds: number;
}

/**
 * The lists whose clients have not taken the latest chunk. Each of them holds a page and a chunk, up to 0.8 MiB with TLS. When
 * there are too many, another list waits with its next chunk until one is taken, or cuts off the one that has waited longest,
 * if that is too long.
 */
export class SlowReaders {
  readonly #limits: ReaderLimits;
  readonly #noteCut: () => void;
  /** By when they began to wait: the longest wait first. */
  readonly #waiting = new Map<ServerResponse, number>();
  /** Resolve the lists that wait for one of these. */
  readonly #queue = new Set<() => void>();

  constructor(limits: ReaderLimits, noteCut: () => void) {
    this.#limits = limits;
    this.#noteCut = noteCut;
  }

  /** Hands on the chunks of a response, which asks for the next one when its client has taken what there was. */
  async *follow<Chunk>(
    chunks: AsyncIterable<Chunk>,
    response: ServerResponse,
  ): AsyncGenerator<Chunk, undefined> {
    try {
      for await (const chunk of chunks) {
        while (this.#waiting.size >= this.#limits.slowReaders) await this.#makeRoom();
        this.#waiting.set(response, performance.now());
        yield chunk;
        this.#remove(response);
      }
    } finally {
      this.#remove(response);
    }
  }

  #remove(response: ServerResponse): void {
    if (!this.#waiting.delete(response)) return;
    const [first] = this.#queue;
    first?.();
  }

  async #makeRoom(): Promise<void> {
    const [[longest, since] = []] = this.#waiting;
    if (longest === undefined || since === undefined) return;
    const left = since + this.#limits.slowReaderMilliseconds - performance.now();
    if (left > 0) return this.#oneTaken(left);
    this.#noteCut();
    longest.destroy();
    this.#remove(longest);
  }

  /** Resolves when a client has taken its chunk, or after this time. */
  #oneTaken(milliseconds: number): Promise<void> {
    return new Promise(resolve => {
      const go = () => {
        clearTimeout(timer);
        this.#queue.delete(go);
        resolve();
      };
      const timer = setTimeout(go, milliseconds);
      this.#queue.add(go);
    });
  }
}
