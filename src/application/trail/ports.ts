import type { EntryKind } from "../../domain/trail/entry.ts";
import type { Hash, Node } from "../../domain/trail/merkle.ts";
import type { SignerKey } from "../../domain/trail/note.ts";
import type { Clock, EventLog } from "../clock-and-log.ts";

/**
 * For each kind, an id of its records: the rows that entries stand for, and that never change. A record is a log, or one
 * state of an employee or an asset. Ids of states are their own, not those of the employee or asset.
 */
export type Ids = Readonly<Record<EntryKind, number>>;

/** No record with a higher id gets a number. */
export const mostId = Number.MAX_SAFE_INTEGER;
const all = (id: number): Ids => ({ employee: id, asset: id, log: id });
export const noIds = all(0);
export const everyId = all(mostId);

/** For each kind, the ids above one and up to another one. */
export interface IdRange {
  readonly above: Ids;
  readonly upTo: Ids;
}

/** Ids, or entries, that one statement goes over at most, so that it ends before its deadline however long the trail is. */
export const windowSize = 2 ** 18;

/** A perfect subtree whose hash is stored: on level 4, 8 and so on. The hashes of level 0 are those of the entries. */
export interface StoredNode extends Node {
  readonly hash: Hash;
}

/** Stored hashes of one level, at most 256, from an index up to, and without, another one; those of level 0 are of entries. */
export interface HashRange {
  readonly level: number;
  readonly from: number;
  readonly to: number;
}

/** What became entries with one statement. */
export interface Numbered {
  /** Their leaf hashes, one after the other. */
  readonly hashes: Uint8Array;
  /** For each kind, the highest id that was found, too long or not; where none was found, that of `above`. */
  readonly lastIds: Ids;
  /** How many records were found, with those that are too long for an entry. */
  readonly found: number;
  /** One of those that are too long, by its kind and id: they get no number, and only an owner of the tables makes them. */
  readonly tooLong: string | undefined;
}

export interface TrailEnd {
  readonly server: string;
  readonly schema: number;
  readonly size: number;
  readonly lastHash: Hash;
}

/** The entries and their tree, to which rows are only added. Methods of all ports here throw UNAVAILABLE. */
export interface Ledger {
  /**
   * `server` changes when PostgreSQL starts anew, or when a standby takes over, which may issue lost ids again. `lastHash` is the hash
   * of the last entry, or empty. `schema` is the number of the newest migration.
   */
  end(): Promise<TrailEnd>;
  /**
   * Gives the next indexes to records with these ids that have no entry, at most so many: by the order of kinds, then by id.
   * Resolves with undefined, and adds nothing, where the trail does not end so, or the database has another schema.
   */
  number(end: Pick<TrailEnd, "size" | "schema">, ids: IdRange, limit: number): Promise<Numbered | undefined>;
  /**
   * Nodes that are stored already stay as they are. Adds nothing on another server: a new connection can lead to a promoted standby
   * that lacks the entries of these nodes.
   */
  store(nodes: readonly StoredNode[], server: string): Promise<void>;
  /** For each range, the hashes one after the other, as many as are stored. */
  hashes(ranges: readonly HashRange[]): Promise<readonly Uint8Array[]>;
  /** The first index, from `from` up to, and without, `to`, that has no entry with a hash. */
  firstMissing(from: number, to: number): Promise<number | undefined>;
  /** In words, the first entry, of those from `from` up to, and without, `to`, whose record has another entry too. */
  firstRepeated(from: number, to: number): Promise<string | undefined>;
}

/** The ids and transactions of one moment. */
export interface Horizon {
  /** The last ids that the sequences have issued. The owner of the tables can insert a record with any other id. */
  readonly lastIds: Ids;
  /** Every transaction with a lower id has ended. */
  readonly xmin: number;
  /** Every transaction that has an id at this moment has a lower one; undefined unless asked for. */
  readonly xid: number | undefined;
}

/** The index of a log's entry and its bytes, as the log is now; either is undefined where there is none. */
export interface LogInTrail {
  readonly index: number | undefined;
  readonly entry: Uint8Array | undefined;
}

/** The records that entries stand for. */
export interface TrailRecords {
  /** @param needsXid whether it takes the id of a transaction for itself */
  horizon(needsXid: boolean): Promise<Horizon>;
  /**
   * For each kind, the last id of a window that begins with the first record in the range and has at most `width` ids: there are no
   * more windows than records, however far apart their ids are. The last window ends where the range ends.
   */
  window(ids: IdRange, width: number): Promise<Ids>;
  /** Whether the database has neither records nor entries, or not even their tables. */
  isEmpty(): Promise<boolean>;
  /** How many records may have no entry: those above the last of their kind that has one. Counts to 100,000 of each kind. */
  unnumbered(): Promise<number>;
  /**
   * The bytes of entries from an index up to, and without, another one, as far as all of them are there, and no more at
   * once than may stay in memory for a slow client.
   */
  entries(from: number, to: number): Promise<Uint8Array[]>;
  entryOfLog(id: number): Promise<LogInTrail>;
  /**
   * In words, faults of the newest rows: of each kind, the newest record that has an entry is not what the entry says; the newest
   * employee, or asset, has no record. Costs the same whatever is stored.
   */
  newestFaults(): Promise<readonly string[]>;
  /**
   * Compares every record with the hash of its entry, and employees and assets with their last record. In words, what does
   * not agree: the id in them is that of the log, employee or asset.
   */
  differences(): AsyncIterable<string>;
}

/** Signed notes in the database. */
export interface Checkpoints {
  /** The checkpoints that were stored last, at most so many, the newest first. */
  newest(most: number): Promise<readonly string[]>;
  add(note: string): Promise<void>;
  /** Stores the signed note of an acceptance, and the checkpoint of the accepted head, both or neither. */
  accept(acceptance: string, checkpoint: string): Promise<void>;
  /** The notes of acceptances that have this line, at most 100, the newest first. */
  acceptancesWith(line: string): Promise<readonly string[]>;
  /** Resolves when all that has been read would survive the loss of the primary. */
  confirm(): Promise<void>;
}

/** What the database keeps of the trail. */
export interface TrailStore {
  readonly ledger: Ledger;
  readonly records: TrailRecords;
  readonly checkpoints: Checkpoints;
}

/** Where the last checkpoint is kept outside the database. Throws TrailObstacleError where that cannot be read or written. */
export interface StateFile {
  /** In words, for everybody: without its path. */
  readonly place: string;
  read(): Promise<string | undefined>;
  /** Resolves when the signed note would survive a crash of the machine. */
  write(note: string): Promise<void>;
}

export interface TrailPorts extends TrailStore {
  /** Undefined: nothing is signed. */
  readonly key: SignerKey | undefined;
  readonly stateFile: StateFile | undefined;
  readonly events: EventLog;
  readonly clock: Clock;
}
