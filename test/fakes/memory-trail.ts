import { trailCrypto } from "../../src/adapters/trail-crypto.ts";
import {
  type Acceptance,
  type EntryPlace,
  type FullTile,
  idsEnd,
  type NumberedRecord,
  type Reading,
  type RecordKey,
  type RecordKind,
  type StoredCheckpoint,
  type TrailEnd,
  type TrailRecord,
  type TrailRepository,
} from "../../src/application/trail/trail-repository.ts";
import { makeTreeHasher } from "../../src/domain/trail/merkle.ts";

const hasher = makeTreeHasher(trailCrypto.sha256);

/** The records of a kind by ascending id; a test may change and remove them, as an owner of the tables can. */
export type RecordsOf = Readonly<Record<RecordKind, TrailRecord[]>>;

export interface MemoryTrail extends TrailRepository {
  readonly stored: {
    entries: NumberedRecord[];
    tiles: FullTile[];
    readonly checkpoints: StoredCheckpoint[];
    readonly acceptances: Acceptance[];
  };
}

/** @param lastGivenId the last id that was given to a record, where a test makes records with others */
export function makeMemoryTrail(
  recordsOf: RecordsOf,
  lastGivenId: (kind: RecordKind) => number = () => idsEnd,
): MemoryTrail {
  const stored: MemoryTrail["stored"] = { entries: [], tiles: [], checkpoints: [], acceptances: [] };
  let lastCheckpointId = 0;
  const readings: Omit<Reading, "age">[] = [];
  const endWith = (keys: (kind: RecordKind) => readonly RecordKey[]): TrailEnd => {
    const lastIdOf = (kind: RecordKind) => {
      const ids = keys(kind).map(({ recordId }) => recordId);
      return ids.reduce((last, id) => (id > last && id <= lastGivenId(kind) ? id : last), 0);
    };
    return {
      size: stored.entries.length,
      lastHash: stored.entries.at(-1)?.hash,
      lastIds: { log: lastIdOf("log"), employee: lastIdOf("employee"), asset: lastIdOf("asset") },
    };
  };
  const recordsIn: TrailRepository["recordsIn"] = async (kind, ranges, limit) =>
    ranges
      .flatMap(({ first, last }) =>
        recordsOf[kind].filter(({ recordId }) => recordId >= first && recordId <= last),
      )
      .slice(0, limit);
  const joined = (hashes: readonly NumberedRecord[]) => Buffer.concat(hashes.map(({ hash }) => hash));
  return {
    stored,

    async end() {
      return endWith(kind => stored.entries.filter(entry => entry.kind === kind));
    },
    async firstMissing(from, to) {
      const indexes = new Set(stored.entries.map(({ index }) => index));
      return Array.from({ length: to - from }, (_, at) => from + at).find(index => !indexes.has(index));
    },
    async newest() {
      return endWith(kind => recordsOf[kind]);
    },

    async spans(space, width) {
      const entries = stored.entries.filter(({ kind }) => space === "tile" || kind === space);
      const ids =
        space === "tile"
          ? entries.map(({ index }) => index)
          : [...recordsOf[space], ...entries].map(({ recordId }) => recordId);
      return [...new Set(ids.map(id => Math.floor(id / width) * width))].sort((a, b) => a - b);
    },

    strays: async space =>
      (space === "tile" ? [] : recordsOf[space]).flatMap(({ recordId: id }) =>
        id < 1 || id >= idsEnd ? [String(id)] : [],
      ),
    recordsIn,
    hashesIn: async (kind, ranges, limit) =>
      (await recordsIn(kind, ranges, limit)).map(({ recordId, entry }) => ({
        kind,
        recordId,
        hash: hasher.leaf(entry),
      })),
    records: async (kind, ids) => recordsOf[kind].filter(({ recordId }) => ids.includes(recordId)),
    entries: async (from, to) => stored.entries.filter(({ index }) => index >= from && index < to),
    entriesOf: async (kind, fromId, toId) =>
      stored.entries.filter(
        entry => entry.kind === kind && entry.recordId >= fromId && entry.recordId < toId,
      ),
    idsWithEntry: async (kind, ids) => {
      const asked = new Set(ids);
      return stored.entries.flatMap(entry =>
        entry.kind === kind && asked.has(entry.recordId) ? [entry.recordId] : [],
      );
    },
    idsWithoutEntry: async (kind, lastId, limit) => {
      const ids = stored.entries.flatMap(entry => (entry.kind === kind ? [entry.recordId] : []));
      const bounds = [0, ...ids.filter(id => id <= lastId).sort((a, b) => a - b), lastId + 1];
      return bounds
        .map((id, at) => ({ first: id + 1, last: (bounds[at + 1] ?? 0) - 1 }))
        .filter(({ first, last }) => first <= last)
        .slice(-limit);
    },

    async append(from, entries, tiles) {
      if (from !== stored.entries.length) return false;
      stored.entries.push(...entries.map((entry, at) => ({ ...entry, index: from + at })));
      stored.tiles.push(...tiles);
      return true;
    },

    tiles: async (level, from, to) =>
      stored.tiles
        .filter(tile => tile.level === level && tile.index >= from && tile.index < to)
        .sort((a, b) => a.index - b.index),

    tileOfEntries: async index => stored.tiles.find(tile => tile.level === 0 && tile.index === index),

    async placeOfLog(id): Promise<EntryPlace | undefined> {
      const found = stored.entries.find(entry => entry.kind === "log" && entry.recordId === id);
      if (found === undefined) return undefined;
      const { index, hash } = found;
      const first = index - (index % 16);
      return {
        index,
        hash,
        entry: recordsOf.log.find(({ recordId }) => recordId === id)?.entry,
        neighbours: joined(stored.entries.slice(first, first + 16)),
      };
    },

    confirm: async () => {},
    lastCheckpoint: async () => stored.checkpoints.at(-1),
    checkpoint: async id => stored.checkpoints.find(checkpoint => checkpoint.id === id),
    async addCheckpoint(checkpoint) {
      lastCheckpointId += 1;
      stored.checkpoints.push({ ...checkpoint, id: lastCheckpointId });
      return lastCheckpointId;
    },
    async accept(acceptance) {
      stored.acceptances.push(acceptance);
      await this.addCheckpoint(acceptance.accepted);
    },

    readings: async limit =>
      readings
        .slice(-limit)
        .reverse()
        .map(reading => ({ ...reading, age: 0 })),
    async addReading(reading) {
      if (readings.some(({ id }) => id === reading.id)) return false;
      readings.push(reading);
      return true;
    },
    unrecorded: async () => [],
  };
}
