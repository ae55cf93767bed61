import { signCheckpoint } from "../../domain/trail/checkpoint.ts";
import type { Ed25519 } from "../../domain/trail/crypto.ts";
import { fromBase64, readCount, TrailError, toBase64 } from "../../domain/trail/encoding.ts";
import type { TreeHasher } from "../../domain/trail/merkle.ts";
import type { SignerKey } from "../../domain/trail/note.ts";
import type { Clock, EventLog } from "../ports.ts";
import type { GrownHead, Numbering } from "./numbering.ts";
import type { Head, RememberedNote, TrailStore } from "./ports.ts";
import { extendsHead } from "./tree.ts";

export interface SigningPorts extends Pick<TrailStore, "ledger" | "checkpoints"> {
  readonly hasher: TreeHasher;
  readonly ed25519: Pick<Ed25519, "sign">;
  /** Undefined: nothing is signed. */
  readonly key: SignerKey | undefined;
  readonly remembered: RememberedNote | undefined;
  readonly events: EventLog;
  readonly clock: Clock;
  readonly numbering: Pick<Numbering, "step" | "head">;
}

/** A head that was signed, or would have been if there were a key. */
export interface NewestHead extends Head {
  readonly note: string | undefined;
  readonly at: Date;
}

const signMilliseconds = 1_000;
const announceMilliseconds = 60_000;
/** The database keeps one checkpoint for so many entries, or for so long, so that they take little space. */
const storedEntries = 1_000;
const storedMilliseconds = 3_600_000;
/** For how long a head that a tree was found to extend, or has grown from, is not proven anew from what is stored. */
const provenMilliseconds = 10_000;
/** Entries that one statement searches for a record's second one. */
const searchedEntries = 2 ** 20;

/** The head that a note states. Its signature is not checked: the key may be another one by now. Throws TrailError. */
export function headOf(note: string): Head {
  const [, size = "", root = ""] = note.split("\n");
  return { size: readCount("tree size", size), root: fromBase64(root) };
}

/** The head that is remembered. Throws TrailError that says where, and what to do. */
export async function rememberedHead(remembered: RememberedNote): Promise<Head | undefined> {
  const note = await remembered.read();
  try {
    return note === undefined ? undefined : headOf(note);
  } catch (error) {
    const { message } = error as Error;
    throw new TrailError(
      `${remembered.place} has no checkpoint (it ${message}): put back the last one from the log or a backup, or run accept-trail`,
    );
  }
}

export const inWords = ({ size, root }: Head): string => `${size} ${toBase64(root)}`;

/**
 * Makes sure that the tree extends what was signed before: outside the database if there is such a place, and in it.
 * Throws TrailError where it does not, and where the stored trail is not whole.
 *
 * @param stored the last checkpoint in the database
 * @param signed the last head that this process has signed, which stands for the place outside where there is none
 * @param proven heads, in words, that the tree is known to extend; what is found here is added
 */
export async function refuseContradiction(
  { ledger, hasher, remembered }: Pick<SigningPorts, "ledger" | "hasher" | "remembered">,
  tree: Head,
  stored: Head | undefined,
  signed?: Head,
  proven = new Set<string>(),
): Promise<void> {
  const kept = remembered === undefined ? signed : await rememberedHead(remembered);
  if (remembered !== undefined && kept === undefined && stored !== undefined) {
    throw new TrailError(
      `the checkpoints in the database, while ${remembered.place} is missing: put it back from a backup, or run accept-trail`,
    );
  }
  const place = remembered === undefined ? "memory" : "TRAIL_STATE_FILE";
  const isProven = (head: Head) => proven.has(inWords(head)) && head.size <= tree.size;
  // The place outside says up to where no record had two entries; the owner of the database can write any size there.
  for (let from = kept?.size ?? 0; !(kept && isProven(kept)) && from < tree.size; from += searchedEntries) {
    const repeated = await ledger.firstRepeated(from, Math.min(tree.size, from + searchedEntries));
    if (repeated === undefined) continue;
    const { kind, recordId, index } = repeated;
    throw new TrailError(`another entry of ${kind} record ${recordId} than entry ${index}`);
  }
  for (const [where, head] of [[place, kept] as const, ["database", stored] as const]) {
    if (head === undefined || isProven(head)) continue;
    if (!(await extendsHead(ledger, hasher, head, tree))) throw new TrailError(`${where} ${inWords(head)}`);
    proven.add(inWords(head));
  }
}

