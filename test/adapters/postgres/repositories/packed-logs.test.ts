import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  ListMemory,
  mostRenderedBytes,
  PackedLogs,
} from "../../../../src/adapters/postgres/repositories/packed-logs.ts";
import { elementsOf } from "../../../../src/application/json-list.ts";
import { logStatuses, type MaintenanceLog, taskTypes } from "../../../../src/domain/maintenance-log.ts";
import { between, makeRandom, pick, type Random } from "../../../faults/random.ts";

/** As PostgreSQL packs logs. */
function pack(logs: readonly MaintenanceLog[], memory = new ListMemory()): PackedLogs {
  const fields = logs.map(log => {
    const date = log.performedDate.replace("T", " ");
    const length = Buffer.byteLength(log.comment);
    return `${log.id},${date},${log.status},${log.taskType},${log.assetId},${log.performedByEmployeeId},${length},`;
  });
  memory.assets.know(Object.fromEntries(logs.map(log => [log.assetId, log.assetName])));
  memory.performers.know(
    Object.fromEntries(logs.map(log => [log.performedByEmployeeId, log.performedByName])),
  );
  const comments = logs.map(({ comment }) => comment).join("");
  return new PackedLogs(Buffer.from(fields.join("")), Buffer.from(comments), memory);
}

const aLog = (changes: Partial<MaintenanceLog> = {}): MaintenanceLog => ({
  id: 7,
  performedDate: "2026-02-28T10:20:30.5",
  status: "IN_PROGRESS",
  taskType: "MAINTENANCE",
  comment: "Oil changed",
  assetId: 3,
  assetName: 'Pump "7", left\\right',
  performedByEmployeeId: 12,
  performedByName: "Ada\tBø 😀",
  ...changes,
});

const logsOf = (comments: readonly string[]) => comments.map((comment, i) => aLog({ id: i + 1, comment }));
const stringified = (logs: readonly MaintenanceLog[]) => logs.map(log => `,${JSON.stringify(log)}`).join("");
const textOf = (packed: PackedLogs): string =>
  Array.from(packed.pieces(undefined), ({ json }) => Buffer.from(json).toString()).join("");
const rendered = (logs: readonly MaintenanceLog[]): string => textOf(pack(logs));

/** Every character that PostgreSQL can store in a text: all but NUL, and no half of a surrogate pair. */
const characters = Array.from({ length: 0x10ffff }, (_, i) => i + 1)
  .filter(code => (code < 0xd800 || code > 0xdfff) && (code < 0x3000 || code % 97 === 0))
  .map(code => String.fromCodePoint(code));

/** What could be taken for a separator, or escaped wrongly. */
const traps = [
  "",
  ",",
  '"',
  "\\",
  '\\"',
  "\n",
  "\r\n",
  "\x01",
  "\x1e\x1f",
  "\x7f",
  ',{"id":',
  "\u2028",
  "é",
  "😀",
];

const oneOf = (random: Random, texts: readonly string[]): string =>
  texts[between(random, 0, texts.length - 1)] ?? "";

function randomLog(random: Random, id: number): MaintenanceLog {
  const pieces = Array.from({ length: between(random, 0, 12) }, () =>
    random() < 0.5 ? oneOf(random, traps) : oneOf(random, characters),
  );
  const assetId = between(random, 1, 20);
  const performedByEmployeeId = between(random, 1, 20);
  return {
    id,
    performedDate: pick(random, [
      "0001-01-01T00:00:00",
      "2026-02-28T10:20:30.123456",
      "9999-12-31T23:59:59.9",
    ]),
    status: pick(random, logStatuses),
    taskType: pick(random, taskTypes),
    comment: pieces.join(""),
    assetId,
    assetName: `${oneOf(random, traps)} ${assetId}`,
    performedByEmployeeId,
    performedByName: `${oneOf(random, traps)} ${performedByEmployeeId}`,
  };
}

