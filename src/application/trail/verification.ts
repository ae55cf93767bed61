import { openCheckpoint } from "../../domain/trail/checkpoint.ts";
import type { Ed25519 } from "../../domain/trail/crypto.ts";
import { equalBytes, TrailError } from "../../domain/trail/encoding.ts";
import { makeFrontier, type TreeHasher } from "../../domain/trail/merkle.ts";
import type { VerifierKey } from "../../domain/trail/note.ts";
import { hashLength, tileHeight } from "../../domain/trail/tile.ts";
import type { Head, TrailStore } from "./ports.ts";
import { inWords } from "./signing.ts";

/** Hashes read with one statement: those of a tile of level 1. */
const hashesAtOnce = 65_536;

interface VerificationPorts extends TrailStore {
  readonly hasher: TreeHasher;
  readonly ed25519: Pick<Ed25519, "verify">;
  readonly keys: readonly VerifierKey[];
}

/**
 * Compares every record with the hash of its entry, every hash with the tree, and the tree with signed checkpoints.
 *
 * @param notes the signed notes, by the names of their places
 * @param tell called with each difference, in words
 * @returns how many entries there are
 */
export async function verifyStore(
  { ledger, records, hasher, ed25519, keys }: VerificationPorts,
  notes: ReadonlyMap<string, string>,
  tell: (difference: string) => Promise<void>,
): Promise<number> {
  for await (const { kind, id, what } of records.findings()) await tell(`${kind} ${id}: ${what}`);
  const signed: { readonly place: string; readonly head: Head }[] = [];
  for (const [place, note] of notes) {
    try {
      signed.push({ place, head: openCheckpoint(note, keys, ed25519) });
    } catch (error) {
      if (!(error instanceof TrailError)) throw error;
      await tell(`the checkpoint in ${place} ${error.message}`);
    }
  }
  const { size, roots } = await recompute(signed.map(({ head }) => head.size));
  for (const { place, head } of signed) {
    const root = roots.get(head.size);
    if (root !== undefined && equalBytes(root, head.root)) continue;
    await tell(
      `the checkpoint in ${place}, ${inWords(head)}, is not extended by the tree of ${size} entries`,
    );
  }
  return size;

  /** The tree of the stored hashes: its size, and its roots when it had each of these sizes. */
  async function recompute(sizes: readonly number[]) {
    const { size } = await ledger.end();
    const tiles: { readonly level: number; readonly index: number; readonly root: Uint8Array }[] = [];
    const frontier = makeFrontier(hasher, undefined, ({ level, index }, root) => {
      if (level % tileHeight === 0) tiles.push({ level: level / tileHeight, index, root });
    });
    const roots = new Map([[0, frontier.root()]]);
    while (frontier.size < size) {
      const from = frontier.size;
      const to = Math.min(size, from + hashesAtOnce);
      const missing = await ledger.firstMissing(from, to);
      const hashes = await ledger.hashes(0, from, to);
      if (missing !== undefined || hashes.length !== (to - from) * hashLength) {
        const what =
          missing === undefined
            ? `one of the entries ${from} to ${to - 1} has no hash`
            : `entry ${missing} was removed`;
        await tell(what);
        break;
      }
      for (let at = 0; at < hashes.length; at += hashLength) {
        frontier.append(hashes.subarray(at, at + hashLength));
        if (sizes.includes(frontier.size)) roots.set(frontier.size, frontier.root());
      }
      for (const { level, index, root } of tiles.splice(0)) {
        const stored = await ledger.hashes(level, index, index + 1);
        if (!equalBytes(stored, root))
          await tell(`tile ${index} of level ${level - 1} is not the root of its hashes`);
      }
    }
    return { size, roots };
  }
}
