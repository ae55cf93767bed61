import type { Piece } from "../../../application/json-list.ts";
import type { LogPosition } from "../../../domain/maintenance-log.ts";

/** The names that occur in a page, by id. */
export type Names = Readonly<Record<string, string>>;

/** Logs as elements of a JSON array, each after a comma, until the next ones of the list are rendered. */
export interface RenderedLogs {
  readonly json: Buffer;
  readonly rows: number;
}

const encoder = new TextEncoder();
const bytesOf = (text: string): Uint8Array => encoder.encode(text);

const idKey = bytesOf(',{"id":');
const dateKey = bytesOf(',"performedDate":"');
const statusKey = bytesOf('","status":"');
const taskTypeKey = bytesOf('","taskType":"');
const commentKey = bytesOf('","comment":"');

const [comma, quote, backslash, space, zero, letterT] = [0x2c, 0x22, 0x5c, 0x20, 0x30, 0x54] as const;

/** What JSON.stringify writes for each byte up to the last one that it escapes. */
const escapes: readonly Uint8Array[] = Array.from({ length: backslash + 1 }, (_, byte) =>
  bytesOf(JSON.stringify(String.fromCharCode(byte)).slice(1, -1)),
);

/** What one call of `render` may come to: a log more than that is 62 KB at most, when its comment is all control characters. */
export const mostRenderedBytes = 256 * 1024;
const fieldsPerLog = 7;
/** Where all pages are rendered, before each is copied to the memory of its list. */
const scratch = new Uint8Array(mostRenderedBytes + 64 * 1024);

/** A name, and all that is the same in the logs of its asset or performer. */
interface Named {
  readonly name: string;
  readonly json: Uint8Array;
}

/** The names of assets or of performers, each rendered once for all pages that have it. */
class RenderedNames {
  readonly #named = new Map<number, Named>();
  readonly #render: (id: number, name: string) => string;

  constructor(render: (id: number, name: string) => string) {
    this.#render = render;
  }

  know(names: Names): void {
    for (const id in names) if (this.#named.get(+id)?.name !== names[id]) this.#add(+id, names[id]);
  }

  of(id: number): Uint8Array {
    return (this.#named.get(id) ?? this.#add(id)).json;
  }

  #add(id: number, name = ""): Named {
    const named = { name, json: bytesOf(this.#render(id, name)) };
    this.#named.set(id, named);
    return named;
  }
}

/** What the pages of a list have in common: names that were rendered already, and room for the JSON of a piece. */
export class ListMemory {
  readonly assets = new RenderedNames((id, name) => `","assetId":${id},"assetName":${JSON.stringify(name)}`);
  readonly performers = new RenderedNames(
    (id, name) => `,"performedByEmployeeId":${id},"performedByName":${JSON.stringify(name)}}`,
  );
  #room = Buffer.alloc(0);

  /** A copy. V8 collects buffers late and at a high cost, so a list uses the same one again and again. */
  keep(json: Uint8Array): Buffer {
    if (this.#room.length < json.length) this.#room = Buffer.allocUnsafeSlow(json.length);
    const kept = this.#room.subarray(0, json.length);
    kept.set(json);
    return kept;
  }
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
  readonly #memory: ListMemory;
  #rowStart = 0;
  #fieldsRead = 0;
  #commentsRead = 0;

  constructor(fields: Uint8Array, comments: Uint8Array, memory: ListMemory) {
    this.#fields = fields;
    this.#comments = comments;
    this.#memory = memory;
  }

  get bytes(): number {
    return this.#fields.length + this.#comments.length;
  }

  /** Of the log that was rendered last. */
  get position(): LogPosition {
    return readPosition(this.#fields.subarray(this.#rowStart, this.#fieldsRead));
  }

  /** Of the last log of all, of which there is one. */
  get lastPosition(): LogPosition {
    let start = this.#fields.length;
    for (let field = 0; field < fieldsPerLog; field += 1) start = this.#fields.lastIndexOf(comma, start - 1);
    return readPosition(this.#fields.subarray(this.#fields.lastIndexOf(comma, start - 1) + 1));
  }

  /** All logs as JSON, after which the list goes on at `next`. */
  *pieces(next: LogPosition | undefined): Generator<Piece<LogPosition>> {
    do {
      const { json } = this.render();
      yield { json, next: this.#fieldsRead < this.#fields.length ? this.position : next };
    } while (this.#fieldsRead < this.#fields.length);
  }

  /** Renders the logs that come next: at most `mostRows`, up to the one with which they have `mostBytes` or more. */
  render(mostBytes = mostRenderedBytes, mostRows = Number.MAX_SAFE_INTEGER): RenderedLogs {
    // Locals are much faster than fields here.
    const [fields, comments, memory, out] = [this.#fields, this.#comments, this.#memory, scratch];
    let from = this.#fieldsRead;
    let commentFrom = this.#commentsRead;
    let at = 0;
    let rows = 0;
    while (from < fields.length && rows < mostRows && at < mostBytes) {
      this.#rowStart = from;
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
      for (const end = commentFrom + commentLength; commentFrom < end; commentFrom += 1) {
        const byte = comments[commentFrom] as number;
        if (byte >= space && byte !== quote && byte !== backslash) out[at++] = byte;
        else at = put(escapes[byte] as Uint8Array, out, at);
      }
      // These are long enough for a native copy to be faster.
      const asset = memory.assets.of(assetId);
      out.set(asset, at);
      at += asset.length;
      const performer = memory.performers.of(performerId);
      out.set(performer, at);
      at += performer.length;
      rows += 1;
    }
    // What is written past the end of a typed array is ignored.
    if (at > out.length) throw new RangeError("a log is longer than the rules for its fields allow");
    this.#fieldsRead = from;
    this.#commentsRead = commentFrom;
    return { json: memory.keep(out.subarray(0, at)), rows };
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
