import type { Head } from "./checkpoint.ts";
import { equalBytes, TrailError } from "./encoding.ts";
import { comparedFields, type LogEntry, readLogEntry } from "./entry.ts";
import { type Frontier, type Hash, isIncluded, leafHash } from "./merkle.ts";
import type { TrailProof } from "./proof.ts";

export type PrefixCheck = ReturnType<typeof makePrefixCheck>;

/** Grows the frontier by the hashes of perfect subtrees, and compares it with heads of the sizes that it grows through. */
export function makePrefixCheck(heads: readonly Head[], frontier: Frontier) {
  const sizes = new Set(heads.map(({ size }) => size));
  const roots = new Map([[frontier.size, frontier.root]]);
  return {
    get size(): number {
      return frontier.size;
    },
    /** Appends a leaf, or a subtree of the level. */
    add(hash: Hash, level?: number): void {
      frontier.append(hash, level);
      if (sizes.has(frontier.size)) roots.set(frontier.size, frontier.root);
    },
    /** Whether there are as many entries as the head has, and the first of them give its root. */
    matches({ size, root }: Head): boolean {
      const computed = roots.get(size);
      return computed !== undefined && equalBytes(computed, root);
    },
  };
}

/**
 * The entry of a proof that holds: its hash leads to the root of the checkpoint.
 *
 * @throws TrailError when the proof does not hold, or its entry is not that of a log
 */
export function provenLog(proof: TrailProof, { size, root }: Head): LogEntry {
  const { index, hashes, entry } = proof;
  if (!isIncluded(index, size, leafHash(entry), hashes, root))
    throw new TrailError("does not hold: its entry is not in the tree of its checkpoint");
  return readLogEntry(entry);
}

/**
 * The fields in which a log, as the API returns it, is not as it was recorded, in the API's order: what the log says, undefined when
 * it does not have the field, and what its entry says.
 */
export const differences = (log: Readonly<Record<string, unknown>>, entry: LogEntry) =>
  comparedFields
    .filter(field => isRecorded(field, entry) && log[field] !== entry[field])
    .filter(field => Object.hasOwn(log, field) || (field !== "recordedAt" && field !== "kind"))
    .map(field => ({ field, shown: log[field], recorded: entry[field] }));

/** The fields of a log about which its entry says nothing. */
export const unprovenFields = (log: Readonly<Record<string, unknown>>, entry: LogEntry): string[] =>
  Object.keys(log).filter(name => !comparedFields.some(field => field === name && isRecorded(field, entry)));

/** The name of the performer was not kept before the trail began. */
const isRecorded = (field: keyof LogEntry, entry: LogEntry): boolean =>
  field !== "performedByName" || entry.performedByName !== null;
