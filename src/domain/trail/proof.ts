import { fromBase64, readCount, TrailError, toBase64 } from "./encoding.ts";
import { type Hash, hashLength } from "./merkle.ts";

/** That an entry is in the tree of a checkpoint (C2SP tlog-proof@v1). */
export interface TrailProof {
  /** The entry's bytes. They prove nothing until their hash is found in the tree. */
  readonly entry: Uint8Array;
  readonly index: number;
  /** From the leaf's sibling up to the root's child. */
  readonly hashes: readonly Hash[];
  /** The signed note. */
  readonly checkpoint: string;
}

const head = "c2sp.org/tlog-proof@v1";

/** A tree of 2 ** 63 entries has no longer proofs. */
const hashesAtMost = 63;

export const formatProof = ({ entry, index, hashes, checkpoint }: TrailProof): string =>
  [head, `extra ${toBase64(entry)}`, `index ${index}`, ...hashes.map(toBase64), "", checkpoint].join("\n");

/** Reads the text of a proof, and verifies nothing yet. Throws TrailError. */
export function readProof(text: string): TrailProof {
  const end = text.indexOf("\n\n");
  const [first, extra = "", index = "", ...lines] = text.slice(0, Math.max(0, end)).split("\n");
  if (first !== head) throw new TrailError(`does not begin with ${head}`);
  if (!extra.startsWith("extra ")) throw new TrailError("has no extra line with the entry");
  if (!index.startsWith("index ") || lines.length > hashesAtMost) throw new TrailError("is malformed");
  const hashes = lines.map(fromBase64);
  if (hashes.some(hash => hash.length !== hashLength))
    throw new TrailError("has a hash that is not of 32 bytes");
  return {
    entry: fromBase64(extra.slice("extra ".length)),
    index: readCount("index", index.slice("index ".length)),
    hashes,
    checkpoint: text.slice(end + 2),
  };
}