/** Signs the tree as it grows, as long as it extends what was signed before. */
export function makeSigning(ports: SigningPorts) {
  const { checkpoints, ed25519, key, remembered, events, clock, numbering } = ports;
  let newest: NewestHead | undefined;
  let contradiction: string | undefined;
  let known = { lineage: {}, until: 0, heads: new Set<string>() };
  let triedAt = Number.NEGATIVE_INFINITY;
  let announced = { at: Number.NEGATIVE_INFINITY, size: -1 };
  let stored = { at: Number.NEGATIVE_INFINITY, size: -1 };
  const isSince = (at: number, milliseconds: number) => clock.elapsed() - at >= milliseconds;

  function announce({ size, note }: NewestHead): void {
    if (note === undefined || announced.size === size) return;
    announced = { at: clock.elapsed(), size };
    events.info("checkpoint", { size, note });
  }

  async function store({ size, root, note }: NewestHead): Promise<void> {
    if (note === undefined || stored.size === size) return;
    await checkpoints.add({ size, root, note });
    stored = { at: clock.elapsed(), size };
  }

  async function check(tree: GrownHead, last: Head | undefined): Promise<void> {
    if (known.lineage !== tree.lineage || clock.elapsed() >= known.until) {
      const until = clock.elapsed() + provenMilliseconds;
      known = { lineage: tree.lineage, until, heads: new Set() };
    }
    const signed = newest?.note === undefined ? undefined : newest;
    await refuseContradiction(ports, tree, last, signed, known.heads);
  }

  /** A crash between two of its steps leaves a state file that is ahead of the database, which is what it is for. */
  async function signNext(tree: Head, signer: SignerKey): Promise<void> {
    const note = signCheckpoint(tree, signer, ed25519);
    // A standby that is promoted without these entries would contradict what was signed.
    await checkpoints.confirm();
    await remembered?.write(note);
    known.heads.add(inWords(tree));
    const signed = { ...tree, note, at: clock.now() };
    if (tree.size - stored.size >= storedEntries || isSince(stored.at, storedMilliseconds))
      await store(signed);
    if (isSince(announced.at, announceMilliseconds)) announce(signed);
    newest = signed;
  }

  return {
    /** Signs the tree if it has grown and a second has passed since the last time. Throws TrailError as above. */
    async sign(): Promise<void> {
      const tree = numbering.head();
      if (tree === undefined || (contradiction === undefined && newest?.size === tree.size)) return;
      if (!isSince(triedAt, signMilliseconds)) return;
      triedAt = clock.elapsed();
      if (key === undefined) {
        newest = { ...tree, note: undefined, at: clock.now() };
        return;
      }
      let next = tree;
      await check(next, await checkpoints.last()).catch(async (error: unknown) => {
        if (!(error instanceof TrailError)) throw error;
        // Another process may have numbered more, and signed a larger tree; by now an even larger one.
        const last = await checkpoints.last();
        await numbering.step();
        next = numbering.head() as GrownHead;
        await check(next, last);
      });
      await signNext(next, key);
      if (contradiction !== undefined) events.info("trail whole again");
      contradiction = undefined;
    },

    /** Takes note of what does not hold of the stored trail, and tells it once. */
    refuse(found: string): void {
      if (found === contradiction) return;
      contradiction = found;
      const head = numbering.head();
      events.error("trail broken", { signed: found, ...(head && { found: inWords(head) }) });
    },

    /** At the stop: leaves the last checkpoint in the database and in the log. */
    async close(): Promise<void> {
      if (newest === undefined || contradiction !== undefined) return;
      announce(newest);
      await store(newest);
    },

    newest: () => newest,
    contradiction: () => contradiction,
  };
}
