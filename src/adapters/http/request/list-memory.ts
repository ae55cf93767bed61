import type { ServerResponse } from "node:http";
import { overloaded } from "../api/http-error.ts";
import type { Admission } from "./admission.ts";

export interface ListLimits {
  /** What all lists under way may hold. */
  readonly listBytes: number;
  /** A list that is of more than one chunk counts as so much: a page of it and the chunk that is being sent. */
  readonly longListBytes: number;
  /** When there is no room for a list, one whose client has taken nothing for so long is cut off. */
  readonly slowReaderMilliseconds: number;
}

/** What a list holds, and when its client was given the latest chunk. */
interface Holding {
  readonly bytes: number;
  readonly since: number;
}

/** The memory of the lists under way, which they hold for as long as their clients take to read. */
export class ListMemory {
  readonly #limits: ListLimits;
  readonly #admission: Pick<Admission, "turnAway">;
  /** The longest wait first. */
  readonly #lists = new Map<ServerResponse, Holding>();
  #bytes = 0;

  constructor(limits: ListLimits, admission: Pick<Admission, "turnAway">) {
    this.#limits = limits;
    this.#admission = admission;
  }

  /**
   * Takes memory until the response is closed. Throws HttpError 503 when there is none, and all clients read.
   *
   * @param bytes of the list; undefined when it is of more than one chunk
   */
  take(response: ServerResponse, bytes = this.#limits.longListBytes): void {
    while (this.#bytes + bytes > this.#limits.listBytes) this.#cutLongest();
    this.#bytes += bytes;
    this.#lists.set(response, { bytes, since: performance.now() });
    response.on("close", () => this.#free(response));
  }

  /** The client has taken what there was, and gets another chunk. */
  goOn(response: ServerResponse): void {
    const holding = this.#lists.get(response);
    if (holding === undefined) return;
    this.#lists.delete(response);
    this.#lists.set(response, { ...holding, since: performance.now() });
  }

  #free(response: ServerResponse): void {
    this.#bytes -= this.#lists.get(response)?.bytes ?? 0;
    this.#lists.delete(response);
  }

  #cutLongest(): void {
    const [[longest, { since }] = [undefined, { since: 0 }]] = this.#lists;
    if (longest === undefined || performance.now() - since < this.#limits.slowReaderMilliseconds) {
      this.#admission.turnAway("requests");
      throw overloaded();
    }
    this.#admission.turnAway("slowClients");
    this.#free(longest);
    longest.destroy();
  }
}
