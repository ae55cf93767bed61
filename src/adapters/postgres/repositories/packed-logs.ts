import type { LogPosition } from "../../../domain/maintenance-log.ts";
import { pageBytes } from "../batching/pages.ts";
import type { Nameless, Names } from "./names.ts";

const idKey = Buffer.from('{"id":');
const dateKey = Buffer.from(',"performedDate":"');
const statusKey = Buffer.from('","status":"');
const taskTypeKey = Buffer.from('","taskType":"');
const commentKey = Buffer.from('","comment":"');

const [comma, quote, backslash, space, zero, letterT] = [0x2c, 0x22, 0x5c, 0x20, 0x30, 0x54] as const;

/** What JSON.stringify writes for each byte up to the last one that it escapes. */
const escapes: readonly Uint8Array[] = Array.from({ length: backslash + 1 }, (_, byte) =>
  Buffer.from(JSON.stringify(String.fromCharCode(byte)).slice(1, -1)),
);

const fieldsPerLog = 7;
/** What is rendered at once. One log is 62 KB at most, when its comment is all control characters. */
const mostBytesRendered = pageBytes + 64 * 1024;
/** Where the logs of all lists are rendered, before they are copied. */
const scratch = new Uint8Array(mostBytesRendered);

/** What a stream makes its writer wait for (Piece). */
const reusedBytes = 64 * 1024;

export type Copier = (json: Uint8Array) => Uint8Array;

/** Copies rendered logs for one list. V8 collects buffers late and at a high cost, so it uses the same one again and again. */
export function makeCopier(): Copier {
  let room: Uint8Array | undefined;
  return json => {
    if (json.length < reusedBytes) return json.slice();
    room ??= new Uint8Array(mostBytesRendered);
    room.set(json);
    return room.subarray(0, json.length);
  };
}

/**
 * A page of logs as PostgreSQL packs it, in UTF-8, and its JSON.
 *
 * The comments follow each other in a column of their own, and each row tells the length of its comment, so that no
 * character of a comment can be taken for a separator. The bytes are copied in one loop, without a string or an object
 * for each log, which takes a third of the time of parsing them and JSON.stringify.
 */
export class PackedLogs {
  /** For each log `id,performedDate,status,taskType,assetId,performedByEmployeeId,length of the comment in bytes,`. */
  readonly #fields: Uint8Array;
  readonly #comments: Uint8Array;
  #rowStart = 0;
  #fieldsRead = 0;
  #commentsRead = 0;

  constructor(fields: Uint8Array, comments: Uint8Array) {
    this.#fields = fields;
    this.#comments = comments;
  }

  get isRendered(): boolean {
    return this.#fieldsRead === this.#fields.length;
  }

  /** Of the last log of all, of which there is one. */
  get lastPosition(): LogPosition {
    let start = this.#fields.length;
    for (let field = 0; field < fieldsPerLog; field += 1) start = this.#fields.lastIndexOf(comma, start - 1);
    return readPosition(this.#fields.subarray(this.#fields.lastIndexOf(comma, start - 1) + 1));
  }

  /** Of the log that was rendered last. */
  get position(): LogPosition {
    return readPosition(this.#fields.subarray(this.#rowStart, this.#fieldsRead));
  }

  /**
   * Renders the logs that come next as elements of a JSON array, with commas between them: at most `mostRows`, up to the
   * one with which they have `mostBytes` or more. When names are missing, it renders nothing, and adds their ids
   * to `nameless`.
   */
  render(
    names: Names,
    nameless: Nameless,
    copy: Copier,
    mostRows: number,
    mostBytes: number,
  ): { json: Uint8Array; rows: number } | undefined {
    // Locals are much faster than fields here.
    const [fields, comments, out] = [this.#fields, this.#comments, scratch];
    const { assets, performers } = names;
    const end = Math.min(mostBytes, pageBytes);
    let from = this.#fieldsRead;
    let commentFrom = this.#commentsRead;
    let at = 0;
    let rows = 0;
    let rowStart = this.#rowStart;
    while (from < fields.length && rows < mostRows && at < end) {
      rowStart = from;
      if (rows > 0) out[at++] = comma;
      at = put(idKey, out, at);
      for (; fields[from] !== comma; from += 1) out[at++] = fields[from] as number;
      at = put(dateKey, out, at);
      // PostgreSQL writes a space between day and time.
      for (from += 1; fields[from] !== comma; from += 1)
        out[at++] = fields[from] === space ? letterT : (fields[from] as number);
      at = put(statusKey, out, at);
      for (from += 1; fields[from] !== comma; from += 1) out[at++] = fields[from] as number;
      at = put(taskTypeKey, out, at);
      for (from += 1; fields[from] !== comma; from += 1) out[at++] = fields[from] as number;
      let assetId = 0;
      for (from += 1; fields[from] !== comma; from += 1)
        assetId = assetId * 10 + (fields[from] as number) - zero;
      let performerId = 0;
      for (from += 1; fields[from] !== comma; from += 1)
        performerId = performerId * 10 + (fields[from] as number) - zero;
      let commentLength = 0;
      for (from += 1; fields[from] !== comma; from += 1)
        commentLength = commentLength * 10 + (fields[from] as number) - zero;
      from += 1;
      at = put(commentKey, out, at);
      for (const stop = commentFrom + commentLength; commentFrom < stop; commentFrom += 1) {
        const byte = comments[commentFrom] as number;
        if (byte >= space && byte !== quote && byte !== backslash) out[at++] = byte;
        else at = put(escapes[byte] as Uint8Array, out, at);
      }
      const [asset, performer] = [assets.get(assetId), performers.get(performerId)];
      if (asset === undefined) nameless.assets.add(assetId);
      else {
        // Long enough for a native copy to be faster.
        out.set(asset, at);
        at += asset.length;
      }
      if (performer === undefined) nameless.performers.add(performerId);
      else {
        out.set(performer, at);
        at += performer.length;
      }
      rows += 1;
    }
    // What is written past the end of a typed array is ignored.
    if (at > out.length) throw new RangeError("a log is longer than the rules for its fields allow");
    if (nameless.assets.size + nameless.performers.size > 0) return undefined;
    this.#rowStart = rowStart;
    this.#fieldsRead = from;
    this.#commentsRead = commentFrom;
    return { json: copy(out.subarray(0, at)), rows };
  }
}

function put(bytes: Uint8Array, out: Uint8Array, at: number): number {
  const { length } = bytes;
  for (let i = 0; i < length; i += 1) out[at + i] = bytes[i] as number;
  return at + length;
}

/** Reads the position of a log from its packed fields, or from `id,performedDate` alone. */
export function readPosition(fields: Uint8Array): LogPosition {
  const [id, performedDate = ""] = Buffer.from(fields).toString("latin1").split(",", 2);
  return { id: Number(id), performedDate: performedDate.replace(" ", "T") };
}