describe("packed logs", () => {
  test("have the JSON of JSON.stringify, byte by byte, with every character that can be stored", () => {
    const one = logsOf(characters);
    assert.equal(rendered(one), stringified(one));
    const long = logsOf([characters.join("")].map(text => text.slice(0, 10_000)));
    assert.equal(rendered(long), stringified(long));
  });

  test("have it for random logs in random order", () => {
    const random = makeRandom(11);
    for (let run = 0; run < 300; run += 1) {
      const names = new Map<string, string>();
      const logs = Array.from({ length: between(random, 1, 40) }, (_, i) => {
        const log = randomLog(random, between(random, 1, Number.MAX_SAFE_INTEGER - i));
        // A name belongs to its id.
        const named = (key: string, name: string) => names.get(key) ?? names.set(key, name).get(key) ?? "";
        return {
          ...log,
          assetName: named(`asset ${log.assetId}`, log.assetName),
          performedByName: named(`employee ${log.performedByEmployeeId}`, log.performedByName),
        };
      });
      assert.equal(rendered(logs), stringified(logs));
    }
  });

  test("are rendered up to a number of logs or of bytes, and from there on", () => {
    const logs = logsOf(Array.from({ length: 50 }, (_, i) => "x".repeat(i)));
    const all = pack(logs);
    const lengths = logs.map(log => Buffer.byteLength(stringified([log])));
    const three = all.render(Number.MAX_SAFE_INTEGER, 3);
    assert.deepEqual([three.rows, three.json.toString()], [3, stringified(logs.slice(0, 3))]);
    assert.deepEqual(all.position, { performedDate: logs[2]?.performedDate, id: 3 });
    // The log with which the bytes are reached is the last one.
    const two = all.render((lengths[3] ?? 0) + 2, 50);
    assert.deepEqual([two.rows, two.json.toString()], [2, stringified(logs.slice(3, 5))]);
    assert.equal(all.render().json.toString(), stringified(logs.slice(5)));
    assert.deepEqual(all.position, all.lastPosition);
    assert.deepEqual(all.lastPosition, { performedDate: logs[49]?.performedDate, id: 50 });
  });

  test("come in pieces of 256 KiB and one log, each with the position after it", () => {
    // The longest that the rules allow: ten thousand characters that JSON writes with six bytes each.
    const longest = "\x01".repeat(10_000);
    const name = "\x01".repeat(100);
    const logs = logsOf(Array.from({ length: 30 }, () => longest)).map(log => ({
      ...log,
      assetName: name,
      performedByName: `${name}\x01`,
    }));
    const next = { performedDate: "2020-01-01T00:00:00", id: 1 };
    const pieces = Array.from(pack(logs).pieces(next), piece => ({
      ...piece,
      json: Buffer.from(piece.json),
    }));
    assert.equal(pieces.map(({ json }) => json).join(""), stringified(logs));
    assert.ok(pieces.length > 5);
    for (const piece of pieces) {
      assert.ok(piece.json.length < mostRenderedBytes + 64 * 1024);
      const last = elementsOf<MaintenanceLog>(piece).at(-1);
      const isEnd = piece === pieces.at(-1);
      assert.deepEqual(piece.next, isEnd ? next : { performedDate: last?.performedDate, id: last?.id });
    }
  });

  test("have the names of their own page, and not those that an earlier page of the list had", () => {
    const memory = new ListMemory();
    for (const performedByName of ["Ada Bø", "Ada Bå", "Ada Bø"]) {
      const log = aLog({ performedByName, assetName: `seen by ${performedByName}` });
      assert.equal(textOf(pack([log], memory)), stringified([log]));
    }
  });

  test("are written over the JSON of the piece before", () => {
    const memory = new ListMemory();
    const [long, short] = [pack([aLog()], memory).render(), pack([aLog({ comment: "" })], memory).render()];
    assert.equal(short.json.buffer, long.json.buffer);
    assert.equal(short.json.toString(), stringified([aLog({ comment: "" })]));
  });

  test("of which there are none are one empty piece", () => {
    const [piece, ...rest] = pack([]).pieces(undefined);
    assert.deepEqual([piece?.json.length, piece?.next, rest], [0, undefined, []]);
  });

  test("are still shown when a name is missing", () => {
    const fields = "1,2026-01-01 00:00:00,PENDING,ERROR,5,6,2,";
    const bare = new PackedLogs(Buffer.from(fields), Buffer.from("ok"), new ListMemory());
    const [log] = elementsOf<MaintenanceLog>({ json: bare.render().json, next: undefined });
    assert.deepEqual([log?.comment, log?.assetName, log?.performedByName], ["ok", "", ""]);
  });

  test("with a log that is longer than the rules allow are refused, not cut", () => {
    const log = aLog({ comment: "\x01".repeat(400_000) });
    assert.throws(() => pack([log]).render(), RangeError);
  });
});
