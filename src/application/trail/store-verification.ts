import { type Head, inWords, openCheckpoint } from "../../domain/trail/checkpoint.ts";
import { makePrefixCheck } from "../../domain/trail/comparison.ts";
import { equalBytes, faultOrRethrow } from "../../domain/trail/encoding.ts";
import { hashLength } from "../../domain/trail/merkle.ts";
import type { VerifierKey } from "../../domain/trail/note.ts";
import { tileWidth } from "../../domain/trail/tile.ts";
import { findAcceptance } from "./continuation.ts";
import type { TrailStore } from "./ports.ts";
import { makeGrowingTree, makeStoredTree } from "./tree.ts";

/**
 * Compares every record with the hash of its entry, every hash with the tree, and the tree with signed checkpoints.
 *
 * @param notes the signed notes, by the names of their places
 * @param report called with each difference, in words
 * @returns how many entries there are
 */
export async function verifyStore(
  { ledger, records, checkpoints }: TrailStore,
  keys: readonly VerifierKey[],
  notes: ReadonlyMap<string, string>,
  report: (difference: string) => Promise<void>,
): Promise<number> {
  for await (const difference of records.differences()) await report(difference);
  const signed: (Head & { readonly place: string; readonly accepted: Head | undefined })[] = [];
  for (const [place, note] of notes) {
    try {
      const head = openCheckpoint(note, keys);
      signed.push({
        place,
        ...head,
        accepted: (await findAcceptance({ checkpoints }, head, keys))?.accepted,
      });
    } catch (error) {
      await report(`the checkpoint in ${place} ${faultOrRethrow(error)}`);
    }
  }
  const { size } = await ledger.end();
  const stored = makeStoredTree(ledger);
  const { tree, nodes } = makeGrowingTree();
  const accepted = signed.flatMap(head => head.accepted ?? []);
  const check = makePrefixCheck([...signed, ...accepted], tree);
  try {
    while (check.size < size) {
      const range = { level: 0, from: check.size, to: Math.min(size, check.size + tileWidth) };
      const [hashes = new Uint8Array()] = await stored.ranges([range]);
      for (let at = 0; at < hashes.length; at += hashLength) check.add(hashes.subarray(at, at + hashLength));
      const computed = nodes.splice(0);
      const ranges = computed.map(({ level, index }) => ({ level, from: index, to: index + 1 }));
      const kept = await ledger.hashes(ranges);
      for (const [at, { level, index, hash }] of computed.entries()) {
        // None is no fault: a process may have ended before it stored it.
        if (kept[at]?.length && !equalBytes(kept[at], hash))
          await report(`hash ${index} of level ${level} is not that of the entries below it`);
      }
    }
  } catch (error) {
    await report(faultOrRethrow(error));
  }
  for (const head of signed) {
    if (check.matches(head) || (head.accepted !== undefined && check.matches(head.accepted))) continue;
    await report(
      `the checkpoint in ${head.place}, ${inWords(head)}, is not extended by the tree of ${size} entries`,
    );
  }
  return size;
}
