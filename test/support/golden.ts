import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";

/** Compares a text with the one in a file of test/. After a change that was meant: GOLDEN=write, and read the difference. */
export function assertGolden(file: string, text: string): void {
  if (process.env["GOLDEN"] === "write") writeFileSync(file, text);
  assert.equal(text, readFileSync(file, "utf8"), `not as in ${file}`);
}
