import { equalBytes, fromUtf8, TrailError } from "../../domain/trail/encoding.ts";
import type { LogEntry } from "../../domain/trail/entry.ts";
import type { Hash, TreeHasher } from "../../domain/trail/merkle.ts";
import { tileWidth } from "../../domain/trail/tile.ts";
import {
  type RecordKind,
  recordKinds,
  type Space,
  type TrailRecord,
  type TrailRepository,
} from "./trail-repository.ts";
import { readTile, rootsOfTile } from "./tree.ts";

/** What does not match. The id is that of the log, employee or asset, or the index of the tile. */
export interface Finding {
  readonly kind: Space;
  readonly id: number | string;
  readonly what:
    | "changed"
    | "removed"
    | "numbered twice"
    | "changed without a record"
    | "has an id that no record can have"
    | "has an entry of no record"
    | "is not the root of its hashes";
}

/** Ids, or entries, of one part of the examination, and of one step of a part. */
const partWidth = 16_384;
const stepWidth = 256;
export const stepsOfPart = partWidth / stepWidth;
const spaces: readonly Space[] = [...recordKinds, "tile"];
const spaceWidth = 2 ** 48 * tileWidth;

/**
 * All parts of what is there, and of what has an entry; the first part of each space always. A part is known by its first
 * id, or its first entry, with its space in the bits above; as it is stored, see Reading. Ids may be as far apart as an
 * owner of the tables likes, so the parts between are left out.
 */
export async function allPartsOf(trail: TrailRepository): Promise<number[]> {
  const parts: number[] = [];
  for (const [at, space] of spaces.entries()) {
    const firsts = new Set([0, ...(await trail.spans(space, partWidth))]);
    for (const first of firsts) parts.push((at * spaceWidth + first) / tileWidth);
  }
  return parts;
}

export interface ExaminationPorts {
  readonly trail: TrailRepository;
  readonly hasher: TreeHasher;
  /** Called between two steps. */
  readonly pause: () => Promise<unknown>;
  /** Takes records without an entry. */
  readonly takeLate: (kind: RecordKind, records: readonly TrailRecord[]) => Promise<unknown>;
}

/** Holds every record against its hash, and every hash against the tree, a part at a time. */
export function makeExamination({ trail, hasher, pause, takeLate }: ExaminationPorts) {
  async function* examineRecords(kind: RecordKind, from: number, to: number): AsyncGenerator<Finding> {
    const records = await trail.recordsIn(kind, [{ first: Math.max(1, from), last: to - 1 }], stepWidth);
    const hashes = new Map<number, Hash>();
    // After the records: whatever has a number by now was there then.
    for (const { recordId, hash } of await trail.entriesOf(kind, from, to)) {
      if (hashes.has(recordId)) yield { kind, id: recordId, what: "numbered twice" };
      hashes.set(recordId, hash);
    }
    const late: TrailRecord[] = [];
    for (const record of records) {
      const hash = hashes.get(record.recordId);
      hashes.delete(record.recordId);
      if (hash === undefined) late.push(record);
      else if (!equalBytes(hasher.leaf(record.entry), hash)) {
        yield { kind, id: toldBy(record).id, what: "changed" };
      }
    }
    const others = await trail.records(kind, [...hashes.keys()]);
    const there = new Set(others.map(({ recordId }) => recordId));
    // A record may have come between the two readings.
    for (const id of hashes.keys()) if (!there.has(id)) yield { kind, id, what: "removed" };
    if (late.length > 0) await takeLate(kind, late);
  }

  /** A full tile, and those above it that it completes. */
  async function* examineTiles(level: number, index: number): AsyncGenerator<Finding> {
    const [stored] = await trail.tiles(level, index, index + 1);
    if (stored === undefined) return;
    const hashes = await readTile(trail, { level, index, width: tileWidth }).catch(missing);
    const isRoot = () => {
      const { sixteenths, root } = rootsOfTile(hasher, hashes);
      return equalBytes(sixteenths, stored.sixteenths) && equalBytes(root, stored.root);
    };
    if (hashes.length === 0 || !isRoot())
      yield { kind: "tile", id: index, what: "is not the root of its hashes" };
    if ((index + 1) % tileWidth === 0) yield* examineTiles(level + 1, (index + 1) / tileWidth - 1);
  }

  return {
    async *examine(part: number): AsyncGenerator<Finding> {
      const space = spaces[Math.floor((part * tileWidth) / spaceWidth)] ?? "tile";
      const first = (part * tileWidth) % spaceWidth;
      for (const id of first === 0 ? await trail.strays(space) : []) {
        if (space !== "tile") yield { kind: space, id, what: "has an id that no record can have" };
        else yield { kind: space, id: Math.floor(Number(id) / tileWidth), what: "has an entry of no record" };
      }
      for (let from = first; from < first + partWidth; from += stepWidth) {
        if (space === "tile") yield* examineTiles(0, from / tileWidth);
        else yield* examineRecords(space, from, from + stepWidth);
        await pause();
      }
      if (space !== "employee" && space !== "asset") return;
      for (const id of await trail.unrecorded(space, first, first + partWidth)) {
        yield { kind: space, id, what: "changed without a record" };
      }
    },
  };
}

/** What an entry says of its log, employee or asset; an owner of the tables can make a record that is no JSON. */
export function toldBy({ entry, recordId }: TrailRecord): Pick<LogEntry, "id" | "recordedAt"> {
  try {
    return JSON.parse(fromUtf8(entry));
  } catch {
    return { id: recordId, recordedAt: null };
  }
}

function missing(error: unknown): Uint8Array {
  if (error instanceof TrailError) return new Uint8Array();
  throw error;
}
