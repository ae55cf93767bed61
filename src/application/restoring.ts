import { signAcceptance } from "../domain/trail/acceptance.ts";
import { type Head, inWords, openCheckpoint, signCheckpoint } from "../domain/trail/checkpoint.ts";
import { TrailError, undefinedIfBroken } from "../domain/trail/encoding.ts";
import { type EntryKind, entryKinds } from "../domain/trail/entry.ts";
import type { SignerKey, VerifierKey } from "../domain/trail/note.ts";
import { requireContinued } from "./trail/acceptance.ts";
import { mostId, type TrailStore } from "./trail/ports.ts";
import { makeStoredTree } from "./trail/tree.ts";

export interface HashedRecord {
  readonly id: number;
  readonly hash: string;
}

/** What a restore asks of the live database and of the restored one. */
export interface RestoreStore {
  readonly trail: TrailStore;
  /** Whether the server has a database of this name. */
  hasDatabase(name: string): Promise<boolean>;
  /** False for a database that was just made. */
  hasTables(): Promise<boolean>;
  /** Records above an id, by their ids and at most 10,000, each with a hash of what it says. */
  hashes(kind: EntryKind, above: number): Promise<readonly HashedRecord[]>;
  /** How many of these records are there as they are. */
  countSame(kind: EntryKind, records: readonly HashedRecord[]): Promise<number>;
  /** The notes of the newest checkpoints, at most 100. */
  newestCheckpoints(): Promise<readonly string[]>;
  /** Lets the planner know what the tables hold. */
  analyze(): Promise<unknown>;
  /** What a database has issued and may not issue again: its last ids, and the highest version of any employee's tokens. */
  issued(): Promise<string>;
  /** From now on issues ids above these and its own, so far above as said, and other token versions. No token from before is valid. */
  issueAbove(issued: string, jump: number): Promise<void>;
}

/**
 * What goes when a restored database takes the place of the live one: of the live database's records, those that the restored one
 * does not have as they are, and signed entries that neither database has.
 */
export type Loss = Readonly<Record<EntryKind | "entry", number>>;

/** @param live undefined where there is no live database any more
 *  @param remembered the heads that services remember, read before the databases */
export async function findLoss(
  restored: RestoreStore,
  live: RestoreStore | undefined,
  remembered: readonly Head[],
  key: VerifierKey,
): Promise<Loss> {
  const loss = { log: 0, employee: 0, asset: 0, entry: 0 };
  if (live !== undefined)
    for (const kind of entryKinds) loss[kind] = await countMissing(kind, live, restored);
  const tree = await treeOf(restored, key);
  const liveTree = live && (await treeOf(live, key).catch(undefinedIfBroken));
  for (const head of remembered) {
    // What the live database has was compared above, and what it goes on from was given up before.
    if ((await tree.continues(head)) || (await liveTree?.continues(head))) continue;
    // Of another history as long as the head, no entry may be the same: all of the head's entries count.
    const isShorter = head.size > tree.head.size;
    loss.entry = Math.max(loss.entry, isShorter ? head.size - tree.head.size : head.size);
  }
  return loss;
}

async function countMissing(kind: EntryKind, live: RestoreStore, restored: RestoreStore): Promise<number> {
  let missing = 0;
  for (let above = -mostId; ; ) {
    const records = await live.hashes(kind, above);
    const last = records.at(-1);
    if (last === undefined) return missing;
    missing += records.length - (await restored.countSame(kind, records));
    above = last.id;
  }
}

/** The tree of a database, and whether a service that remembers a head goes on with it. Throws TrailError where the right edge of the tree is not whole. */
async function treeOf({ trail }: RestoreStore, key: VerifierKey) {
  const tree = makeStoredTree(trail.ledger);
  const { size } = await trail.ledger.end();
  const head = await tree.frontier(size);
  const requireExtended = async (older: Head): Promise<void> => {
    if (!(await tree.extends(older, head))) throw new TrailError(inWords(older));
  };
  const continues = (older: Head): Promise<boolean> =>
    requireContinued(trail, older, [key], requireExtended).then(
      () => true,
      error => undefinedIfBroken(error) ?? false,
    );
  return { head, continues };
}

/**
 * Lets the restored database take the place of the live one: it issues nothing again, and has the acceptance of its trail in place of
 * each head that a service may remember and that the trail does not extend.
 *
 * @param jump how many ids to leave out, where the live database cannot say which it has issued
 */
export async function takePlace(
  restored: RestoreStore,
  live: RestoreStore | undefined,
  jump: number,
  remembered: readonly Head[],
  key: SignerKey,
): Promise<void> {
  await restored.issueAbove(await (live ?? restored).issued(), jump);
  const tree = await treeOf(restored, key);
  const heads = new Map(remembered.map(head => [inWords(head), head]));
  // A service on another machine stores its last checkpoint at its stop.
  for (const note of (await live?.newestCheckpoints()) ?? []) {
    try {
      const head = openCheckpoint(note, [key]);
      heads.set(inWords(head), head);
    } catch (error) {
      undefinedIfBroken(error);
    }
  }
  for (const refused of heads.values()) {
    if (await tree.continues(refused)) continue;
    const note = signAcceptance({ refused, accepted: tree.head, reason: "a restore" }, key);
    await restored.trail.checkpoints.accept(note, signCheckpoint(tree.head, key));
  }
}
