import type { Hash } from "../../domain/trail/merkle.ts";

export const recordKinds = ["log", "employee", "asset"] as const;
export type RecordKind = (typeof recordKinds)[number];

/**
 * A row that an entry stands for, and is never changed: a log, or one state of an employee or an asset. Ids of states
 * are their own, not those of the employee or asset.
 */
export interface RecordKey {
  readonly kind: RecordKind;
  readonly recordId: number;
}

export interface TrailRecord extends RecordKey {
  /** The bytes of its entry, as the record is now. */
  readonly entry: Uint8Array;
}

/** A record with the leaf hash of its entry. */
export interface HashedRecord extends RecordKey {
  readonly hash: Hash;
}

/** A record with its number and the leaf hash that it had when it got it. */
export interface NumberedRecord extends HashedRecord {
  readonly index: number;
}

/** A tile of 256 hashes: of entries on level 0, of the tiles one level below on others. */
export interface FullTile {
  readonly level: number;
  readonly index: number;
  readonly root: Hash;
  /** The roots of its 16 subtrees of 16 hashes, one after the other. */
  readonly sixteenths: Uint8Array;
}

export interface NewCheckpoint {
  readonly size: number;
  readonly root: Hash;
  /** The signed note. */
  readonly note: string;
}

export interface StoredCheckpoint extends NewCheckpoint {
  readonly id: number;
}

/** The operator's word that the trail goes on with another history than the one that was signed. */
export interface Acceptance {
  readonly reason: string;
  /** Undefined where there was none. */
  readonly refused: Pick<NewCheckpoint, "size" | "root"> | undefined;
  readonly accepted: NewCheckpoint;
}

/** A part of the background reading that is done. */
export interface Reading {
  /** Counted up by one for each part. */
  readonly id: number;
  /** Where the part begins: see background-reading.ts. */
  readonly from: number;
  readonly mismatches: number;
  /** Seconds since the part was stored. */
  readonly age: number;
}

/** Ids are below it, so that JavaScript tells them apart, also where the trail encodes their kind with them. */
export const idsEnd = 2 ** 52;

/** Ids from the first to the last. */
export interface IdRange {
  readonly first: number;
  readonly last: number;
}

/** What is examined: records of a kind by their ids, or the tiles of entries by their indexes. */
export type Space = RecordKind | "tile";

/** Where an entry is, and the hashes next to it. */
export interface EntryPlace {
  readonly index: number;
  /** The bytes of the entry, as the log is now; undefined where it is gone. */
  readonly entry: Uint8Array | undefined;
  readonly hash: Hash;
  /** The hashes from `index - index % 16` on, as many of the 16 as there are. */
  readonly neighbours: Uint8Array;
}

export interface TrailEnd {
  readonly size: number;
  /** Of the last entry. */
  readonly lastHash: Hash | undefined;
  /** Only of ids that the database has given out: whoever may insert a record or an entry can write any other. */
  readonly lastIds: Readonly<Record<RecordKind, number>>;
}

/**
 * What the trail reads, and what it stores: by insertion only. Every method is atomic, and throws UNAVAILABLE while
 * the records cannot be reached.
 */
export interface TrailRepository {
  /** How many entries there are, and of each kind the greatest id that has one, or 0; see `lastIds`. */
  end(): Promise<TrailEnd>;
  /**
   * The first index from a tile's first up to, and without, a tile's first or the end, of which there is not one entry;
   * undefined where all are there.
   */
  firstMissing(from: number, to: number): Promise<number | undefined>;
  /** How many entries there are, and of each kind the greatest id that a record has, or 0; see `lastIds`. */
  newest(): Promise<TrailEnd>;
  /**
   * Where those of the spans of so many ids begin that are not empty, ascending: that hold a record of the kind, an entry of
   * one, or an employee or asset itself; of `tile`, an entry.
   */
  spans(space: Space, width: number): Promise<number[]>;
  /**
   * The ids, as texts, of records of a kind, and of employees or assets, that are no numbers from 1 up to `idsEnd`; of
   * `tile`, the indexes of entries that are outside of the trail, of no kind of record, or of no such id. Not more than
   * 100,000 of them. No other method knows these records, nor the records of these entries.
   */
  strays(space: Space): Promise<string[]>;
  /** Records with ids in these ranges, at most so many, and of each range the first ones, ascending. */
  recordsIn(kind: RecordKind, ranges: readonly IdRange[], limit: number): Promise<TrailRecord[]>;
  /** The same, hashed by the database; fewer where they are long together, but at least one where there is one. */
  hashesIn(kind: RecordKind, ranges: readonly IdRange[], limit: number): Promise<HashedRecord[]>;
  /** Those of these records that are there, in any order. */
  records(kind: RecordKind, ids: readonly number[]): Promise<TrailRecord[]>;
  /** Entries from an index up to, and without, another one, ascending. */
  entries(from: number, to: number): Promise<NumberedRecord[]>;
  /** Entries whose records have ids from the first up to, and without, the second, in any order. */
  entriesOf(kind: RecordKind, fromId: number, toId: number): Promise<NumberedRecord[]>;
  /** Those of these ids that an entry has, in any order. */
  idsWithEntry(kind: RecordKind, ids: readonly number[]): Promise<number[]>;
  /**
   * The ranges of ids up to this one that no entry has, the greatest so many, ascending: between the entries of the last
   * 65,536 ids or more.
   */
  idsWithoutEntry(kind: RecordKind, lastId: number, limit: number): Promise<IdRange[]>;
  /**
   * Numbers records from `from` on and stores the tiles that they complete, provided that the trail ends there; says
   * whether it was so. Of several callers at once that state the same end, one succeeds.
   */
  append(from: number, entries: readonly HashedRecord[], tiles: readonly FullTile[]): Promise<boolean>;
  /** Full tiles of a level from an index up to, and without, another one, ascending. */
  tiles(level: number, from: number, to: number): Promise<FullTile[]>;
  /** A full tile of level 0; undefined while there is none. */
  tileOfEntries(index: number): Promise<FullTile | undefined>;
  /** The place of a log's entry; undefined while it has none. */
  placeOfLog(id: number): Promise<EntryPlace | undefined>;
  /** Resolves when all entries that have been read would survive the loss of the primary. */
  confirm(): Promise<void>;
  /** The checkpoint that was stored last. */
  lastCheckpoint(): Promise<StoredCheckpoint | undefined>;
  checkpoint(id: number): Promise<StoredCheckpoint | undefined>;
  /** Answers its id. */
  addCheckpoint(checkpoint: NewCheckpoint): Promise<number>;
  /** Stores the acceptance together with its checkpoint. */
  accept(acceptance: Acceptance): Promise<void>;
  /** The last readings, newest first. */
  readings(limit: number): Promise<Reading[]>;
  /** False when another one has stored a reading with this id. */
  addReading(reading: Omit<Reading, "age">): Promise<boolean>;
  /** Of the employees or assets with ids in this range, those that are gone, or whose state is not that of their last record. */
  unrecorded(kind: "employee" | "asset", fromId: number, toId: number): Promise<number[]>;
}
