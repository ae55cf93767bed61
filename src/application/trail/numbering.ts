import { equalBytes, TrailError } from "../../domain/trail/encoding.ts";
import { entryKinds } from "../../domain/trail/entry.ts";
import { type Frontier, type Hash, hashLength } from "../../domain/trail/merkle.ts";
import type { Horizon, Ids, LedgerEnd, Numbered, TrailPorts } from "./ports.ts";
import type { ReadHead } from "./signing.ts";
import { makeGrowingTree, makeStoredTree } from "./tree.ts";

/** Records numbered with one statement, which hashes 60 KB of each at most. */
const mostRecords = 4_000;
/** Between two looks over all ids. */
const renewMilliseconds = 86_400_000;
/** Ids, or entries, that one statement goes over at most, so that it ends before its deadline however long the trail is. */
export const windowSize = 2 ** 20;
const everyId = Number.MAX_SAFE_INTEGER;

interface IdWindow {
  readonly above: Ids;
  readonly upTo: number;
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
  settling: { readonly ids: Ids; readonly xid: number } | undefined;
  /** In elapsed milliseconds. */
  renewAt: number;
}

/**
 * Gives records their numbers. Any number of processes may do so at once: each adds entries only where it knows the end of
 * the trail, and the database refuses an index that is taken.
 *
 * Each look goes over the ids that are not settled. The ids that were given by one look are settled as soon as every
 * transaction has ended that had an id by the next one: until then it could still commit them. The owner of the tables can
 * insert any id, so at the start and once a day nothing counts as settled.
 *
 * @param pause between two batches of one look, since requests come first; rejects at the stop
 */
export function makeNumbering(
  ports: Pick<TrailPorts, "ledger" | "records" | "hasher" | "clock" | "events">,
  pause: () => Promise<unknown>,
) {
  const { ledger, records, hasher, clock, events } = ports;
  let state: State | undefined;

  /** Takes over what other processes have added. */
  async function follow({ size, lastHash, lastIds }: LedgerEnd): Promise<State> {
    if (state !== undefined && size === state.tree.size && equalBytes(lastHash, state.lastHash)) return state;
    const stored = { tree: await makeStoredTree(ledger, hasher).frontier(size), read: size, lastHash };
    if (state !== undefined && size > state.tree.size) return { ...state, ...stored };
    const unknown = { server: undefined, settling: undefined, renewAt: 0 };
    return { ...stored, ...unknown, given: lastIds, settled: lastIds };
  }

  /** Numbers the next records; undefined if another process was first. Throws if the trail takes no entries without that. */
  async function number(known: State, above: Ids, upTo: number): Promise<Numbered | undefined> {
    const numbered = await ledger.number(known.tree.size, above, known.settled, mostRecords, upTo);
    if (numbered === undefined) {
      if ((await ledger.end()).size !== known.tree.size) return undefined;
      throw new Error("the trail takes no entries where it ends");
    }
    const { tree, nodes } = makeGrowingTree(hasher, known.tree);
    for (let at = 0; at < numbered.hashes.length; at += hashLength) {
      known.lastHash = numbered.hashes.subarray(at, at + hashLength);
      tree.append(known.lastHash);
    }
    if (nodes.length > 0) await ledger.store(nodes);
    known.tree = tree;
    return numbered;
  }

  /** A record whose entry was removed would get another number, and be signed once more. */
  async function refuseMissing(size: number): Promise<void> {
    for (let from = 0; from < size; from += windowSize) {
      const removed = await ledger.firstMissing(from, Math.min(size, from + windowSize));
      if (removed !== undefined) throw new TrailError(`entry ${removed} was removed`);
    }
  }

  /** After a look that has found all there was. */
  function settle(known: State, horizon: Horizon, wasAnew: boolean): void {
    const { server, lastIds, xmin, xid } = horizon;
    const { settling, given } = known;
    known.given = lastIds;
    if (wasAnew) {
      const renewAt = clock.elapsed() + renewMilliseconds;
      Object.assign(known, { server, settled: above(0), settling: undefined, renewAt });
      return;
    }
    if (settling !== undefined && xmin > settling.xid) {
      known.settled = settling.ids;
      known.settling = undefined;
    }
    if (xid === undefined) return;
    known.settling ??= { ids: given, xid };
  }

  return {
    /**
     * Takes over what other processes have numbered and numbers what is new, until nothing is left or another process was
     * first. Throws TrailError where the stored trail is not whole.
     */
    async look(): Promise<void> {
      const known = await follow(await ledger.end());
      state = known;
      const horizon = await records.horizon(!isSameIds(known.given, known.settled));
      const { server, lastIds } = horizon;
      // A sequence that was set back gives ids again, as does a server that has lost some: they may be anywhere.
      const isBack = server !== known.server || entryKinds.some(kind => lastIds[kind] < known.given[kind]);
      // Until it has been done to its end, also where another process is first at this one.
      if (isBack) known.renewAt = 0;
      const goesOverAll = clock.elapsed() >= known.renewAt;
      if (goesOverAll) await refuseMissing(known.tree.size);
      const windows = goesOverAll ? windowsOf(lastIds) : [{ above: known.settled, upTo: everyId }];
      for (const window of windows) {
        let { above } = window;
        for (;;) {
          const numbered = await number(known, above, window.upTo);
          if (numbered === undefined) return;
          const { late, firstLate, tooLong } = numbered;
          if (late > 0) events.warn("trail late", { records: late, entry: firstLate });
          if (tooLong !== undefined) events.error("record too long for the trail", { record: tooLong });
          if (numbered.found < mostRecords) break;
          above = numbered.lastIds;
          await pause();
        }
      }
      settle(known, horizon, goesOverAll);
    },

    /** The tree of all entries at this moment. */
    async current(): Promise<ReadHead> {
      state = await follow(await ledger.end());
      return headOf(state);
    },

    /** That of those that this process knows. */
    head: () => state && headOf(state),
  };
}

const headOf = ({ tree, read }: State): ReadHead => ({ size: tree.size, root: tree.root(), read });

/** All ids, in windows up to the last ones that were given; the owner of the tables can write any above them. */
function* windowsOf(given: Ids): Generator<IdWindow> {
  const last = Math.max(...entryKinds.map(kind => given[kind]));
  let from = 0;
  for (; from + windowSize < last; from += windowSize) yield { above: above(from), upTo: from + windowSize };
  yield { above: above(from), upTo: everyId };
}

const above = (id: number): Ids => ({ employee: id, asset: id, log: id });

const isSameIds = (a: Ids, b: Ids): boolean => entryKinds.every(kind => a[kind] === b[kind]);
