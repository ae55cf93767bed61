import { equalBytes, TrailError } from "../../domain/trail/encoding.ts";
import type { Hash, TreeHasher } from "../../domain/trail/merkle.ts";
import { tilePath, tileWidth } from "../../domain/trail/tile.ts";
import type { Clock } from "../ports.ts";
import { type Gaps, gapsAtMost, makeGaps } from "./gaps.ts";
import {
  type FullTile,
  type HashedRecord,
  type RecordKey,
  type RecordKind,
  recordKinds,
  type TrailEnd,
  type TrailRecord,
  type TrailRepository,
} from "./trail-repository.ts";
import { readTree, type Tree } from "./tree.ts";

/** Records numbered with one statement: as many as are written within a second, since a statement costs as much for few. */
const mostRecords = 8_000;
/** Looked into with one statement, and records that one finds there. */
const mostGaps = 2_000;
const mostLate = 500;
/** Entries of which one statement says whether all are there: a million of them may be a million rows. */
const lookedThrough = 2 ** 20;
/** Entries with which the tree grows in one turn of the event loop, some 0.5 ms. */
const entriesInTurn = 128;

/** Employees and assets before logs, so that the first entries say who and what the logs are about. */
const order = ["employee", "asset", "log"] as const satisfies readonly RecordKind[];

export interface NumberingPorts {
  readonly trail: TrailRepository;
  readonly hasher: TreeHasher;
  readonly clock: Clock;
  /** Resolves when whatever else waits has had its turn. */
  readonly turn: () => Promise<unknown>;
}

/** How far numbering is in this process. */
interface State {
  readonly tree: Tree;
  readonly lastHash: Hash | undefined;
  readonly gaps: Readonly<Record<RecordKind, Gaps>>;
}

/** What was found of a kind in gaps, and behind the last record known. */
interface Look {
  readonly kind: RecordKind;
  readonly gaps: ReturnType<Gaps["due"]>;
  readonly late: readonly HashedRecord[];
  readonly next: readonly HashedRecord[];
}

export type Numbering = ReturnType<typeof makeNumbering>;

/**
 * Gives records their numbers. Any number of processes may do so at once: each knows which records have entries below
 * the end that it knows, and what it adds is stored only if the trail still ends there. So a record gets one number,
 * whoever gives it. Nothing is concluded from the order of ids: a lower one may always come later (see gaps.ts). Nor from
 * a single id: an owner of the tables can give a record, or an entry, one that is far ahead of all others.
 */
