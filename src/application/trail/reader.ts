import { DomainError } from "../../domain/error.ts";
import { TrailError, toBase64 } from "../../domain/trail/encoding.ts";
import { formatVerifierKey } from "../../domain/trail/note.ts";
import { isTileOf, readTilePath, tileWidth, writeBundle } from "../../domain/trail/tile.ts";
import type { ByteList, JsonList } from "../json-list.ts";
import { makeProofs, type ReaderPorts } from "./proofs.ts";
import { recordKinds, type TrailRepository } from "./trail-repository.ts";
import { readTile } from "./tree.ts";

/** Entries read with one statement, the first time and at most. The largest possible entry takes some 60 KiB. */
const firstEntries = 4;
const mostEntries = 128;
/** Of the entries that are held at once, which the last of a piece may exceed. */
const pieceBytes = 256 * 1024;

export interface TrailHead {
  readonly origin: string | null;
  readonly publicKey: string | null;
  readonly size: number;
  readonly rootHash: string;
  readonly checkpoint: string | null;
}

/** What anybody may read of the trail, as far as the newest checkpoint. */
export function makeTrailReader(ports: ReaderPorts) {
  const { trail, hasher, key } = ports;
  const { newest } = ports.signing;
  const proofs = makeProofs(ports);
  const size = () => newest()?.size ?? 0;

  return {
    head(): TrailHead {
      const signed = newest();
      return {
        origin: key?.name ?? null,
        publicKey: key === undefined ? null : formatVerifierKey(key),
        size: size(),
        rootHash: toBase64(signed?.root ?? hasher.empty),
        checkpoint: signed?.note ?? null,
      };
    },

    /** Throws NOT_FOUND. */
    checkpoint(): string {
      const note = newest()?.note;
      if (note === undefined) throw new DomainError("NOT_FOUND", "There is no checkpoint");
      return note;
    },

    /** A tile or an entry bundle by what follows `tile/` in its path. Throws NOT_FOUND and GONE, of a bundle while it is read. */
    async tile(path: string): Promise<Uint8Array | ByteList> {
      const tile = readTilePath(path);
      if (tile === undefined || !isTileOf(tile, size())) throw new DomainError("NOT_FOUND", "Tile not found");
      if (!tile.isBundle) return readTile(trail, tile).catch(gone);
      const from = tile.index * tileWidth;
      return inPieces(trail, from, from + tile.width, writeBundle);
    },

    /** Entries from an index on, and the index after the last of them. */
    entries(from: number, limit: number): { readonly list: JsonList<object>; readonly next: number } {
      const to = Math.max(from, Math.min(from + limit, size()));
      return { list: inPieces(trail, from, to, writeElements), next: to };
    },

    /** The text of a tlog-proof. Throws NOT_FOUND. */
    proof: proofs.ofLog,
  };
}

export type TrailReader = ReturnType<typeof makeTrailReader>;

/** Entries in pieces of about 256 KiB, so that a client that reads slowly holds no more. Throws as readEntries does. */
async function* inPieces(
  trail: TrailRepository,
  from: number,
  to: number,
  write: (entries: readonly Uint8Array[], from: number) => Uint8Array,
): JsonList<object> & ByteList {
  let begin = from;
  let entries: Uint8Array[] = [];
  let length = 0;
  for await (const entry of readEntries(trail, from, to)) {
    length += entry.length;
    const end = begin + entries.push(entry);
    if (end < to && length < pieceBytes) continue;
    const json = orGone(() => write(entries, begin));
    [begin, entries, length] = [end, [], 0];
    yield { json, next: end === to ? undefined : end };
  }
}

function writeElements(entries: readonly Uint8Array[], from: number): Uint8Array {
  const end = Buffer.from("}");
  return Buffer.concat(
    entries.flatMap((entry, at) => [Buffer.from(`,{"index":${from + at},"entry":`), entry, end]),
  );
}

function gone(error: unknown): never {
  throw error instanceof TrailError
    ? new DomainError("GONE", `The stored trail is broken: ${error.message}`)
    : error;
}

function orGone<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    return gone(error);
  }
}

/** The bytes of entries in their order. Throws GONE where one of them, or its record, is not there any more. */
export async function* readEntries(
  trail: TrailRepository,
  from: number,
  to: number,
): AsyncGenerator<Uint8Array> {
  let count = firstEntries;
  for (let at = from; at < to; ) {
    const { entries, fitting } = await readFitting(trail, at, Math.min(to, at + count));
    count = Math.max(1, Math.min(mostEntries, fitting));
    at += entries.length;
    for (const entry of entries) yield entry;
  }
}

/** Entries that may be held, at least one; and how many would fit if all were as long as those that were read for it. */
async function readFitting(trail: TrailRepository, from: number, to: number) {
  const read = await readSome(trail, from, to);
  const length = read.reduce((sum, entry) => sum + entry.length, 0);
  return {
    entries: length > pieceBytes ? copyOf(beginningOf(read)) : read,
    fitting: Math.floor((pieceBytes * read.length) / length),
  };
}

/** At least one entry, and those after it as far as all are there. */
async function readSome(trail: TrailRepository, from: number, to: number): Promise<Uint8Array[]> {
  const numbered = await trail.entries(from, to);
  const byIndex = new Map(numbered.map(entry => [entry.index, entry]));
  const found = new Map<string, Uint8Array>();
  for (const kind of recordKinds) {
    const ids = numbered.flatMap(entry => (entry.kind === kind ? [entry.recordId] : []));
    for (const { recordId, entry } of await trail.records(kind, ids)) {
      found.set(`${kind} ${recordId}`, entry);
    }
  }
  const entries: Uint8Array[] = [];
  for (let index = from; index < to; index += 1) {
    const { kind, recordId } = byIndex.get(index) ?? {};
    const entry = found.get(`${kind} ${recordId}`);
    if (entry !== undefined) entries.push(entry);
    else if (entries.length > 0) break;
    else {
      const record = kind === undefined ? "" : `, ${kind === "log" ? kind : `${kind} record`} ${recordId},`;
      throw new DomainError("GONE", `Entry ${index} of the trail${record} was removed`);
    }
  }
  return entries;
}

/** As many of the entries as may be held, and at least one. */
function beginningOf(entries: readonly Uint8Array[]): readonly Uint8Array[] {
  let length = 0;
  const end = entries.findIndex((entry, at) => {
    length += entry.length;
    return at > 0 && length > pieceBytes;
  });
  return end < 0 ? entries : entries.slice(0, end);
}

/** All entries of a statement are parts of one buffer, which a single one of them would keep. */
const copyOf = (entries: readonly Uint8Array[]): Uint8Array[] => entries.map(entry => Uint8Array.from(entry));
