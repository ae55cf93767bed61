import {
  type Acceptance,
  type EntryPlace,
  type FullTile,
  idsEnd,
  type NumberedRecord,
  type Reading,
  type RecordKind,
  recordKinds,
  type StoredCheckpoint,
  type TrailRecord,
  type TrailRepository,
} from "../../src/application/trail/trail-repository.ts";

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

export function makeMemoryTrail(recordsOf: RecordsOf): MemoryTrail {
  const stored: MemoryTrail["stored"] = { entries: [], tiles: [], checkpoints: [], acceptances: [] };
  let lastCheckpointId = 0;
  const readings: Omit<Reading, "age">[] = [];
  const joined = (hashes: readonly NumberedRecord[]) => Buffer.concat(hashes.map(({ hash }) => hash));
  return {
    stored,

    async end() {
      const lastIdOf = (kind: RecordKind) =>
        Math.max(0, ...stored.entries.filter(entry => entry.kind === kind).map(({ recordId }) => recordId));
      const lastIds = Object.fromEntries(recordKinds.map(kind => [kind, lastIdOf(kind)]));
      return {
        size: stored.entries.length,
        lastHash: stored.entries.at(-1)?.hash,
        lastIds: lastIds as Record<RecordKind, number>,
      };
    },

    newest: async () => ({
      size: stored.entries.length,
      lastHash: stored.entries.at(-1)?.hash,
      lastIds: {
        log: recordsOf.log.at(-1)?.recordId ?? 0,
        employee: recordsOf.employee.at(-1)?.recordId ?? 0,
        asset: recordsOf.asset.at(-1)?.recordId ?? 0,
      },
    }),

    async spans(space, width) {
      const entries = stored.entries.filter(({ kind }) => space === "tile" || kind === space);
      const ids =
        space === "tile"
          ? entries.map(({ index }) => index)
          : [...recordsOf[space], ...entries].map(({ recordId }) => recordId);
      return [...new Set(ids.map(id => Math.floor(id / width) * width))].sort((a, b) => a - b);
    },

    strays: async kind =>
      recordsOf[kind].flatMap(({ recordId: id }) => (id < 1 || id >= idsEnd ? [String(id)] : [])),
    recordsAfter: async (kind, id, limit, mostBytes = Number.POSITIVE_INFINITY) => {
      let length = 0;
      return recordsOf[kind]
        .filter(({ recordId }) => recordId > id)
        .slice(0, limit)
        .filter(({ entry }, at) => {
          length += entry.length;
          return at === 0 || length <= mostBytes;
        });
    },
    records: async (kind, ids) => recordsOf[kind].filter(({ recordId }) => ids.includes(recordId)),
    entries: async (from, to) => stored.entries.filter(({ index }) => index >= from && index < to),
    entriesOf: async (kind, fromId, toId) =>
      stored.entries.filter(
        entry => entry.kind === kind && entry.recordId >= fromId && entry.recordId < toId,
      ),
    idsWithoutEntry: async (kind, fromId, toId, limit) => {
      const numbered = new Set(
        stored.entries.filter(entry => entry.kind === kind).map(({ recordId }) => recordId),
      );
      const ids = Array.from({ length: Math.max(0, toId - fromId) }, (_, at) => fromId + at);
      return ids.filter(id => !numbered.has(id)).slice(-limit);
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
