import type { Ids, StoredNode, TrailStore } from "../../src/application/trail/ports.ts";
import { type EntryKind, entryKinds } from "../../src/domain/trail/entry.ts";
import { type Hash, leafHash } from "../../src/domain/trail/merkle.ts";

interface RecordKey {
  readonly kind: EntryKind;
  readonly recordId: number;
}

export interface MemoryRecord extends RecordKey {
  /** The bytes of its entry, as the record is now. */
  readonly entry: Uint8Array;
}

/** The records of each kind; a test may change and remove them, as an owner of the tables can. */
export type RecordsOf = Readonly<Record<EntryKind, MemoryRecord[]>>;

export interface NumberedRecord extends RecordKey {
  readonly index: number;
  readonly hash: Hash;
}

export interface MemoryTrail extends TrailStore {
  readonly stored: {
    entries: NumberedRecord[];
    nodes: StoredNode[];
    readonly checkpoints: string[];
    readonly acceptances: string[];
  };
  /** Ids of transactions: the next one, and of those that are open. */
  readonly transactions: { next: number; readonly open: Set<number>; server: string };
}

/** @param lastGivenId the last id that was given to a record, where a test makes records with others */
export function makeMemoryTrail(
  recordsOf: RecordsOf,
  lastGivenId: (kind: EntryKind) => number = kind =>
    recordsOf[kind].reduce((last, { recordId }) => Math.max(last, recordId), 0),
): MemoryTrail {
  const stored: MemoryTrail["stored"] = { entries: [], nodes: [], checkpoints: [], acceptances: [] };
  const transactions: MemoryTrail["transactions"] = { next: 1, open: new Set(), server: "memory" };
  const lastIds = (idOf: (kind: EntryKind) => number): Ids => ({
    employee: idOf("employee"),
    asset: idOf("asset"),
    log: idOf("log"),
  });
  const entryAt = (index: number) => stored.entries.find(entry => entry.index === index);
  const isOf = (key: RecordKey) => (other: RecordKey) =>
    other.kind === key.kind && other.recordId === key.recordId;
  const keyOf = ({ kind, recordId }: RecordKey) => `${kind} ${recordId}`;
  const numberedKeys = () => new Set(stored.entries.map(keyOf));
  const recordOf = (key: RecordKey) => recordsOf[key.kind].find(isOf(key));
  const inRange = (from: number, to: number) =>
    stored.entries.filter(({ index }) => index >= from && index < to).sort((a, b) => a.index - b.index);

  return {
    stored,
    transactions,

    ledger: {
      async end() {
        const last = inRange(0, Number.POSITIVE_INFINITY).at(-1);
        const { server } = transactions;
        return {
          server,
          schema: 0,
          size: last === undefined ? 0 : last.index + 1,
          lastHash: last?.hash ?? new Uint8Array(),
        };
      },
      async number({ size }, { above, upTo }, limit) {
        const last = inRange(0, Number.POSITIVE_INFINITY).at(-1);
        if ((last?.index ?? -1) + 1 !== size) return undefined;
        const numbered = numberedKeys();
        const found = entryKinds
          .flatMap(kind => recordsOf[kind].toSorted((a, b) => a.recordId - b.recordId))
          .filter(record => record.recordId > above[record.kind] && record.recordId <= upTo[record.kind])
          .filter(record => !numbered.has(keyOf(record)))
          .slice(0, limit);
        const added = found
          .filter(({ entry }) => entry.length <= 65_535)
          .map(({ kind, recordId, entry }, at) => ({
            kind,
            recordId,
            hash: leafHash(entry),
            index: size + at,
          }));
        stored.entries.push(...added);
        const [long] = found.filter(({ entry }) => entry.length > 65_535);
        return {
          hashes: Buffer.concat(added.map(({ hash }) => hash)),
          lastIds: lastIds(kind => found.findLast(record => record.kind === kind)?.recordId ?? above[kind]),
          found: found.length,
          tooLong: long && `${long.kind} ${long.recordId}`,
        };
      },
      async store(nodes, server) {
        if (server !== transactions.server) return;
        const placeOf = ({ level, index }: StoredNode) => `${level}/${index}`;
        const known = new Set(stored.nodes.map(placeOf));
        stored.nodes.push(...nodes.filter(node => !known.has(placeOf(node))));
      },
      async hashes(ranges) {
        return ranges.map(({ level, from, to }) => {
          const row = level === 0 ? stored.entries : stored.nodes.filter(node => node.level === level);
          const found = row.filter(({ index }) => index >= from && index < to);
          return Buffer.concat(found.sort((a, b) => a.index - b.index).map(({ hash }) => hash));
        });
      },
      async firstMissing(from, to) {
        const indexes = new Set(inRange(from, to).map(({ index }) => index));
        for (let index = from; index < to; index += 1) if (!indexes.has(index)) return index;
        return undefined;
      },
      async firstRepeated(from, to) {
        const all = stored.entries.map(keyOf);
        if (new Set(all).size === all.length) return undefined;
        const repeated = inRange(from, to).find(entry => stored.entries.filter(isOf(entry)).length > 1);
        return repeated && `entry ${repeated.index} of ${repeated.kind} record ${repeated.recordId}`;
      },
    },

    records: {
      async horizon(needsXid) {
        const xmin = Math.min(transactions.next, ...transactions.open);
        const xid = needsXid ? transactions.next++ : undefined;
        return { lastIds: lastIds(lastGivenId), xmin, xid };
      },
      async window({ above, upTo }, width) {
        return lastIds(kind => {
          const all = recordsOf[kind].map(({ recordId }) => recordId);
          const ids = all.filter(id => id > above[kind] && id <= upTo[kind]);
          const first = Math.min(...ids);
          return ids.some(id => id - first >= width) ? first + width - 1 : upTo[kind];
        });
      },
      async isEmpty() {
        return stored.entries.length === 0 && entryKinds.every(kind => recordsOf[kind].length === 0);
      },
      async unnumbered() {
        const last = lastIds(kind =>
          Math.max(0, ...stored.entries.filter(entry => entry.kind === kind).map(({ recordId }) => recordId)),
        );
        return entryKinds
          .flatMap(kind => recordsOf[kind])
          .filter(({ kind, recordId }) => recordId > last[kind]).length;
      },
      async entries(from, to) {
        const entries: Uint8Array[] = [];
        let bytes = 0;
        for (let index = from; index < to; index += 1) {
          const key = entryAt(index);
          const record = key && recordOf(key);
          bytes += record?.entry.length ?? 0;
          if (record === undefined || (entries.length > 0 && bytes > 256 * 1024)) break;
          entries.push(record.entry);
        }
        return entries;
      },
      async entryOfLog(id) {
        const key = { kind: "log", recordId: id } as const;
        return { index: stored.entries.find(isOf(key))?.index, entry: recordOf(key)?.entry };
      },
      async newestFaults() {
        return entryKinds.flatMap(kind => {
          const ofKind = stored.entries.filter(entry => entry.kind === kind);
          const newest = ofKind.toSorted((a, b) => a.recordId - b.recordId).at(-1);
          const record = newest && recordOf(newest);
          if (newest === undefined || (record && Buffer.compare(leafHash(record.entry), newest.hash) === 0))
            return [];
          const what = record === undefined ? "is gone" : "was changed";
          return [`the newest ${kind} record in the trail, ${newest.recordId}, ${what}`];
        });
      },
      async *differences() {
        for (const kind of entryKinds) {
          for (const { recordId, hash } of stored.entries.filter(entry => entry.kind === kind)) {
            const record = recordOf({ kind, recordId });
            if (record === undefined) yield `${kind} ${recordId}: removed`;
            else if (Buffer.compare(leafHash(record.entry), hash) !== 0) yield `${kind} ${recordId}: changed`;
          }
        }
      },
    },

    checkpoints: {
      newest: async most => stored.checkpoints.slice(-most).reverse(),
      async add(note) {
        stored.checkpoints.push(note);
      },
      async accept(acceptance, checkpoint) {
        stored.acceptances.push(acceptance);
        stored.checkpoints.push(checkpoint);
      },
      acceptancesWith: async line =>
        stored.acceptances
          .filter(note => note.includes(`\n${line}\n`))
          .reverse()
          .slice(0, 100),
      confirm: async () => {},
    },
  };
}
