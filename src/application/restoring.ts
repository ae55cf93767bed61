import { signAcceptance } from "../domain/trail/acceptance.ts";
import { type Head, inWords, openCheckpoint, signCheckpoint } from "../domain/trail/checkpoint.ts";
import { undefinedIfBroken } from "../domain/trail/encoding.ts";
import { type EntryKind, entryKinds } from "../domain/trail/entry.ts";
import type { SignerKey } from "../domain/trail/note.ts";
import { mostId, type TrailStore } from "./trail/ports.ts";
import { makeStoredTree } from "./trail/tree.ts";

/** What a database has issued, and may not issue again. */
export interface Issued {
  /** The last ids, by the names of their sequences. */
  readonly ids: Readonly<Record<string, number>>;
  /** The highest version of any employee's tokens. */
  readonly tokenVersion: number;
}

/** What a restore asks of the live database and of the restored one. */
export interface RestoreStore {
  readonly trail: TrailStore;
  /** Whether the server has a database of this name. */
  hasDatabase(name: string): Promise<boolean>;
  /** False for a database that was just made. */
  hasTables(): Promise<boolean>;
  /** Records above an id and up to another, by their ids and at most 10,000, each with a hash of what it says. */
  hashes(kind: EntryKind, above: number, upTo: number): Promise<readonly { id: number; hash: string }[]>;
  /** The notes of the newest checkpoints, at most 100. */
  newestCheckpoints(): Promise<readonly string[]>;
  /** Lets the planner know what the tables hold. */
  analyze(): Promise<unknown>;
  issued(): Promise<Issued>;
  /** From now on issues ids and token versions above these and its own. No token from before is valid. */
  issueAbove(issued: Issued): Promise<void>;
}

/** What goes when a restored database takes the place of the live one. */
export interface Loss {
  /** Of the live database's records, those that the restored one does not have as they are. */
  readonly records: Readonly<Record<EntryKind, number>>;
  /** Signed entries that neither database has. */
  readonly entries: number;
  /** All of them: how many the operator has to give up. */
  readonly total: number;
}

/** @param live undefined where there is no live database any more
 *  @param remembered the heads that services remember, read before the databases */
export async function findLoss(
  restored: RestoreStore,
  live: RestoreStore | undefined,
  remembered: readonly Head[],
): Promise<Loss> {
  const records = { log: 0, employee: 0, asset: 0 };
  if (live !== undefined)
    for (const kind of entryKinds) records[kind] = await countMissing(kind, live, restored);
  const tree = await treeOf(restored);
  const liveTree = live && (await treeOf(live).catch(undefinedIfBroken));
  const isOther =
    liveTree !== undefined && !(await liveTree.extends(tree.head)) && !(await tree.extends(liveTree.head));
  let entries = 0;
  for (const head of remembered) {
    // What the live database has was compared above.
    if ((await tree.extends(head)) || (await liveTree?.extends(head))) continue;
    const isShorter = head.size > tree.head.size && !isOther;
    entries = Math.max(entries, isShorter ? head.size - tree.head.size : head.size);
  }
  const total = entries + records.log + records.employee + records.asset;
  return { records, entries, total };
}

async function countMissing(kind: EntryKind, live: RestoreStore, restored: RestoreStore): Promise<number> {
  let missing = 0;
  for (let above = -mostId; ; ) {
    const rows = await live.hashes(kind, above, mostId);
    const last = rows.at(-1)?.id;
    if (last === undefined) return missing;
    const kept = new Map<number, string>();
    for (let from = above; from < last; ) {
      const more = await restored.hashes(kind, from, last);
      for (const { id, hash } of more) kept.set(id, hash);
      from = more.at(-1)?.id ?? last;
    }
    missing += rows.filter(({ id, hash }) => kept.get(id) !== hash).length;
    above = last;
  }
}

/** The tree of a database, and whether it extends a head. Throws TrailError where the right edge of the tree is not whole. */
async function treeOf({ trail: { ledger } }: RestoreStore) {
  const tree = makeStoredTree(ledger);
  const { size } = await ledger.end();
  const head = await tree.frontier(size);
  return {
    head,
    extends: async (older: Head): Promise<boolean> =>
      (await tree.extends(older, head).catch(undefinedIfBroken)) ?? false,
  };
}

/**
 * Lets the restored database take the place of the live one: it issues nothing again, and has the acceptance of its trail in place of
 * each head that a service may remember and that the trail does not extend.
 *
 * @param issued by the live database, or what certainly is above that
 */
export async function takePlace(
  restored: RestoreStore,
  live: RestoreStore | undefined,
  issued: Issued,
  remembered: readonly Head[],
  { key, reason }: { readonly key: SignerKey; readonly reason: string },
): Promise<void> {
  await restored.issueAbove(issued);
  const tree = await treeOf(restored);
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
    if (await tree.extends(refused)) continue;
    const note = signAcceptance({ refused, accepted: tree.head, reason }, key);
    await restored.trail.checkpoints.accept(note, signCheckpoint(tree.head, key));
  }
}
