import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  nothing,
  type Statement,
  script,
  sql,
} from "../../../../../src/adapters/postgres/connection/statement.ts";

const sent = ({ text, values }: Statement) => ({ text, values });

describe("a statement", () => {
  test("keeps its values apart from its text, in their order", () => {
    const name = "'; drop table asset; --";
    assert.deepEqual(sent(sql`select ${1}, ${name} where ${true} is not ${null}`), {
      text: "select $1, $2 where $3 is not $4",
      values: [1, name, true, null],
    });
  });

  test("takes in other statements, wherever they stand, and numbers all values anew", () => {
    const inner = sql`a = ${1} and b = ${2}`;
    const whole = sql`${inner} or ${3} = c or (${sql`${inner}`}) ${nothing}limit ${4}`;
    assert.deepEqual(sent(whole), {
      text: "a = $1 and b = $2 or $3 = c or (a = $4 and b = $5) limit $6",
      values: [1, 2, 3, 1, 2, 4],
    });
    assert.deepEqual(sent(inner), { text: "a = $1 and b = $2", values: [1, 2] }, "itself is left as it was");
  });

  test("without values is its text, as a script is", () => {
    assert.deepEqual(sent(sql`select ${sql`1`}`), { text: "select 1", values: [] });
    assert.deepEqual(sent(script("select $1; select 2")), { text: "select $1; select 2", values: [] });
    assert.deepEqual(sent(nothing), { text: "", values: [] });
  });
});
