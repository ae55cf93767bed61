import { DomainError } from "../../domain/error.ts";
import { TrailError, toBase64 } from "../../domain/trail/encoding.ts";
import { formatVerifierKey } from "../../domain/trail/note.ts";
import { isTileOf, readTilePath, tileWidth, writeBundle } from "../../domain/trail/tile.ts";
import type { JsonList } from "../json-list.ts";
import { makeProofs, type ReaderPorts } from "./proofs.ts";
import { recordKinds, type TrailRepository } from "./trail-repository.ts";
import { joined, readTile } from "./tree.ts";

/** Entries read with one statement; the largest possible entry takes some 60 KiB. */
const entriesAtOnce = 128;

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

    /** A tile or an entry bundle by what follows `tile/` in its path. Throws NOT_FOUND and GONE. */
    async tile(path: string): Promise<Uint8Array> {
      const tile = readTilePath(path);
      if (tile === undefined || !isTileOf(tile, size())) throw new DomainError("NOT_FOUND", "Tile not found");
      if (!tile.isBundle) return joined(await readTile(trail, tile).catch(gone));
      const from = tile.index * tileWidth;
      const entries: Uint8Array[] = [];
      for await (const entry of readEntries(trail, from, from + tile.width)) entries.push(entry);
      return writeBundle(entries);
    },

    /** Entries from an index on, and the index after the last of them. */
    entries(from: number, limit: number): { readonly list: JsonList<object>; readonly next: number } {
      const to = Math.max(from, Math.min(from + limit, size()));
      return { list: rendered(trail, from, to), next: to };
    },

    /** The text of a tlog-proof. Throws NOT_FOUND. */
    proof: proofs.ofLog,
  };
}

export type TrailReader = ReturnType<typeof makeTrailReader>;

async function* rendered(trail: TrailRepository, from: number, to: number): JsonList<object> {
  let index = from;
  let piece: string[] = [];
  for await (const entry of readEntries(trail, from, to)) {
    piece.push(`{"index":${index},"entry":${Buffer.from(entry).toString()}}`);
    index += 1;
    if (index === to || piece.length === entriesAtOnce) {
      yield { json: Buffer.from(`,${piece.join()}`), next: index === to ? undefined : index };
      piece = [];
    }
  }
}

function gone(error: unknown): never {
  throw error instanceof TrailError
    ? new DomainError("GONE", `The stored trail is broken: ${error.message}`)
    : error;
}

/** The bytes of entries in their order. Throws GONE where one of them, or its record, is not there any more. */
export async function* readEntries(
  trail: TrailRepository,
  from: number,
  to: number,
): AsyncGenerator<Uint8Array> {
  for (let at = from; at < to; at += entriesAtOnce) {
    const end = Math.min(to, at + entriesAtOnce);
    const numbered = await trail.entries(at, end);
    const byIndex = new Map(numbered.map(entry => [entry.index, entry]));
    const found = new Map<string, Uint8Array>();
    for (const kind of recordKinds) {
      const ids = numbered.flatMap(entry => (entry.kind === kind ? [entry.recordId] : []));
      for (const { recordId, entry } of await trail.records(kind, ids)) {
        found.set(`${kind} ${recordId}`, entry);
      }
    }
    for (let index = at; index < end; index += 1) {
      const { kind, recordId } = byIndex.get(index) ?? {};
      const entry = found.get(`${kind} ${recordId}`);
      if (entry === undefined) {
        const record = kind === undefined ? "" : `, ${kind === "log" ? kind : `${kind} record`} ${recordId},`;
        throw new DomainError("GONE", `Entry ${index} of the trail${record} was removed`);
      }
      yield entry;
    }
  }
}
