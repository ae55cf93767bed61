import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { canonicalJson } from "../../../src/domain/trail/canonical-json.ts";
import { type Entry, readEntry } from "../../../src/domain/trail/entry.ts";
import { entryBytes } from "../../support/trail.ts";

const log: Entry = {
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
const employee: Entry = {
  kind: "employee",
  id: 5,
  role: "TECHNICIAN",
  active: true,
  changedBy: null,
  recordedAt: "2026-01-08T09:00:00.000001Z",
};
const asset: Entry = {
  kind: "asset",
  id: 3,
  name: "Pump",
  description: "",
  active: false,
  changedBy: 5,
  recordedAt: null,
};

describe("entries", () => {
  for (const [entry, text] of [
    [
      log,
      '{"assetId":3,"comment":"a \\"quoted\\"\\n漢 😀","id":17,"kind":"log","performedByEmployeeId":5,"performedByName":"Ada Lovelace","performedDate":"2026-01-07T10:00:00.5","recordedAt":"2026-01-08T09:00:00.000001Z","status":"PENDING","taskType":"ERROR"}',
    ],
    [
      employee,
      '{"active":true,"changedBy":null,"id":5,"kind":"employee","recordedAt":"2026-01-08T09:00:00.000001Z","role":"TECHNICIAN"}',
    ],
    [
      asset,
      '{"active":false,"changedBy":5,"description":"","id":3,"kind":"asset","name":"Pump","recordedAt":null}',
    ],
  ] as const) {
    test(`of kind ${entry.kind} have their canonical bytes, and are read from them`, () => {
      assert.equal(Buffer.from(entryBytes(entry)).toString(), text);
      assert.deepEqual(readEntry(Buffer.from(text)), entry);
    });

    test(`of kind ${entry.kind} have exactly their fields`, () => {
      const bytesOf = (value: object) => Buffer.from(canonicalJson(value));
      for (const name of Object.keys(entry)) {
        const { [name as keyof Entry]: _, ...rest } = entry;
        assert.throws(() => readEntry(bytesOf(rest)), { name: "TrailError" }, name);
        assert.throws(() => readEntry(bytesOf({ ...entry, [name]: {} })), { name: "TrailError" }, name);
      }
      assert.throws(() => readEntry(bytesOf({ ...entry, toString: 1 })), /has a wrong toString/);
    });
  }

  test("are read from the canonical form only", () => {
    const text = Buffer.from(entryBytes(employee)).toString();
    for (const other of [
      "",
      "null",
      "[]",
      "7",
      "{",
      ` ${text}`,
      text.replace(":5", ":5.0"),
      text.replace("{", '{"active":false,'),
      text.replace(",", ", "),
      text.replace("employee", "Employee"),
      text.replace("employee", "toString"),
      text.replace(".000001Z", ".1Z"),
      text.replace(".000001Z", ".000001+00:00"),
      text.replace('"id":5', '"id":0'),
    ]) {
      assert.throws(() => readEntry(Buffer.from(other)), { name: "TrailError" }, other);
    }
    // In a comment, where the replacement character in its place would be a letter as any other.
    const broken = Buffer.from(entryBytes({ ...log, comment: "~" }));
    broken[broken.indexOf("~")] = 0xff;
    assert.throws(() => readEntry(broken), /is not UTF-8/);
    assert.throws(() => readEntry(Buffer.from(`\ufeff${text}`)), { name: "TrailError" });
  });

  test("fit into an entry bundle whatever a log, or an asset, says", () => {
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
