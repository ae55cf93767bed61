import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { nameJson } from "../../../../../src/adapters/postgres/repositories/names.ts";
import {
  ChunkRoom,
  chunksOf,
  idsIn,
  type ListBounds,
  lastPosition,
  words,
} from "../../../../../src/adapters/postgres/repositories/packed-logs.ts";
import { elementsOf } from "../../../../../src/application/json-list.ts";
import { logStatuses, type MaintenanceLog, taskTypes } from "../../../../../src/domain/maintenance-log.ts";
import { between, makeRandom, pick, type Random } from "../../../../lab/faults/random.ts";
import { aStoredLog } from "../../../../support/test-records.ts";

/** As PostgreSQL packs logs, and what is known of their names. */
function pack(logs: readonly MaintenanceLog[]) {
  const fields = logs.map(log => {
    const date = log.performedDate.replace("T", " ");
    const length = Buffer.byteLength(log.comment);
    const index = words.findIndex(
      ({ status, taskType }) => status === log.status && taskType === log.taskType,
    );
    return `${log.id},${date},${index},${log.assetId},${log.performedByEmployeeId},${length},`;
  });
  const names = {
    assets: new Map(logs.map(log => [log.assetId, nameJson.assets(log.assetId, log.assetName)])),
    performers: new Map(
      logs.map(log => [
        log.performedByEmployeeId,
        nameJson.performers(log.performedByEmployeeId, log.performedByName),
      ]),
    ),
  };
  const comments = logs.map(({ comment }) => comment).join("");
  const packed = { fields: Buffer.from(fields.join("")), comments: Buffer.from(comments) };
  return { packed, names };
}

const noBounds: ListBounds = { rows: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };

/** The chunks of a page, each as it was before the next one was rendered. */
function renderedChunks(logs: readonly MaintenanceLog[], bounds: ListBounds = noBounds) {
  const { packed, names } = pack(logs);
  const chunks = [];
  for (const chunk of chunksOf(packed, names, bounds))
    chunks.push({ ...chunk, text: Buffer.from(chunk.bytes).toString() });
  return chunks;
}

const aLog = (changes: Partial<MaintenanceLog> = {}) =>
  aStoredLog({
    id: 7,
    performedDate: "2026-02-28T10:20:30.5",
    status: "IN_PROGRESS",
    assetId: 3,
    assetName: 'Pump "7", left\right',
    performedByEmployeeId: 12,
    performedByName: "Ada	Bø 😀",
    ...changes,
  });

const logsOf = (comments: readonly string[]) => comments.map((comment, i) => aLog({ id: i + 1, comment }));
const stringified = (logs: readonly MaintenanceLog[]) => logs.map(log => JSON.stringify(log)).join();
const rendered = (logs: readonly MaintenanceLog[]): string =>
  renderedChunks(logs)
    .map(({ text }) => text)
    .join();
const positionOf = ({ performedDate, id }: MaintenanceLog = aLog()) => ({ performedDate, id });

/** Every character that PostgreSQL can store in a text: all but NUL, and no half of a surrogate pair. */
const characters = Array.from({ length: 0x10ffff }, (_, i) => i + 1)
  .filter(code => (code < 0xd800 || code > 0xdfff) && (code < 0x3000 || code % 97 === 0))
  .map(code => String.fromCodePoint(code));

/** What could be taken for a separator, or escaped wrongly. */
const traps = ["", ",", '"', "\\", '\\"', "\r\n", "\x01", "\x1e\x1f", "\x7f", ',{"id":', "\u2028", "é", "😀"];

const oneOf = (random: Random, texts: readonly string[]): string =>
  texts[between(random, 0, texts.length - 1)] ?? "";

/** Of so many assets and performers that ids repeat, and as large as ids can be; a name belongs to its id. */
function randomLog(random: Random): MaintenanceLog {
  const pieces = Array.from({ length: between(random, 0, 12) }, () =>
    oneOf(random, random() < 0.5 ? traps : characters),
  );
  const [assetId, performedByEmployeeId] = [between(random, 1, 20), 2 ** between(random, 0, 52)];
  return {
    id: between(random, 1, Number.MAX_SAFE_INTEGER),
    performedDate: oneOf(random, [
      "0001-01-01T00:00:00",
      "2026-02-28T10:20:30.123456",
      "9999-12-31T23:59:59.9",
    ]),
    status: pick(random, logStatuses),
    taskType: pick(random, taskTypes),
    comment: pieces.join(""),
    assetId,
    assetName: `${traps[assetId % traps.length]} ${assetId}`,
    performedByEmployeeId,
    performedByName: `${traps[performedByEmployeeId % traps.length]} ${performedByEmployeeId}`,
  };
}

