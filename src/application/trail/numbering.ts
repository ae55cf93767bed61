import { equalBytes, TrailError } from "../../domain/trail/encoding.ts";
import { type EntryKind, entryKinds } from "../../domain/trail/entry.ts";
import type { Frontier, Hash, TreeHasher } from "../../domain/trail/merkle.ts";
import type { Clock, EventLog } from "../ports.ts";
import type { HashedRecord, Horizon, Ids, LedgerEnd, TrailStore } from "./ports.ts";
import type { ReadHead } from "./signing.ts";
import { makeStoredTree, readFrontier } from "./tree.ts";

/** Records numbered with one statement, which hashes 60 KB of each at most. */
const mostRecords = 4_000;
/** Between two looks over all ids. */
const renewMilliseconds = 86_400_000;
const noMoreIds = Number.MAX_SAFE_INTEGER;
const noIds: Ids = { employee: 0, asset: 0, log: 0 };
/** For how long a transaction may hold up the settled ids before the log names it. */
const patienceMilliseconds = 60_000;

export interface NumberingPorts extends Pick<TrailStore, "ledger" | "records"> {
  readonly hasher: TreeHasher;
  readonly clock: Clock;
  readonly events: EventLog;
}

/** One walk over records in the order of the kinds, as many batches as it takes. */
interface Look {
  readonly horizon: Horizon;
  /** In a look that begins anew, the ids up to which records had entries already. */
  readonly late: Ids | undefined;
  /** The ids that it has come to. */
  readonly above: Record<EntryKind, number>;
}

/** What this process knows of the stored trail. */
interface State {
  tree: Frontier;
  /** Its size when it was read from the database. */
  read: number;
  lastHash: Hash;
  /** The server of the last look. */
  server: string | undefined;
  /** The ids that were given by the last look. */
  given: Ids;
  /** Ids up to which every record has an entry. */
  settled: Ids;
  /** Ids that are settled when every transaction with an id before this one has ended. */
  settling: { readonly ids: Ids; readonly xid: number; tellAt: number } | undefined;
  look: Look | undefined;
  /** In elapsed milliseconds. */
  renewAt: number;
}

export type Numbering = ReturnType<typeof makeNumbering>;

/**
 * Gives records their numbers. Any number of processes may do so at once: each adds entries only where it knows the end of
 * the trail, and the database refuses an index that is taken.
 *
 * Each look goes over the ids that are not settled. The ids that were given by one look are settled as soon as every
 * transaction has ended that had an id by the next one: until then it could still commit them. The owner of the tables can
 * insert any id, so at the start and once a day nothing counts as settled.
 */
export function makeNumbering({ ledger, records, hasher, clock, events }: NumberingPorts) {
  let state: State | undefined;

  /** Takes over what other processes have added. */
  async function follow({ size, lastHash, lastIds }: LedgerEnd): Promise<State> {
    if (state !== undefined && size === state.tree.size && equalBytes(lastHash, state.lastHash)) return state;
    const stored = { tree: await readFrontier(ledger, hasher, size), read: size, lastHash };
    if (state !== undefined && size > state.tree.size) return { ...state, ...stored };
    const unknown = { server: undefined, settling: undefined, look: undefined, renewAt: 0 };
    return { ...stored, ...unknown, given: lastIds, settled: lastIds };
  }

  /** Throws TrailError where an entry is missing. */
  async function begin(known: State): Promise<Look> {
    const horizon = await records.horizon(!isSameIds(known.given, known.settled));
    const { server, lastIds } = horizon;
    // A sequence that was set back gives ids again, as does a server that has lost some: they may be anywhere.
    const isBack = entryKinds.some(kind => lastIds[kind] < known.given[kind]);
    if (!isBack && server === known.server && clock.elapsed() < known.renewAt) {
      return { horizon, late: undefined, above: { ...known.settled } };
    }
    // A record whose entry was removed would get another number, and be signed once more.
    const removed = await ledger.firstMissing(0, known.tree.size);
    if (removed !== undefined) throw new TrailError(`entry ${removed} was removed`);
    const late = known.settled;
    const renewAt = clock.elapsed() + renewMilliseconds;
    Object.assign(known, { server, settled: noIds, settling: undefined, renewAt });
    return { horizon, late, above: { ...noIds } };
  }

  /** Numbers the next records; undefined where another process was first. Throws where none was, so that all is read anew. */
  async function number(known: State, above: Ids): Promise<readonly HashedRecord[] | undefined> {
    const numbered = await ledger.number(known.tree.size, above, mostRecords);
    if (numbered === undefined) {
      if ((await ledger.end()).size !== known.tree.size) return undefined;
      throw new Error("the trail takes no entries where it ends");
    }
    const { tree, nodes } = makeStoredTree(hasher, known.tree);
    for (const { hash } of numbered) tree.append(hash);
    if (nodes.length > 0) await ledger.store(nodes);
    known.tree = tree;
    known.lastHash = numbered.at(-1)?.hash ?? known.lastHash;
    return numbered;
  }

  /** After a look that has found all there was. */
  async function settle(known: State, { horizon: { lastIds, xmin, xid }, late }: Look): Promise<void> {
    const { settling, given } = known;
    if (settling !== undefined && xmin > settling.xid) {
      known.settled = settling.ids;
      known.settling = undefined;
    } else if (settling !== undefined && clock.elapsed() >= settling.tellAt) {
      settling.tellAt = Number.POSITIVE_INFINITY;
      const transaction = await records.oldestTransaction();
      if (transaction !== undefined) events.warn("trail waits", { transaction });
    }
    if (xid !== undefined && late === undefined) {
      known.settling ??= { ids: given, xid, tellAt: clock.elapsed() + patienceMilliseconds };
    }
    known.given = lastIds;
  }

  return {
    /**
     * Takes over what other processes have numbered and numbers what is new. Resolves with whether there may be more. Throws
     * TrailError where the stored trail is not whole.
     */
    async step(): Promise<boolean> {
      const known = await follow(await ledger.end());
      state = known;
      known.look ??= await begin(known);
      const { look } = known;
      const found = await number(known, look.above);
      if (found === undefined) return false;
      const late = found.filter(({ kind, recordId }) => recordId <= (look.late?.[kind] ?? 0));
      const [first] = late;
      if (first !== undefined)
        events.warn("trail late", { records: late.length, kind: first.kind, id: first.recordId });
      const isMore = found.length === mostRecords;
      if (isMore) {
        const { kind, recordId } = found.at(-1) as HashedRecord;
        look.above[kind] = recordId;
        // They come in the order of the kinds: those before this one are done.
        for (const done of entryKinds.slice(0, entryKinds.indexOf(kind))) look.above[done] = noMoreIds;
      } else {
        known.look = undefined;
        await settle(known, look);
      }
      return isMore;
    },

    /** The tree of all entries that this process knows. */
    head: (): ReadHead | undefined =>
      state && { size: state.tree.size, root: state.tree.root(), read: state.read },

    /** Forgets what this process knows of the stored trail. */
    reset(): void {
      state = undefined;
    },
  };
}

const isSameIds = (a: Ids, b: Ids): boolean => entryKinds.every(kind => a[kind] === b[kind]);
