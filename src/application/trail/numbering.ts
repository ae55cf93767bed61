import { equalBytes, TrailError } from "../../domain/trail/encoding.ts";
import { type EntryKind, entryKinds } from "../../domain/trail/entry.ts";
import { type Frontier, type Hash, makeFrontier, type TreeHasher } from "../../domain/trail/merkle.ts";
import { tileHeight } from "../../domain/trail/tile.ts";
import type { Clock, EventLog } from "../ports.ts";
import type {
  FullTile,
  HashedRecord,
  Head,
  Horizon,
  Ids,
  LedgerEnd,
  RecordKey,
  TrailStore,
} from "./ports.ts";
import { readFrontier } from "./tree.ts";

/** Ids of records that are asked for again. */
const mostMissing = 10_000;
/** Records numbered with one statement, which hashes 60 KB of each at most. */
const mostRecords = 2_000;
/** Between two looks over all ids. */
const fullLookMilliseconds = 86_400_000;
/** For how long a transaction may hold up the settled ids before the log names it. */
const patienceMilliseconds = 60_000;

export interface NumberingPorts extends Pick<TrailStore, "ledger" | "records"> {
  readonly hasher: TreeHasher;
  readonly clock: Clock;
  readonly events: EventLog;
}

/** Ids that are settled when all transactions have ended that had an id one look later. */
interface Settling {
  readonly ids: Ids;
  xid: number | undefined;
  tellAt: number;
}

