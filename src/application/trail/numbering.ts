import { equalBytes, TrailError } from "../../domain/trail/encoding.ts";
import { type EntryKind, entryKinds } from "../../domain/trail/entry.ts";
import { type Frontier, type Hash, makeFrontier, type TreeHasher } from "../../domain/trail/merkle.ts";
import { tileHeight } from "../../domain/trail/tile.ts";
import type { Clock, EventLog } from "../ports.ts";
import type { FullTile, HashedRecord, Head, Horizon, Ids, LedgerEnd, TrailStore } from "./ports.ts";
import { readFrontier } from "./tree.ts";

/** Records numbered with one statement, which hashes 60 KB of each at most. */
const mostRecords = 2_000;
/** Between two looks over all ids. */
const renewMilliseconds = 86_400_000;
const noIds: Ids = { employee: 0, asset: 0, log: 0 };
/** For how long a transaction may hold up the settled ids before the log names it. */
const patienceMilliseconds = 60_000;

export interface NumberingPorts extends Pick<TrailStore, "ledger" | "records"> {
  readonly hasher: TreeHasher;
  readonly clock: Clock;
  readonly events: EventLog;
}

/** Ids that are settled when every transaction before this one has ended. */
interface Settling {
  readonly ids: Ids;
  readonly xid: number;
  tellAt: number;
}

/** One walk over records in the order of the kinds, as many batches as it takes. */
interface Look {
  readonly horizon: Horizon;
  /** In a look that begins anew, the ids up to which records had entries already. */
  readonly late: Ids | undefined;
  above: Ids;
}

/** What this process knows of the stored trail. */
interface State {
  tree: Frontier;
  /** The same while this process lets the tree grow; another one when it was read from the database. */
  lineage: object;
  lastHash: Hash | undefined;
  /** The server of the last look. */
  server: string | undefined;
  /** The ids that were given by the last look. */
  given: Ids;
  /** Ids up to which every record has an entry. */
  settled: Ids;
  settling: Settling | undefined;
  look: Look | undefined;
  /** In elapsed milliseconds. */
  renewAt: number;
}

/** A tree, and what is the same of all trees that have grown from one. */
export interface GrownHead extends Head {
  readonly lineage: object;
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
    if (state !== undefined && size === state.tree.size && isSame(lastHash, state.lastHash)) return state;
    const read = { tree: await readFrontier(ledger, hasher, size), lineage: {}, lastHash };
    if (state !== undefined && size > state.tree.size) return { ...state, ...read };
    const unknown = { server: undefined, settling: undefined, look: undefined, renewAt: 0 };
    return { ...read, ...unknown, given: lastIds, settled: lastIds };
  }

  /** Throws TrailError where an entry is missing. */
  async function begin(known: State): Promise<Look> {
    const horizon = await records.horizon(!isSameIds(known.given, known.settled));
    const { server, lastIds } = horizon;
    // A sequence that was set back gives ids again, as does a server that has lost some: they may be anywhere.
    const isBack = entryKinds.some(kind => lastIds[kind] < known.given[kind]);
    if (!isBack && server === known.server && clock.elapsed() < known.renewAt) {
      return { horizon, late: undefined, above: known.settled };
    }
    // A record whose entry was removed would get another number, and be signed once more.
    const removed = await ledger.firstMissing(0, known.tree.size);
    if (removed !== undefined) throw new TrailError(`entry ${removed} was removed`);
    const late = known.settled;
    const renewAt = clock.elapsed() + renewMilliseconds;
    Object.assign(known, { server, settled: noIds, settling: undefined, renewAt });
    return { horizon, late, above: noIds };
  }

  /** Adds entries; false where another process was first. Throws where none was, so that all is read anew. */
  async function add(known: State, found: readonly HashedRecord[]): Promise<boolean> {
    const tiles: FullTile[] = [];
    const tree = makeFrontier(hasher, known.tree, ({ level, index }, root) => {
      if (level % tileHeight === 0) tiles.push({ level: level / tileHeight - 1, index, root });
    });
    for (const { hash } of found) tree.append(hash);
    if (!(await ledger.append(known.tree.size, found, tiles))) {
      if ((await ledger.end()).size !== known.tree.size) return false;
      throw new Error("the trail takes no entries where it ends");
    }
    known.tree = tree;
    known.lastHash = found.at(-1)?.hash;
    return true;
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

  function tellLate(ids: Ids, found: readonly HashedRecord[]): void {
    const late = found.filter(({ kind, recordId }) => recordId <= ids[kind]);
    const [first] = late;
    if (first !== undefined)
      events.warn("trail late", { records: late.length, kind: first.kind, id: first.recordId });
  }

  return {
    /**
     * Takes over what other processes have numbered and numbers what is new; tells how many records it numbered, and
     * whether there may be more. Throws TrailError where the stored trail is not whole.
     */
    async step(): Promise<{ readonly records: number; readonly isMore: boolean }> {
      const known = await follow(await ledger.end());
      state = known;
      known.look ??= await begin(known);
      const { look } = known;
      const found = await records.withoutEntry(look.above, mostRecords);
      if (found.length > 0 && !(await add(known, found))) return { records: 0, isMore: false };
      if (look.late !== undefined) tellLate(look.late, found);
      const isMore = found.length === mostRecords;
      if (isMore) {
        look.above = idsAfter(look.above, found.at(-1) as HashedRecord);
      } else {
        known.look = undefined;
        await settle(known, look);
      }
      return { records: found.length, isMore };
    },

    /** The tree of all entries that this process knows. */
    head: (): GrownHead | undefined =>
      state && { size: state.tree.size, root: state.tree.root(), lineage: state.lineage },

    /** Forgets what this process knows of the stored trail. */
    reset(): void {
      state = undefined;
    },
  };
}

const isSame = (a: Hash | undefined, b: Hash | undefined): boolean =>
  a === undefined || b === undefined ? a === b : equalBytes(a, b);
const isSameIds = (a: Ids, b: Ids): boolean => entryKinds.every(kind => a[kind] === b[kind]);

/** Where a look goes on after a record: the kinds before its own are done. */
function idsAfter(above: Ids, { kind: last, recordId }: HashedRecord): Ids {
  const idOf = (kind: EntryKind): number => {
    if (kind === last) return Math.max(above[kind], recordId);
    return entryKinds.indexOf(kind) < entryKinds.indexOf(last) ? Number.MAX_SAFE_INTEGER : above[kind];
  };
  return { employee: idOf("employee"), asset: idOf("asset"), log: idOf("log") };
}