describe("packed logs", () => {
  test("have the JSON of JSON.stringify, byte by byte, with every character that can be stored", () => {
    const one = logsOf(characters);
    assert.equal(rendered(one), stringified(one));
    const long = logsOf([characters.join("")].map(text => text.slice(0, 10_000)));
    assert.equal(rendered(long), stringified(long));
  });

  test("have it for random logs in random order, and their assets and performers", () => {
    const random = makeRandom(11);
    for (let run = 0; run < 200; run += 1) {
      const logs = Array.from({ length: between(random, 1, 40) }, () => randomLog(random));
      assert.equal(rendered(logs), stringified(logs));
      assert.deepEqual(idsIn(pack(logs).packed), {
        assets: new Set(logs.map(({ assetId }) => assetId)),
        performers: new Set(logs.map(({ performedByEmployeeId }) => performedByEmployeeId)),
      });
    }
  });

  test("have it where long stretches have nothing to escape, at each end of a stretch", () => {
    const escaped = [...Array.from({ length: 31 }, (_, i) => String.fromCharCode(i + 1)), '"', "\\"];
    for (const distance of [1, 30]) {
      const comments = Array.from({ length: 600 }, (_, i) => {
        const plain = `${i}, é: ${"x".repeat(i % 150)}`;
        const character = i % distance === 0 ? escaped[(i / distance) % escaped.length] : "";
        return i % 4 < 2 ? `${character}${plain}` : `${plain}${character}`;
      });
      const long = ["y".repeat(10_000), `${"z".repeat(9_999)}"`];
      const logs = logsOf([...comments, ...Array.from({ length: 30 }, () => long).flat(), ...comments]);
      assert.equal(rendered(logs), stringified(logs));
    }
  });

  test("are rendered up to a number of logs or of bytes, and say what is left of either", () => {
    const logs = logsOf(Array.from({ length: 50 }, (_, i) => "x".repeat(i)));
    const lengths = logs.map(log => Buffer.byteLength(stringified([log])));
    const [three, ...others] = renderedChunks(logs, { rows: 3, bytes: 10_000 });
    assert.deepEqual([three?.text, others], [stringified(logs.slice(0, 3)), []]);
    const [a = 0, b = 0, c = 0] = lengths;
    assert.deepEqual(three?.left, { rows: 0, bytes: 10_000 - a - b - c - 2 });
    assert.deepEqual([three?.position, three?.isPageEnd], [positionOf(logs[2]), false]);
    // The log with which the bytes are reached is the last one.
    const [two] = renderedChunks(logs, { rows: 60, bytes: a + 2 });
    assert.deepEqual([two?.text, two?.left.rows, two?.isPageEnd], [stringified(logs.slice(0, 2)), 58, false]);
    const [all] = renderedChunks(logs, { rows: 50, bytes: 100_000 });
    assert.deepEqual([all?.text, all?.left.rows, all?.isPageEnd], [stringified(logs), 0, true]);
    assert.deepEqual(all?.position, positionOf(logs[49]));
    assert.deepEqual(lastPosition(pack(logs).packed), positionOf(logs[49]));
  });

  test("are rendered in chunks of 64 KiB and one log", () => {
    // The longest that the rules allow: ten thousand characters that JSON writes with six bytes each.
    const longest = "\x01".repeat(10_000);
    const name = "\x01".repeat(100);
    const logs = logsOf(Array.from({ length: 30 }, () => longest)).map(log => ({
      ...log,
      assetName: name,
      performedByName: `${name}\x01`,
    }));
    const chunks = renderedChunks(logs);
    for (const { bytes, text, position } of chunks) {
      assert.ok(bytes.length < (64 + 64) * 1024);
      assert.deepEqual(
        position,
        positionOf(elementsOf<MaintenanceLog>({ content: Buffer.from(text) }).at(-1)),
      );
    }
    assert.equal(chunks.map(({ text }) => text).join(), stringified(logs));
    assert.ok(chunks.length > 5);
    assert.deepEqual(
      chunks.map(({ isPageEnd }) => isPageEnd),
      chunks.map((_, i) => i + 1 === chunks.length),
    );
    // What the first chunks take is missing for the later ones.
    const bounded = renderedChunks(logs, { rows: 100, bytes: 150_000 });
    assert.equal(bounded.length, 2);
    const last = bounded.at(-1)?.left.bytes ?? 0;
    assert.ok(last <= 0 && last > -64 * 1024, `${last}`);
  });

  test("of which there are none are one empty chunk", () => {
    const chunks = renderedChunks([]);
    assert.deepEqual([chunks.length, chunks[0]?.text, chunks[0]?.isPageEnd], [1, "", true]);
    assert.deepEqual(idsIn(pack([]).packed), { assets: new Set(), performers: new Set() });
  });

  test("with a log that is longer than the rules allow are refused, not cut", () => {
    const log = aLog({ comment: "\x01".repeat(400_000) });
    assert.throws(() => renderedChunks([log]), RangeError);
  });

  test("that are something else are refused, not read past their end", () => {
    const { packed, names } = pack(logsOf(["one", "two", "three"]));
    const read = (fields: Uint8Array, comments = packed.comments) =>
      [idsIn({ fields, comments }), ...chunksOf({ fields, comments }, names, noBounds)].length;
    assert.equal(read(packed.fields), 2);
    for (let end = 1; end < packed.fields.length; end += 1) {
      const isWholeLogs = packed.fields.subarray(0, end).toString().split(",").length % 6 === 1;
      if (!isWholeLogs || packed.fields[end - 1] !== 0x2c)
        assert.throws(() => read(packed.fields.subarray(0, end)), RangeError, `${end}`);
    }
    const text = packed.fields.toString("latin1");
    for (const [sent, other] of [
      ["2026-02-28 10:20:30.5", "infinity"],
      ["2026-02-28 10:20:30.5", "-infinity"],
      [",4,3,12,", ",12,3,12,"],
      [",4,3,12,", ",,3,12,"],
      [",3,12,", ",x,12,"],
      [",3,12,", ",3,,"],
      [",12,3,", ",12,9999,"],
      [",", ";"],
      [text, '{"id":7}'],
    ] as const)
      assert.throws(() => read(Buffer.from(text.replaceAll(sent, other))), RangeError, other);
    assert.throws(() => read(packed.fields, packed.comments.subarray(1)), RangeError);
    // Before anybody looks for an asset of such an id.
    const noNumber = Buffer.from(text.replaceAll(",3,12,", ",x,12,"));
    assert.throws(() => idsIn({ fields: noNumber, comments: packed.comments }), RangeError);
  });

  test("end, whatever was sent in their place", () => {
    const pieces = [",", "7", "3", "12", "2026-02-28 10:20:30", "infinity", "PLANNED", "x", " "];
    const piece = fc.constantFrom(...pieces);
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.string(), (pieces, comments) => {
        const page = { fields: Buffer.from(pieces.join("")), comments: Buffer.from(comments) };
        try {
          const { assets, performers } = idsIn(page);
          const names = {
            assets: new Map([...assets].map(id => [id, nameJson.assets(id, "")])),
            performers: new Map([...performers].map(id => [id, nameJson.performers(id, "")])),
          };
          let chunks = 0;
          for (const _ of chunksOf(page, names, noBounds)) {
            chunks += 1;
            assert.ok(chunks <= pieces.length + 1);
          }
        } catch (error) {
          if (!(error instanceof RangeError)) throw error;
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test("are copied, short ones each to memory of its own", () => {
    const room = new ChunkRoom();
    const [long, short] = [new Uint8Array(64 * 1024).fill(1), new Uint8Array(64 * 1024 - 1).fill(2)];
    const copies = [long, short, short, long].map(bytes => room.copy(bytes));
    for (const original of [long, short]) original.fill(3);
    assert.deepEqual(
      copies.map(copied => copied.every(byte => byte === copied[0]) && [copied.length, copied[0]]),
      [long, short, short, long].map(({ length }) => [length, length === long.length ? 1 : 2]),
    );
    assert.equal(new Set(copies.map(({ buffer }) => buffer)).size, 3);
  });
});