/** One walk over records in the order of the kinds, as many batches as it takes. */
interface Look {
  readonly horizon: Horizon;
  readonly isFull: boolean;
  readonly begunAt: number;
  readonly found: HashedRecord[];
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
  /** Ids up to which the looks have come. */
  seen: Ids;
  /** Ids below these that no record had: of transactions that were open, or undone. */
  missing: readonly RecordKey[];
  /** Ids up to which every record has an entry. */
  settled: Ids;
  settling: Settling | undefined;
  look: Look | undefined;
  /** In elapsed milliseconds. */
  nextFullLook: "first" | "when settled" | "second" | number;
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
 * Each look asks for the ids that were given since the last one, and again for those that no record had then, until they
 * are settled: until every transaction has ended that could still commit one. The owner of the tables can insert any id, so
 * at the start and once a day a look goes over all records, and once more when what was under way then is settled.
 */
export function makeNumbering({ ledger, records, hasher, clock, events }: NumberingPorts) {
  let state: State | undefined;

  /** Takes over what other processes have added. */
  async function follow({ size, lastHash, lastIds }: LedgerEnd): Promise<State> {
    if (state !== undefined && size === state.tree.size && isSame(lastHash, state.lastHash)) return state;
    const tree = await readFrontier(ledger, hasher, size);
    if (state === undefined || size <= state.tree.size) {
      const others = {
        server: undefined,
        look: undefined,
        settling: undefined,
        nextFullLook: "first",
      } as const;
      return { tree, lineage: {}, lastHash, seen: lastIds, missing: [], settled: lastIds, ...others };
    }
    return { ...state, tree, lineage: {}, lastHash };
  }

  /** Throws TrailError where an entry is missing. */
  async function begin(known: State): Promise<Look> {
    const { seen, settled, settling, tree } = known;
    const isOpen = known.nextFullLook === "when settled" || !isSameIds(settling?.ids ?? settled, settled);
    const horizon = await records.horizon(isOpen && settling !== undefined && settling.xid === undefined);
    const begunAt = clock.elapsed();
    // A sequence that was set back gives ids again that were seen: as at the start, they may be anywhere.
    const isBack = entryKinds.some(kind => horizon.lastIds[kind] < seen[kind]);
    const isOther = horizon.server !== known.server;
    known.server = horizon.server;
    if (isBack || isOther || Number(known.nextFullLook) <= begunAt) {
      known.settling = undefined;
      known.nextFullLook = "first";
    }
    const isFull = known.nextFullLook === "first" || known.nextFullLook === "second";
    // A record whose entry was removed would get another number, and be signed once more.
    const removed = isFull ? await ledger.firstMissing(0, tree.size) : undefined;
    if (removed !== undefined) throw new TrailError(`entry ${removed} was removed`);
    return { horizon, isFull, begunAt, found: [], above: isFull ? { employee: 0, asset: 0, log: 0 } : seen };
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
  async function conclude(known: State, { horizon, isFull, begunAt, found }: Look): Promise<void> {
    known.look = undefined;
    const next = { ids: horizon.lastIds, xid: undefined, tellAt: begunAt + patienceMilliseconds };
    if (isFull) {
      const isFirst = known.nextFullLook === "first";
      if (isFirst) known.settling = next;
      known.nextFullLook = isFirst ? "when settled" : begunAt + fullLookMilliseconds;
    } else {
      const numbered = new Set(found.map(nameOf));
      const given = idsBetween(known.seen, horizon.lastIds, mostMissing + found.length);
      const missing = [...known.missing, ...(given ?? [])].filter(key => !numbered.has(nameOf(key)));
      known.missing = missing.slice(-mostMissing);
      if (given !== undefined && missing.length <= mostMissing) await settle(known, horizon, next);
      else {
        // Too many ids to ask for one by one.
        known.settling = next;
        known.nextFullLook = "when settled";
      }
    }
    known.seen = horizon.lastIds;
  }

  async function settle(known: State, horizon: Horizon, next: Settling): Promise<void> {
    const { settling = next } = known;
    known.settling = settling;
    if (settling.xid === undefined) {
      // Where no id was given since, there is nothing to wait for.
      if (horizon.xid === undefined) known.settling = next;
      else settling.xid = horizon.xid;
    } else if (horizon.xmin > settling.xid) {
      known.settled = settling.ids;
      known.settling = next;
      known.missing = known.missing.filter(({ kind, recordId }) => recordId > settling.ids[kind]);
      if (known.nextFullLook === "when settled") known.nextFullLook = "second";
    } else if (clock.elapsed() >= settling.tellAt) {
      settling.tellAt = Number.POSITIVE_INFINITY;
      const transaction = await records.oldestTransaction();
      if (transaction !== undefined) events.warn("trail waits", { transaction });
      // Another server has taken over, whose transactions have lower ids.
      else known.settling = next;
    }
  }

  function tellLate({ settled }: State, found: readonly HashedRecord[]): void {
    const late = found.filter(({ kind, recordId }) => recordId <= settled[kind]);
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
      const found = await records.withoutEntry(look.above, look.isFull ? [] : known.missing, mostRecords);
      if (found.length > 0 && !(await add(known, found))) return { records: 0, isMore: false };
      if (known.nextFullLook === "first") tellLate(known, found);
      if (!look.isFull) look.found.push(...found);
      const isMore = found.length === mostRecords;
      if (isMore) look.above = idsAfter(look.above, found.at(-1) as HashedRecord);
      else await conclude(known, look);
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

const nameOf = ({ kind, recordId }: RecordKey): string => `${kind} ${recordId}`;

/** The ids above the first up to the second; undefined where they are too many. */
function idsBetween(above: Ids, upTo: Ids, most: number): RecordKey[] | undefined {
  const counts = entryKinds.map(kind => Math.max(0, upTo[kind] - above[kind]));
  if (counts.reduce((sum, count) => sum + count) > most) return undefined;
  return entryKinds.flatMap((kind, at) =>
    Array.from({ length: counts[at] as number }, (_, n) => ({ kind, recordId: above[kind] + 1 + n })),
  );
}

/** Where a look goes on after a record: the kinds before its own are done. */
function idsAfter(above: Ids, { kind: last, recordId }: HashedRecord): Ids {
  const idOf = (kind: EntryKind): number => {
    if (kind === last) return Math.max(above[kind], recordId);
    return entryKinds.indexOf(kind) < entryKinds.indexOf(last) ? Number.MAX_SAFE_INTEGER : above[kind];
  };
  return { employee: idOf("employee"), asset: idOf("asset"), log: idOf("log") };
}
