import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";

/** Compares a text with a file. `make golden` writes the file. */
export function assertGolden(file: string, text: string): void {
  if (process.env["GOLDEN"] === "write") writeFileSync(file, text);
  assert.equal(
    text,
    readFileSync(file, "utf8"),
    `not as in ${file}: if that was meant, run \`make golden\` and read the difference`,
  );
}
