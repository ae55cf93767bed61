import { DomainError, notFound } from "../../domain/error.ts";
import { faultOf, toBase64 } from "../../domain/trail/encoding.ts";
import { emptyRoot, inclusionSpans, isIncluded, leafHash } from "../../domain/trail/merkle.ts";
import { formatVerifierKey } from "../../domain/trail/note.ts";
import { formatProof } from "../../domain/trail/proof.ts";
import { isTileOf, readTilePath, tileHeight, tileWidth, writeBundle } from "../../domain/trail/tile.ts";
import { type ByteList, type JsonChunk, joinElements } from "../json-list.ts";
import type { TrailPorts, TrailRecords } from "./ports.ts";
import type { NewestHead } from "./signing.ts";
import { makeStoredTree } from "./tree.ts";

export type PublishedTrail = ReturnType<typeof makePublishedTrail>;

/** What any employee may read of the trail, as far as the newest checkpoint. */
export function makePublishedTrail(
  ports: Pick<TrailPorts, "ledger" | "records" | "key" | "events">,
  newest: () => NewestHead | undefined,
) {
  const { ledger, records, key, events } = ports;
  const stored = makeStoredTree(ledger);
  const size = () => newest()?.size ?? 0;

  return {
    head() {
      const head = newest();
      return {
        origin: key?.name ?? null,
        publicKey: key === undefined ? null : formatVerifierKey(key),
        size: size(),
        rootHash: toBase64(head?.root ?? emptyRoot),
        checkpoint: head?.note ?? null,
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
      // Another process on this database may have given a client a newer checkpoint, whose tiles have to be there.
      if (tile === undefined || !(isTileOf(tile, size()) || isTileOf(tile, (await ledger.end()).size)))
        throw new DomainError("NOT_FOUND", "Tile not found");
      const from = tile.index * tileWidth;
      const to = from + tile.width;
      if (tile.isBundle) return inChunks(records, from, to, entries => ({ bytes: writeBundle(entries) }));
      const level = tile.level * tileHeight;
      const [hashes] = await stored.ranges([{ level, from, to }]).catch(gone);
      return hashes as Uint8Array;
    },

    /**
     * Entries from an index on, and the index after the last of them. Throws NOT_FOUND past the end, so that a client that is
     * ahead of the trail notices it.
     */
    async entries(from: number, limit: number) {
      // As for a tile, another process may be ahead of this one.
      const end = from > size() ? (await ledger.end()).size : from;
      if (from > end) throw new DomainError("NOT_FOUND", `The trail has ${end} entries`);
      const to = Math.max(from, Math.min(from + limit, size()));
      return { list: inChunks(records, from, to, writeElements), next: to };
    },

    /** The text of a tlog-proof that holds. Throws NOT_FOUND, and GONE where the log is not what was signed. */
    async proof(logId: number): Promise<string> {
      if (key === undefined) throw new DomainError("NOT_FOUND", "The trail is not signed");
      const head = newest();
      const { index, entry } = await records.entryOfLog(logId);
      if (index === undefined && entry === undefined) throw notFound("Log");
      if (index === undefined || head?.note === undefined || index >= head.size)
        throw new DomainError("NOT_FOUND", "Log is not in the trail yet", { retryAfterSeconds: 1 });
      if (entry !== undefined) {
        const hashes = await stored.spans(inclusionSpans(index, head.size)).catch(gone);
        if (isIncluded(index, head.size, leafHash(entry), hashes, head.root))
          return formatProof({ entry, index, hashes, checkpoint: head.note });
      }
      const what = entry === undefined ? "was removed" : "is not what was signed";
      events.error("trail mismatch", { kind: "log", id: logId, what });
      throw new DomainError("GONE", `Log ${logId}, entry ${index} of the trail, ${what}`);
    },
  };
}

/** Entries in the chunks in which they are read, so that a client that reads slowly holds no more. */
async function* inChunks<Chunk extends object>(
  records: TrailRecords,
  from: number,
  to: number,
  write: (entries: readonly Uint8Array[], from: number) => Chunk,
): AsyncGenerator<Chunk & { readonly next: number | undefined }> {
  let at = from;
  for await (const entries of readEntries(records, from, to)) {
    const chunk = write(entries, at);
    at += entries.length;
    yield { ...chunk, next: at < to ? at : undefined };
  }
}

/** Entries in their order, some at a time. Throws GONE where one of them, or its record, is not there any more. */
export async function* readEntries(records: TrailRecords, from: number, to: number) {
  for (let at = from; at < to; ) {
    const entries = await records.entries(at, to);
    if (entries.length === 0) throw new DomainError("GONE", `Entry ${at} of the trail was removed`);
    yield entries;
    at += entries.length;
  }
}

function writeElements(entries: readonly Uint8Array[], from: number): Pick<JsonChunk, "json"> {
  const end = Buffer.from("}");
  const elements = entries.map((entry, at) =>
    Buffer.concat([Buffer.from(`{"index":${from + at},"entry":`), entry, end]),
  );
  return { json: joinElements(elements) };
}

function gone(error: unknown): never {
  throw new DomainError("GONE", `The stored trail is broken: ${faultOf(error)}`);
}
