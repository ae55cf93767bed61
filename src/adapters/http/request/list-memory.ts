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

/** An exchange, as far as it sends a list. Written by `ListMemory` alone. */
export interface ListHolder {
  readonly response: ServerResponse;
  /** What its list holds; 0 when it sends none. */
  listBytes: number;
  /** When its client was given the latest chunk. */
  listSince: number;
}

/**
 * The memory of the lists under way, which they hold for as long as their clients take to read. It keeps no set of them: V8
 * lets what goes in and out of a long-lived set survive its young generation, which made a list a third dearer.
 */
export class ListMemory {
  readonly #limits: ListLimits;
  readonly #admission: Pick<Admission, "turnAway">;
  readonly #underWay: () => Iterable<ListHolder>;
  #bytes = 0;

  /** @param underWay all exchanges that may hold a list; asked when there is no room */
  constructor(
    limits: ListLimits,
    admission: Pick<Admission, "turnAway">,
    underWay: () => Iterable<ListHolder>,
  ) {
    this.#limits = limits;
    this.#admission = admission;
    this.#underWay = underWay;
  }

  /**
   * Takes memory until the response is closed. Throws HttpError 503 when there is none, and all clients read.
   *
   * @param bytes of the list; undefined when it is of more than one chunk
   */
  take(holder: ListHolder, bytes = this.#limits.longListBytes): void {
    while (this.#bytes + bytes > this.#limits.listBytes) this.#cutLongest();
    this.#bytes += bytes;
    holder.listBytes = bytes;
    holder.listSince = performance.now();
    holder.response.on("close", () => this.#free(holder));
  }

  /** The client has taken what there was, and gets another chunk. */
  goOn(holder: ListHolder): void {
    holder.listSince = performance.now();
  }

  #free(holder: ListHolder): void {
    this.#bytes -= holder.listBytes;
    holder.listBytes = 0;
  }

  #cutLongest(): void {
    let longest: ListHolder | undefined;
    for (const holder of this.#underWay())
      if (holder.listBytes > 0 && !(holder.listSince > (longest?.listSince ?? Number.POSITIVE_INFINITY)))
        longest = holder;
    const patience = this.#limits.slowReaderMilliseconds;
    if (longest === undefined || performance.now() - longest.listSince < patience) {
      this.#admission.turnAway("requests");
      throw overloaded();
    }
    this.#admission.turnAway("slowClients");
    this.#free(longest);
    longest.response.destroy();
  }
}
