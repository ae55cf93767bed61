import { type Head, readHead, signCheckpoint } from "../../domain/trail/checkpoint.ts";
import type { Ed25519 } from "../../domain/trail/crypto.ts";
import { faultOf, TrailError, toBase64 } from "../../domain/trail/encoding.ts";
import type { TreeHasher } from "../../domain/trail/merkle.ts";
import type { SignerKey } from "../../domain/trail/note.ts";
import type { Clock, EventLog } from "../ports.ts";
import type { RememberedNote, TrailStore } from "./ports.ts";
import { extendsHead } from "./tree.ts";

export interface SigningPorts extends Pick<TrailStore, "ledger" | "checkpoints"> {
  readonly hasher: TreeHasher;
  readonly ed25519: Pick<Ed25519, "sign">;
  /** Undefined: nothing is signed. */
  readonly key: SignerKey | undefined;
  readonly remembered: RememberedNote | undefined;
  readonly events: EventLog;
  readonly clock: Clock;
}

/** A head that was signed, or would have been if there were a key; when, in elapsed milliseconds. */
export interface NewestHead extends Head {
  readonly note: string | undefined;
  readonly at: number;
}

/** What was signed before, by any process. */
export interface SignedBefore {
  /** The last checkpoint in the database. */
  readonly stored: Head | undefined;
  /** The note outside the database: that of the state file, or where there is none that of this process. */
  readonly note: string | undefined;
}

/** A tree, and up to which size its entries were read from the database: this process has added those after it itself. */
export interface ReadHead extends Head {
  readonly read: number;
}

const announceMilliseconds = 60_000;
/** The database keeps one checkpoint for so many entries, or for so long, so that they take little space. */
const storedEntries = 1_000;
const storedMilliseconds = 3_600_000;
/** Entries that one statement searches for a record's second one. */
const searchedEntries = 2 ** 20;

export const inWords = ({ size, root }: Head): string => `${size} ${toBase64(root)}`;

/**
 * The head that a remembered note states. Its signature is not checked: the key may be another one by now. Throws
 * TrailError that says where it is, and what to do.
 */
export function rememberedHead(note: string | undefined, place = "memory"): Head | undefined {
  if (note === undefined) return undefined;
  try {
    return readHead(note.split("\n").slice(1));
  } catch (error) {
    throw new TrailError(
      `${place} has no checkpoint (it ${faultOf(error)}): put back the last one from the log or a backup, or run accept-trail`,
    );
  }
}

/**
 * Makes sure that the tree extends what was signed before it was read. Throws TrailError where it does not, and where the
 * stored trail is not whole.
 */
export async function refuseContradiction(
  { ledger, hasher, remembered }: Pick<SigningPorts, "ledger" | "hasher" | "remembered">,
  tree: ReadHead,
  { stored, note }: SignedBefore,
): Promise<void> {
  const kept = rememberedHead(note, remembered?.place);
  if (remembered !== undefined && kept === undefined && stored !== undefined) {
    throw new TrailError(
      `the checkpoints in the database, while ${remembered.place} is missing: put it back from a backup, or run accept-trail`,
    );
  }
  // The place outside says up to where no record had two entries; the owner of the database can write any size there.
  for (let from = kept?.size ?? 0; from < tree.read; from += searchedEntries) {
    const repeated = await ledger.firstRepeated(from, Math.min(tree.read, from + searchedEntries));
    if (repeated === undefined) continue;
    const { kind, recordId, index } = repeated;
    throw new TrailError(`another entry of ${kind} record ${recordId} than entry ${index}`);
  }
  const place = remembered === undefined ? "memory" : "TRAIL_STATE_FILE";
  for (const [where, head] of [[place, kept] as const, ["database", stored] as const]) {
    if (head !== undefined && !(await extendsHead(ledger, hasher, head, tree)))
      throw new TrailError(`${where} ${inWords(head)}`);
  }
}

const never = { at: Number.NEGATIVE_INFINITY, size: -1 };

/** Signs the tree as it grows, as long as it extends what was signed before. */
export function makeSigning(ports: SigningPorts) {
  const { checkpoints, ed25519, key, remembered, events, clock } = ports;
  let newest: NewestHead | undefined;
  let announced = never;
  let stored = never;

  /** Leaves the newest checkpoint in the log and in the database: each where it is time, or in both if it is the last. */
  async function leave({ size, root, note, at }: NewestHead, isLast: boolean): Promise<void> {
    if (note === undefined) return;
    if (announced.size !== size && (isLast || at - announced.at >= announceMilliseconds)) {
      events.info("checkpoint", { size, note });
      announced = { at, size };
    }
    const isMany = size - stored.size >= storedEntries;
    if (stored.size !== size && (isLast || isMany || at - stored.at >= storedMilliseconds)) {
      await checkpoints.add({ size, root, note });
      stored = { at, size };
    }
  }

  return {
    /** To be asked before the tree is read, which then has at least what others have signed. */
    async before(): Promise<SignedBefore> {
      return {
        stored: key && (await checkpoints.last()),
        note: remembered === undefined ? newest?.note : await remembered.read(),
      };
    },

    /** Throws TrailError as above. */
    async sign(tree: ReadHead, before: SignedBefore): Promise<void> {
      const note = key && signCheckpoint(tree, key, ed25519);
      const head = { size: tree.size, root: tree.root, note, at: clock.elapsed() };
      if (note !== undefined) {
        await refuseContradiction(ports, tree, before);
        // A standby that is promoted without these entries would contradict what was signed.
        await checkpoints.confirm();
        // A crash after this leaves a state file that is ahead of the database, which is what it is for.
        await remembered?.write(note);
        await leave(head, false);
      }
      newest = head;
    },

    /** At the stop: leaves the last checkpoint in the database and in the log. */
    async close(): Promise<void> {
      if (newest !== undefined) await leave(newest, true);
    },

    newest: () => newest,
  };
}
