import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assetJson, performerJson } from "../../../../src/adapters/postgres/repositories/names.ts";
import { makeCopier, PackedLogs } from "../../../../src/adapters/postgres/repositories/packed-logs.ts";
import { elementsOf } from "../../../../src/application/json-list.ts";
import { logStatuses, type MaintenanceLog, taskTypes } from "../../../../src/domain/maintenance-log.ts";
import { between, makeRandom, pick, type Random } from "../../../faults/random.ts";

/** As PostgreSQL packs logs, and what is known of their names. */
function pack(logs: readonly MaintenanceLog[]) {
  const fields = logs.map(log => {
    const date = log.performedDate.replace("T", " ");
    const length = Buffer.byteLength(log.comment);
    return `${log.id},${date},${log.status},${log.taskType},${log.assetId},${log.performedByEmployeeId},${length},`;
  });
  const names = {
    assets: new Map(logs.map(log => [log.assetId, assetJson(log.assetId, log.assetName)])),
    performers: new Map(
      logs.map(log => [
        log.performedByEmployeeId,
        performerJson(log.performedByEmployeeId, log.performedByName),
      ]),
    ),
  };
  const comments = logs.map(({ comment }) => comment).join("");
  const packed = new PackedLogs(Buffer.from(fields.join("")), Buffer.from(comments));
  const nameless = { assets: new Set<number>(), performers: new Set<number>() };
  const all = Number.POSITIVE_INFINITY;
  const render = (mostRows = all, mostBytes = all) => {
    const rendered = packed.render(names, nameless, makeCopier(), mostRows, mostBytes);
    if (rendered === undefined) assert.fail("a name is missing");
    return { ...rendered, json: Buffer.from(rendered.json) };
  };
  return { packed, names, nameless, render };
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
const stringified = (logs: readonly MaintenanceLog[]) => logs.map(log => JSON.stringify(log)).join();
function rendered(logs: readonly MaintenanceLog[]): string {
  const { packed, render } = pack(logs);
  const pieces: string[] = [];
  for (; !packed.isRendered; ) pieces.push(render().json.toString());
  return pieces.join();
}

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
    const { packed, render } = pack(logs);
    const lengths = logs.map(log => Buffer.byteLength(stringified([log])));
    const three = render(3);
    assert.deepEqual([three.rows, three.json.toString()], [3, stringified(logs.slice(0, 3))]);
    assert.deepEqual(packed.position, { performedDate: logs[2]?.performedDate, id: 3 });
    // The log with which the bytes are reached is the last one.
    const two = render(50, (lengths[3] ?? 0) + 2);
    assert.deepEqual([two.rows, two.json.toString()], [2, stringified(logs.slice(3, 5))]);
    assert.equal(packed.isRendered, false);
    assert.equal(render().json.toString(), stringified(logs.slice(5)));
    assert.equal(packed.isRendered, true);
    assert.deepEqual(packed.position, packed.lastPosition);
    assert.deepEqual(packed.lastPosition, { performedDate: logs[49]?.performedDate, id: 50 });
  });

  test("are rendered in pieces of 256 KiB and one log", () => {
    // The longest that the rules allow: ten thousand characters that JSON writes with six bytes each.
    const longest = "\x01".repeat(10_000);
    const name = "\x01".repeat(100);
    const logs = logsOf(Array.from({ length: 30 }, () => longest)).map(log => ({
      ...log,
      assetName: name,
      performedByName: `${name}\x01`,
    }));
    const { packed, render } = pack(logs);
    const pieces: string[] = [];
    for (; !packed.isRendered; ) {
      const { json } = render();
      assert.ok(json.length < (256 + 64) * 1024);
      pieces.push(json.toString());
      const last = elementsOf<MaintenanceLog>({ json, next: undefined }).at(-1);
      assert.deepEqual(packed.position, { performedDate: last?.performedDate, id: last?.id });
    }
    assert.equal(pieces.join(), stringified(logs));
    assert.ok(pieces.length > 5);
  });

  test("are not rendered, and tell all ids without a name, until their names are known", () => {
    const logs = [aLog({ id: 1 }), aLog({ id: 2, assetId: 4 }), aLog({ id: 3, performedByEmployeeId: 13 })];
    const { packed, names, nameless } = pack(logs);
    const [asset, performer] = [names.assets.get(4), names.performers.get(13)];
    names.assets.delete(4);
    names.performers.delete(13);
    assert.equal(packed.render(names, nameless, makeCopier(), 50, 50_000), undefined);
    assert.deepEqual(nameless, { assets: new Set([4]), performers: new Set([13]) });
    names.assets.set(4, asset ?? assert.fail());
    names.performers.set(13, performer ?? assert.fail());
    const known = { assets: new Set<number>(), performers: new Set<number>() };
    assert.equal(
      Buffer.from(packed.render(names, known, makeCopier(), 50, 50_000)?.json ?? []).toString(),
      stringified(logs),
    );
  });

  test("of which there are none are nothing", () => {
    const { packed, render } = pack([]);
    assert.deepEqual([packed.isRendered, render().json.length], [true, 0]);
  });

  test("with a log that is longer than the rules allow are refused, not cut", () => {
    const log = aLog({ comment: "\x01".repeat(400_000) });
    assert.throws(() => pack([log]).render(), RangeError);
  });

  test("are copied, short ones each to memory of its own", () => {
    const copy = makeCopier();
    const [long, short] = [new Uint8Array(64 * 1024).fill(1), new Uint8Array(64 * 1024 - 1).fill(2)];
    const copies = [copy(long), copy(short), copy(short), copy(long)];
    for (const original of [long, short]) original.fill(3);
    assert.deepEqual(
      copies.map(copied => copied.every(byte => byte === copied[0]) && [copied.length, copied[0]]),
      [long, short, short, long].map(({ length }) => [length, length === long.length ? 1 : 2]),
    );
    assert.equal(new Set(copies.map(({ buffer }) => buffer)).size, 3);
  });
});