export function makeNumbering({ trail, hasher, clock, turn }: NumberingPorts) {
  let state: State | undefined;
  /** The tree whose last entries this process has stored itself: their commit waited for all that came before. */
  let confirmed: Tree | undefined;
  const now = () => clock.now().getTime();

  async function load(): Promise<State> {
    const { size, lastHash, lastIds } = await trail.end();
    const newest = await trail.newest();
    const tree = await readTree(trail, hasher, size);
    await refuseTilesBehind(size);
    await refuseMissing(size);
    const gaps = {} as Record<RecordKind, Gaps>;
    for (const kind of recordKinds) {
      const lastId = Math.min(lastIds[kind], newest.lastIds[kind]);
      gaps[kind] = makeGaps(lastId, await trail.idsWithoutEntry(kind, lastId, gapsAtMost), now());
    }
    return { tree, lastHash, gaps };
  }

  /** Tiles of entries that are no longer there: no entry could be added. Throws TrailError. */
  async function refuseTilesBehind(size: number): Promise<void> {
    const next = Math.floor(size / tileWidth);
    const [tile] = await trail.tiles(0, next, next + 1);
    // Unless another process has added its entries meanwhile.
    if (tile !== undefined && (await trail.end()).size === size) {
      throw new TrailError(
        `tile ${tilePath({ level: 0, index: next, width: tileWidth })} has entries that were removed`,
      );
    }
  }

  /** A record whose entry was removed would get another number, and be signed once more. Throws TrailError. */
  async function refuseMissing(size: number): Promise<void> {
    for (let from = 0; from < size; from += lookedThrough) {
      const index = await trail.firstMissing(from, Math.min(from + lookedThrough, size));
      if (index !== undefined) throw new TrailError(`entry ${index} was removed`);
    }
  }

  const note = ({ gaps }: State, records: readonly RecordKey[]) => {
    const at = now();
    for (const { kind, recordId } of records) gaps[kind].note(recordId, at);
  };

  /** Takes over entries from the end that this process knows; forgets everything where they do not follow it. */
  async function follow(known: State, { size, lastHash: expected }: TrailEnd): Promise<State> {
    let followed = known;
    while (followed.tree.size < size) {
      const { tree, lastHash, gaps } = followed;
      const from = Math.max(0, tree.size - 1);
      const found = await trail.entries(from, Math.min(size, tree.size + mostRecords));
      const isSame = lastHash === undefined || isSameHash(found[0]?.hash, lastHash);
      const added = lastHash === undefined ? found : found.slice(1);
      if (!isSame || added.length === 0) return load();
      note(followed, added);
      const { tree: grown } = await grow(tree, added);
      followed = { tree: grown, lastHash: added.at(-1)?.hash, gaps };
      await turn();
    }
    return followed.tree.size === size && isSameHash(followed.lastHash, expected) ? followed : load();
  }

  /** The tree with these entries more, and the tiles that they complete. */
  async function grow(from: Tree, entries: readonly HashedRecord[]) {
    let tree = from;
    const tiles: FullTile[] = [];
    for (let at = 0; at < entries.length; at += entriesInTurn) {
      if (at > 0) await turn();
      const grown = tree.with(Buffer.concat(entries.slice(at, at + entriesInTurn).map(({ hash }) => hash)));
      tree = grown.tree;
      tiles.push(...grown.tiles);
    }
    return { tree, tiles };
  }

  /** Those of the records that have no entry. */
  async function withoutEntry<Key extends RecordKey>(
    kind: RecordKind,
    records: readonly Key[],
  ): Promise<readonly Key[]> {
    if (records.length === 0) return [];
    const ids = records.map(({ recordId }) => recordId);
    const numbered = new Set(await trail.idsWithEntry(kind, ids));
    return numbered.size === 0 ? records : records.filter(({ recordId }) => !numbered.has(recordId));
  }

  function settle(known: State, { kind, gaps, late, next }: Look): void {
    const ids = late.map(({ recordId }) => recordId);
    known.gaps[kind].settle(gaps, ids, late.length === mostLate, now());
    note(known, next);
  }

  async function append(known: State, records: readonly HashedRecord[]): Promise<boolean> {
    const { tree, tiles } = await grow(known.tree, records);
    if (!(await trail.append(known.tree.size, records, tiles))) return false;
    state = { ...known, tree, lastHash: records.at(-1)?.hash };
    confirmed = tree;
    return true;
  }

  async function current(): Promise<{ known: State; lastIds: Readonly<Record<RecordKind, number>> }> {
    state ??= await load();
    const newest = await trail.newest();
    const known = await follow(state, newest);
    const { lastIds } = newest;
    // After an id that was not given out, or a sequence that was set back: what is behind it may have no entry.
    const isBack = recordKinds.some(kind => known.gaps[kind].last > lastIds[kind]);
    state = isBack ? await load() : known;
    return { known: state, lastIds };
  }

  return {
    /**
     * Takes over what other processes have numbered and numbers what is new; answers how many records it found without an
     * entry, and whether there are more. Throws TrailError where the stored trail is not whole.
     */
    async step(): Promise<{ readonly records: number; readonly isMore: boolean }> {
      const { known, lastIds } = await current();
      const looks: Look[] = [];
      let records: readonly HashedRecord[] = [];
      for (const kind of order) {
        const { last, due } = known.gaps[kind];
        const gaps = due(now(), mostGaps);
        const late = gaps.length > 0 ? await trail.hashesIn(kind, gaps, mostLate) : [];
        const limit = mostRecords - records.length - late.length;
        const range = { first: last + 1, last: lastIds[kind] };
        const next = range.first <= range.last && limit > 0 ? await trail.hashesIn(kind, [range], limit) : [];
        looks.push({ kind, gaps, late, next });
        records = records.concat(await withoutEntry(kind, late.concat(next)));
      }
      const isDone = records.length === 0 || (await append(known, records));
      if (isDone) for (const look of looks) settle(known, look);
      const isMore = looks.some(
        ({ kind, late }) => late.length === mostLate || lastIds[kind] > known.gaps[kind].last,
      );
      return { records: records.length, isMore };
    },

    /**
     * Numbers records that the quick look has passed over, or does not look for; answers those that had no entry yet. Leaves
     * out newer ones, which the next step finds.
     */
    async add(kind: RecordKind, records: readonly TrailRecord[]): Promise<readonly TrailRecord[]> {
      const { known, lastIds } = await current();
      const { last } = known.gaps[kind];
      const passed = records.filter(({ recordId }) => recordId <= last || recordId > lastIds[kind]);
      const missing = await withoutEntry(kind, passed);
      if (missing.length > 0) await refuseMissing(known.tree.size);
      const hashed = missing.map(record => ({ ...record, hash: hasher.leaf(record.entry) }));
      return hashed.length > 0 && (await append(known, hashed)) ? missing : [];
    },

    /** The tree of all entries that this process knows. */
    tree: () => state?.tree,

    /** Resolves when all entries that this process knows would survive the loss of the primary. */
    async confirm(): Promise<void> {
      if (state?.tree !== confirmed) await trail.confirm();
    },

    /** Reads the tree of the entries that this process knows anew. Throws TrailError where it is not whole. */
    async reread(): Promise<void> {
      const known = state;
      if (known === undefined) return;
      const tree = await readTree(trail, hasher, known.tree.size);
      // Unless a step has come between, after which the next rereading is soon enough.
      if (state === known) state = { ...known, tree };
    },

    /** Forgets what this process knows of the stored trail. */
    reset(): void {
      state = undefined;
    },
  };
}

const isSameHash = (a: Hash | undefined, b: Hash | undefined): boolean =>
  a === undefined || b === undefined ? a === b : equalBytes(a, b);
