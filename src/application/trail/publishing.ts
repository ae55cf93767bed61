import { DomainError, notFound } from "../../domain/error.ts";
import type { Head } from "../../domain/trail/checkpoint.ts";
import { faultOrRethrow, toBase64 } from "../../domain/trail/encoding.ts";
import { emptyRoot, inclusionSpans, isIncluded, leafHash } from "../../domain/trail/merkle.ts";
import { formatVerifierKey } from "../../domain/trail/note.ts";
import { formatProof } from "../../domain/trail/proof.ts";
import { isTileOf, readTilePath, tileHeight, tileWidth, writeBundle } from "../../domain/trail/tile.ts";
import { type ChunkedList, joinElements } from "../json-list.ts";
import type { TrailConditionKind } from "./condition.ts";
import type { HashRange, TrailPorts, TrailRecords } from "./ports.ts";
import type { SignedHead } from "./signing.ts";
import { makeStoredTree } from "./tree.ts";

/** Hexadecimal digits of a leaf hash, by which a link tells one history from another. */
export const shortHashLength = 16;

export type PublishedTrail = ReturnType<typeof makePublishedTrail>;

/** What a process knows of the trail from its polls. */
interface PolledTrail {
  newest(): SignedHead | undefined;
  /** The head of all entries, signed or not. */
  tree(): Head | undefined;
  condition(): TrailConditionKind;
  /** Resolves with the condition after a poll that began after this call, or after a second at most. */
  refresh(): Promise<TrailConditionKind>;
}

/**
 * What any employee may read of the trail. No result is older than what another process has sent before this request: the request
 * waits for a poll that begins after it. Tiles, proofs of covered logs, and entries before the known end need no poll.
 */
export function makePublishedTrail(
  ports: Pick<TrailPorts, "ledger" | "records" | "key" | "events">,
  { newest, tree, condition, refresh }: PolledTrail,
) {
  const { ledger, records, key, events } = ports;
  const stored = makeStoredTree(ledger);
  const numbered = () => tree()?.size ?? 0;

  /** The head of the newest checkpoint; without a key, of all entries. */
  async function publishedHead() {
    const current = await refresh();
    const newestHead = key === undefined ? tree() : newest();
    const head = {
      origin: key?.name ?? null,
      publicKey: key === undefined ? null : formatVerifierKey(key),
      size: newestHead?.size ?? 0,
      rootHash: toBase64(newestHead?.root ?? emptyRoot),
      checkpoint: newest()?.note ?? null,
    };
    return { head, condition: current };
  }

  /** The short hash of the entry before each of these indexes, as links have it. Undefined where there is none, as before 0. */
  async function shortHashesBefore(...indexes: readonly number[]): Promise<(string | undefined)[]> {
    const before = (to: number): HashRange => ({ level: 0, from: to - 1, to });
    const hashes = await ledger.hashes(indexes.map(before));
    return hashes.map(hash => Buffer.from(hash).toString("hex").slice(0, shortHashLength) || undefined);
  }

  return {
    head: publishedHead,

    /** Throws NOT_FOUND. */
    async checkpoint() {
      const { head, condition } = await publishedHead();
      const { checkpoint } = head;
      if (checkpoint === null) throw new DomainError("NOT_FOUND", "There is no checkpoint");
      return { checkpoint, condition };
    },

    /** A tile or an entry bundle by what follows `tile/` in its path. Throws NOT_FOUND, and GONE: for a bundle only while it is read. */
    async tile(path: string): Promise<Uint8Array | ChunkedList> {
      const tile = readTilePath(path);
      // Another process on this database may have given a client a newer checkpoint, whose tiles have to be there.
      if (tile === undefined || !(isTileOf(tile, numbered()) || isTileOf(tile, (await ledger.end()).size)))
        throw new DomainError("NOT_FOUND", "Tile not found");
      const from = tile.index * tileWidth;
      const to = from + tile.width;
      if (tile.isBundle) return inChunks(records, from, to, writeBundle);
      const level = tile.level * tileHeight;
      const [hashes] = await stored.ranges([{ level, from, to }]).catch(goneIfTrailError);
      return hashes as Uint8Array;
    },

    /**
     * Entries from an index on, signed or not, and where the next ones begin.
     *
     * @param after the short hash of the entry before `from`, as the link has it; ignored where `from` is 0
     * @throws CONFLICT where that entry is another one or is missing; without `after`, NOT_FOUND past the end. So a client that is
     * ahead of the trail gets one of the two
     */
    async entries(from: number, limit: number, after?: string) {
      const isBeforeEnd = from + limit <= numbered();
      const current = isBeforeEnd ? condition() : await refresh();
      const end = isBeforeEnd ? numbered() : (await ledger.end()).size;
      const next = Math.max(from, Math.min(from + limit, end));
      const [hashBefore, hashBeforeNext] = await shortHashesBefore(from, next);
      if (from > 0 && after !== undefined && after !== hashBefore)
        throw new DomainError("CONFLICT", "The trail has another history");
      if (from > end) throw new DomainError("NOT_FOUND", `The trail has ${end} entries`);
      return {
        list: inChunks(records, from, next, writeElements),
        next: { from: next, after: hashBeforeNext },
        condition: current,
      };
    },

    /** The text of a tlog-proof that holds. Throws NOT_FOUND, and GONE where the log is not what was signed. */
    async proof(logId: number): Promise<string> {
      if (key === undefined) throw new DomainError("NOT_FOUND", "The trail is not signed");
      let { index, entry } = await records.entryOfLog(logId);
      if (index === undefined && entry === undefined) throw notFound("Log");
      const isCovered = () => index !== undefined && index < (newest()?.size ?? 0);
      if (!isCovered()) {
        await refresh();
        ({ index, entry } = await records.entryOfLog(logId));
      }
      const head = newest();
      if (index === undefined || head === undefined || index >= head.size)
        throw new DomainError("NOT_FOUND", "Log is not in the trail yet", { retryAfterSeconds: 1 });
      if (entry !== undefined) {
        const hashes = await stored.spans(inclusionSpans(index, head.size)).catch(goneIfTrailError);
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
async function* inChunks(
  records: TrailRecords,
  from: number,
  to: number,
  write: (entries: readonly Uint8Array[], from: number) => Uint8Array,
): ChunkedList<number> {
  let at = from;
  for await (const entries of readEntries(records, from, to)) {
    const content = write(entries, at);
    at += entries.length;
    yield { content, next: at < to ? at : undefined };
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

function writeElements(entries: readonly Uint8Array[], from: number): Uint8Array {
  const end = Buffer.from("}");
  const elements = entries.map((entry, at) =>
    Buffer.concat([Buffer.from(`{"index":${from + at},"entry":`), entry, end]),
  );
  return joinElements(elements);
}

function goneIfTrailError(error: unknown): never {
  throw new DomainError("GONE", `The stored trail is broken: ${faultOrRethrow(error)}`);
}
