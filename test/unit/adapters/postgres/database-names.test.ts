import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isNameOfDatabase, nameBeside } from "../../../../src/adapters/postgres/database-names.ts";

const ends = ["_being_restored", "_20260301_120000"];
/** Names of so many bytes, with what names may have; one of them in characters of two bytes. */
const namesOf = (bytes: number) => [
  "x".repeat(bytes),
  `Main-Ten"ance'${"x".repeat(bytes - 14)}`,
  `${"x".repeat(bytes % 2)}${"æ".repeat(Math.floor(bytes / 2))}`,
];

describe("the name of a database beside another one", () => {
  for (const bytes of [15, 40, 47, 48, 55, 60, 62, 63])
    test(`of ${bytes} bytes is one that the server keeps whole, and none of the others`, () => {
      const names = namesOf(bytes).flatMap(name => [name, ...ends.map(end => nameBeside(name, end))]);
      for (const name of names) assert.ok(isNameOfDatabase(name), name);
      assert.equal(new Set(names).size, names.length);
      for (const [at, end] of ends.entries()) assert.ok(names[at + 1]?.endsWith(end));
    });

  test("differs where two databases differ in their last byte alone", () => {
    const [one = "", other = ""] = ["y", "z"].map(end =>
      nameBeside(`${"x".repeat(62)}${end}`, "_being_restored"),
    );
    assert.notEqual(one, other);
  });

  test("is none that the server would cut, or a terminal would carry out", () => {
    for (const name of ["x".repeat(64), `${"x".repeat(62)}æ`, "a\u001b[1A", "a\nb", "a\u202eb"])
      assert.equal(isNameOfDatabase(name), false, JSON.stringify(name));
  });
});
