import assert from "node:assert/strict";
import { test } from "node:test";
import { causeOf, DomainError } from "../../../src/domain/error.ts";

test("what an error comes from is its cause, or itself where it has none", () => {
  const said = (cause?: unknown) =>
    causeOf(new DomainError("UNAVAILABLE", "The database is not available", { cause }));
  assert.equal(said(new Error("ECONNREFUSED")), "ECONNREFUSED");
  assert.equal(said("a word"), "a word");
  assert.equal(said(), "The database is not available");
});
