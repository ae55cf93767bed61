import { signCheckpoint } from "../../src/domain/trail/checkpoint.ts";
import type { Entry, LogEntry } from "../../src/domain/trail/entry.ts";
import {
  emptyRoot,
  type Hash,
  inclusionSpans,
  joinHashes,
  leafHash,
  type Node,
  nodesOf,
} from "../../src/domain/trail/merkle.ts";
import { formatVerifierKey, makeSignerKey } from "../../src/domain/trail/note.ts";
import { formatProof } from "../../src/domain/trail/proof.ts";
import { type Tile, tileAt, tileWidth, writeBundle } from "../../src/domain/trail/tile.ts";
import { entryBytes } from "./entry-bytes.ts";
import { aLogEntry } from "./test-records.ts";
import { makeTreeNodes } from "./tree-nodes.ts";

export type TestTrail = ReturnType<typeof makeTestTrail>;

/** A trail in memory, with what a service would answer of it. */
export function makeTestTrail(name = "example.com/log") {
  const key = makeSignerKey(name, new Uint8Array(32).fill(3));
  const entries: Entry[] = [];
  const hashes = new Map<string, Hash>();
  const hashAt = ({ level, index }: Node): Hash => hashes.get(`${level}/${index}`) as Hash;
  const frontier = makeTreeNodes(({ level, index }, hash) => {
    hashes.set(`${level}/${index}`, hash);
  });
  /** The signed note of the first entries; of all without a size. */
  const checkpoint = (size = entries.length) =>
    signCheckpoint(
      {
        size,
        root: size === 0 ? emptyRoot : joinHashes(nodesOf({ from: 0, to: size }).map(hashAt)),
      },
      key,
    );
  return {
    vkey: formatVerifierKey(key),
    entries,
    add(...more: readonly Entry[]) {
      for (const entry of more) {
        entries.push(entry);
        frontier.append(leafHash(entryBytes(entry)));
      }
    },
    checkpoint,
    /** The output of export-trail. */
    export: () => entries.map(entry => `${Buffer.from(entryBytes(entry)).toString()}\n`).join(""),
    proof: (index: number, size = entries.length) =>
      formatProof({
        entry: entryBytes(entries[index] as Entry),
        index,
        hashes: inclusionSpans(index, size).map(span => joinHashes(nodesOf(span).map(hashAt))),
        checkpoint: checkpoint(size),
      }),
    tile: ({ level, index, width }: Tile) =>
      Buffer.concat(
        Array.from({ length: width }, (_, at) => hashAt({ level: level * 8, index: index * tileWidth + at })),
      ),
    bundle: ({ index, width }: Omit<Tile, "level">) =>
      Buffer.from(writeBundle(entries.slice(index * tileWidth, index * tileWidth + width).map(entryBytes))),
  };
}

/** A trail of so many logs. */
export function trailOf(
  count: number,
  change: (id: number) => Partial<LogEntry> = () => ({}),
  name?: string,
): TestTrail {
  const trail = makeTestTrail(name);
  for (let id = 1; id <= count; id += 1) trail.add(logEntry(id, change(id)));
  return trail;
}

/** A log's entry, and the log as the API answers it. */
export const logEntry = (id: number, given: Partial<LogEntry> = {}): LogEntry =>
  aLogEntry({
    id,
    performedDate: "2026-01-07T10:00:00.5",
    comment: `comment ${id}: 漢 😀 "é"`,
    assetId: 3,
    performedByEmployeeId: 5,
    performedByName: "Ada Lovelace",
    recordedAt: "2026-01-08T09:00:00.000001Z",
    ...given,
  });

export function answeredLog({ kind: _, recordedAt: __, ...fields }: LogEntry) {
  return { ...fields, assetName: "Pump" };
}

/** All tiles of a tree of so many entries. */
export function tilesOf(size: number): Tile[] {
  const tiles: Tile[] = [];
  for (let level = 0; tileAt(level, 0, size) !== undefined; level += 1) {
    for (let index = 0; ; index += 1) {
      const tile = tileAt(level, index, size);
      if (tile === undefined) break;
      tiles.push(tile);
    }
  }
  return tiles;
}
