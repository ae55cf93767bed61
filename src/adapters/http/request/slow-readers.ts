import type { ServerResponse } from "node:http";

/**
 * The lists whose clients have not taken the latest chunk. Each of them holds a page and a chunk, up to 0.8 MiB with TLS, so
 * when there are too many, the one whose client has taken nothing for longest is cut off.
 */
export class SlowReaders {
  readonly #most: number;
  readonly #noteCut: () => void;
  /** The longest wait first. */
  readonly #waiting = new Set<ServerResponse>();

  constructor(most: number, noteCut: () => void) {
    this.#most = most;
    this.#noteCut = noteCut;
  }

  /** Hands on the chunks of a response, which asks for the next one when its client has taken what there was. */
  async *follow<Chunk>(
    chunks: AsyncIterable<Chunk>,
    response: ServerResponse,
  ): AsyncGenerator<Chunk, undefined> {
    try {
      for await (const chunk of chunks) {
        this.#waiting.add(response);
        if (this.#waiting.size > this.#most) this.#cutLongest();
        yield chunk;
        this.#waiting.delete(response);
      }
    } finally {
      this.#waiting.delete(response);
    }
  }

  #cutLongest(): void {
    const [longest] = this.#waiting as Iterable<ServerResponse>;
    if (longest === undefined) return;
    this.#waiting.delete(longest);
    this.#noteCut();
    longest.destroy();
  }
}
