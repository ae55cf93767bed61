import { fromBase64, readCount, TrailError, toBase64 } from "./encoding.ts";
import { type Hash, hashLength } from "./merkle.ts";
import { openLines, requireCosignatures, type SignerKey, signNote, type VerifierKey } from "./note.ts";

/** What a tree is known by: the number of its entries and their root hash. */
export interface Head {
  readonly size: number;
  readonly root: Hash;
}

export const inWords = ({ size, root }: Head): string => `${size} ${toBase64(root)}`;

/** A tree's head that is signed (C2SP tlog-checkpoint). */
export interface Checkpoint extends Head {
  /** Which log it is; the name of its key. */
  readonly origin: string;
}

/** What the first lines of a note state, whoever signed them. Throws TrailError. */
export function readCheckpoint(note: string): Checkpoint {
  const [origin = "", size = "", root = ""] = note.split("\n");
  return { origin, ...readTreeHead(size, root) };
}

/** Throws TrailError. */
export function readTreeHead(size: string, root: string): Head {
  const head = { size: readCount("tree size", size), root: fromBase64(root) };
  if (head.root.length !== hashLength) throw new TrailError("has a malformed root hash");
  return head;
}

/** The note of a checkpoint of this head. */
export const signCheckpoint = ({ size, root }: Head, key: SignerKey): string =>
  signNote(`${key.name}\n${size}\n${toBase64(root)}\n`, key);

/**
 * The tree's head that a note states, provided that a known key of the note's origin has signed it, and all witnesses have
 * cosigned it.
 *
 * @throws TrailError
 */
export function openCheckpoint(
  note: string,
  known: readonly VerifierKey[],
  witnesses: readonly VerifierKey[] = [],
): Checkpoint {
  const lines = openLines(note, known);
  requireCosignatures(note, witnesses);
  // Extension lines are not empty (C2SP tlog-checkpoint).
  if (lines.slice(3).includes("")) throw new TrailError("is not a checkpoint");
  return readCheckpoint(note);
}
