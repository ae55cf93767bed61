import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type LogEntry, readLogEntry } from "../../../../src/domain/trail/entry.ts";
import { entryBytes } from "../../../support/entry-bytes.ts";

const log: LogEntry = {
  kind: "log",
  id: 17,
  performedDate: "2026-01-07T10:00:00.5",
  status: "PENDING",
  taskType: "ERROR",
  comment: 'a "quoted"\n漢 😀',
  assetId: 3,
  performedByEmployeeId: 5,
  performedByName: "Ada Lovelace",
  recordedAt: "2026-01-08T09:00:00.000001Z",
};
const text =
  '{"assetId":3,"comment":"a \\"quoted\\"\\n漢 😀","id":17,"kind":"log","performedByEmployeeId":5,"performedByName":"Ada Lovelace","performedDate":"2026-01-07T10:00:00.5","recordedAt":"2026-01-08T09:00:00.000001Z","status":"PENDING","taskType":"ERROR"}';

describe("entries of logs", () => {
  test("have their canonical bytes, and are read from them", () => {
    assert.equal(Buffer.from(entryBytes(log)).toString(), text);
    assert.deepEqual(readLogEntry(Buffer.from(text)), log);
  });

  test("have exactly their fields", () => {
    for (const name of Object.keys(log)) {
      const { [name as keyof LogEntry]: _, ...rest } = log;
      assert.throws(() => readLogEntry(entryBytes(rest)), { name: "TrailError" }, name);
      assert.throws(() => readLogEntry(entryBytes({ ...log, [name]: {} })), { name: "TrailError" }, name);
    }
    assert.throws(() => readLogEntry(entryBytes({ ...log, toString: 1 })), /has a wrong toString/);
  });

  test("are read from the canonical form only", () => {
    for (const other of [
      "",
      "null",
      "[]",
      "7",
      "{",
      ` ${text}`,
      text.replace(":3", ":3.0"),
      text.replace("{", '{"assetId":3,'),
      text.replace(",", ", "),
      text.replace('"log"', '"Log"'),
      text.replace('"log"', '"employee"'),
      text.replace('"log"', '"toString"'),
      text.replace(".000001Z", ".1Z"),
      text.replace(".000001Z", ".000001+00:00"),
      text.replace('"id":17', '"id":0'),
      text.replace('"id":17', '"id":17,"id":17'),
      text.replace('"id":17', '"id":1.7e1'),
      text.replace('"id":17,"kind":"log"', '"kind":"log","id":17'),
      text.replace("漢", "\\u6f22"),
      text.replace("漢", "\\ud800"),
      text.replace("漢", "\\/"),
      text.replace('"id":17', `"id":${"[".repeat(50_000)}${"]".repeat(50_000)}`),
    ]) {
      assert.throws(() => readLogEntry(Buffer.from(other)), { name: "TrailError" }, other);
    }
    // In a comment, where the replacement character in its place would be a letter as any other.
    const broken = Buffer.from(entryBytes({ ...log, comment: "~" }));
    broken[broken.indexOf("~")] = 0xff;
    assert.throws(() => readLogEntry(broken), /is not UTF-8/);
    assert.throws(() => readLogEntry(Buffer.from(`\ufeff${text}`)), { name: "TrailError" });
  });

  test("fit into an entry bundle whatever the log says", () => {
    // A control character takes six bytes, more than any other.
    const longest = (length: number) => "\u0001".repeat(length);
    const id = Number.MAX_SAFE_INTEGER;
    const bytes = entryBytes({
      ...log,
      id,
      assetId: id,
      performedByEmployeeId: id,
      comment: longest(10_000),
      performedByName: longest(201),
    });
    assert.ok(bytes.length <= 65_535, String(bytes.length));
  });
});
