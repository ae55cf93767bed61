/** What JSON.stringify writes for each byte up to the last one that it escapes. */
export const escapes: readonly Uint8Array[] = Array.from({ length: 0x5c + 1 }, (_, byte) =>
  Buffer.from(JSON.stringify(String.fromCharCode(byte)).slice(1, -1)),
);

const escapedBytes = [...escapes.keys()].filter(byte => escapes[byte]?.length !== 1);
/** Bytes between two searches: where much is escaped, copying byte by byte is faster. */
const searchDistance = 1024;

/** The next byte of a text, in UTF-8, that JSON escapes. */
export class NextEscaped {
  /** No further than it is; 0 before the first search. */
  at = 0;
  readonly #text: Buffer;
  readonly #nextOf = escapedBytes.map(() => -1);
  #searchedFrom = 0;

  constructor(text: Buffer) {
    this.#text = text;
  }

  search(from: number): void {
    if (from < this.#searchedFrom + searchDistance) return;
    this.#searchedFrom = from;
    this.at = this.#text.length;
    for (let i = 0; i < escapedBytes.length; i += 1) {
      let next = this.#nextOf[i] as number;
      if (next < from) next = this.#text.indexOf(escapedBytes[i] as number, from);
      if (next < 0) next = this.#text.length;
      this.#nextOf[i] = next;
      if (next < this.at) this.at = next;
    }
  }
}
