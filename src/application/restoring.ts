import { signAcceptance } from "../domain/trail/acceptance.ts";
import { type Head, inWords, openCheckpoint, signCheckpoint } from "../domain/trail/checkpoint.ts";
import { rethrowUnlessTrailError, TrailError, undefinedIfTrailError } from "../domain/trail/encoding.ts";
import { type EntryKind, entryKinds } from "../domain/trail/entry.ts";
import type { SignerKey, VerifierKey } from "../domain/trail/note.ts";
import { requireContinued } from "./trail/continuation.ts";
import { mostId, type TrailStore } from "./trail/ports.ts";
import { makeStoredTree } from "./trail/tree.ts";

interface HashedRecord {
  readonly id: number;
  readonly hash: string;
}

/** What a restore asks of the live database and of the restored one. */
export interface RestoreStore {
  readonly trail: TrailStore;
  /** Records above an id, by their ids and at most 10,000, each with a hash of what it says. */
  recordHashes(kind: EntryKind, above: number): Promise<readonly HashedRecord[]>;
  /** How many of these records are there as they are. */
  countSame(kind: EntryKind, records: readonly HashedRecord[]): Promise<number>;
  /** What a database has issued and may not issue again: its last ids, and the highest version of any employee's tokens. */
  issued(): Promise<string>;
  /** From now on issues ids and token versions above `issued` and its own, and leaves out `jump` of them. Refuses all earlier tokens. */
  issueAbove(issued: string, jump: number): Promise<void>;
}

/** What goes, and what has to be accepted, when a restored database takes the place of the live one. */
type DatabaseComparison = Awaited<ReturnType<typeof compareDatabases>>;

/**
 * @param live undefined where no live database has records
 * @param remembered the heads that services of this machine remember, read before the databases
 * @throws TrailError where the right edge of the restored trail is not whole
 */
export async function compareDatabases(
  restored: RestoreStore,
  live: RestoreStore | undefined,
  remembered: readonly Head[],
  key: VerifierKey,
) {
  /** Records of the live database that the restored one does not have as they are, and signed entries that neither has. */
  const lost = { log: 0, employee: 0, asset: 0, entry: 0 };
  if (live !== undefined)
    for (const kind of entryKinds) lost[kind] = await countMissing(kind, live, restored);
  /** Heads that a service may remember and that the restored trail does not continue. */
  const refused: Head[] = [];
  const tree = await treeOf(restored, key);
  const liveTree = live && (await treeOf(live, key).catch(rethrowUnlessTrailError));
  for (const head of remembered) {
    if (await tree.continues(head)) continue;
    refused.push(head);
    // The live trail continues the head: the records of its entries were compared above, or their loss was accepted before.
    if (await liveTree?.continues(head)) continue;
    // A head that is not ahead contradicts the tree: none of its entries need be the same, so all count.
    const isAhead = head.size > tree.head.size;
    lost.entry = Math.max(lost.entry, isAhead ? head.size - tree.head.size : head.size);
  }
  // Services of other machines remember checkpoints, which the live database has too.
  for (const note of (await live?.trail.checkpoints.newest(100)) ?? []) {
    const head = undefinedIfTrailError(() => openCheckpoint(note, [key]));
    if (head !== undefined && !(await tree.continues(head))) refused.push(head);
  }
  return { lost, refused, accepted: tree.head };
}

async function countMissing(kind: EntryKind, live: RestoreStore, restored: RestoreStore): Promise<number> {
  let missing = 0;
  let records = await live.recordHashes(kind, -mostId);
  for (let last = records.at(-1); last !== undefined; last = records.at(-1)) {
    // Both databases work at once: the services are stopped meanwhile.
    const [same, next] = await Promise.all([
      restored.countSame(kind, records),
      live.recordHashes(kind, last.id),
    ]);
    missing += records.length - same;
    records = next;
  }
  return missing;
}

/** The tree of a database, and whether a service that remembers a head goes on with it. */
async function treeOf({ trail }: RestoreStore, key: VerifierKey) {
  const tree = makeStoredTree(trail.ledger);
  const { size } = await trail.ledger.end();
  const head = await tree.frontier(size);
  const requireExtended = async (older: Head): Promise<void> => {
    if (!(await tree.extends(older, head))) throw new TrailError(inWords(older));
  };
  const continues = (older: Head): Promise<boolean> =>
    requireContinued(trail, older, [key], requireExtended)
      .then(() => true)
      .catch(error => rethrowUnlessTrailError(error) ?? false);
  return { head, continues };
}

/**
 * Lets the restored database take the place of the live one: it issues nothing again, and services go on with its trail.
 *
 * @param jump how many ids and token versions to leave out, where no live database can say which were issued
 */
export async function takePlace(
  restored: RestoreStore,
  live: RestoreStore | undefined,
  { refused, accepted }: DatabaseComparison,
  jump: number,
  key: SignerKey,
): Promise<void> {
  await restored.issueAbove(await (live ?? restored).issued(), jump);
  // A set, since several services may remember one head.
  const notes = new Set(
    refused.map(head => signAcceptance({ refused: head, accepted, reason: "a restore" }, key)),
  );
  for (const note of notes) await restored.trail.checkpoints.accept(note, signCheckpoint(accepted, key));
}
