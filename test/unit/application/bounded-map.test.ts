import assert from "node:assert/strict";
import { test } from "node:test";
import { BoundedMap } from "../../../src/application/bounded-map.ts";

test("a bounded map drops what was set longest ago, and setting again makes new", () => {
  const map = new BoundedMap<string, number>(2).set("a", 1).set("b", 2).set("a", 3);
  assert.deepEqual(
    [...map],
    [
      ["b", 2],
      ["a", 3],
    ],
  );
  map.set("c", 4);
  assert.deepEqual(
    [...map],
    [
      ["a", 3],
      ["c", 4],
    ],
  );
  assert.equal(map.get("b"), undefined);
});
