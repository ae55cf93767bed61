import { createHash } from "node:crypto";

const sha256 = (...parts: Uint8Array[]): Buffer => createHash("sha256").update(Buffer.concat(parts)).digest();

/** RFC 6962, sections 2.1 and 2.1.1, word by word, from the entries. */
export function naiveTree(entries: readonly Uint8Array[]) {
  const middleOf = (from: number, to: number): number => {
    let k = 1;
    while (2 * k < to - from) k = 2 * k;
    return from + k;
  };
  const known = new Map<string, Buffer>();
  const mth = (from: number, to: number): Buffer => {
    const hash = known.get(`${from}-${to}`) ?? defined(from, to);
    known.set(`${from}-${to}`, hash);
    return hash;
  };
  const defined = (from: number, to: number): Buffer => {
    if (to === from) return sha256();
    if (to - from === 1) return sha256(Buffer.of(0), entries[from] as Uint8Array);
    const middle = middleOf(from, to);
    return sha256(Buffer.of(1), mth(from, middle), mth(middle, to));
  };
  const path = (index: number, from: number, to: number): Buffer[] => {
    if (to - from === 1) return [];
    const middle = middleOf(from, to);
    return index < middle
      ? [...path(index, from, middle), mth(middle, to)]
      : [...path(index, middle, to), mth(from, middle)];
  };
  return { mth, path };
}
