import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

const page = readFileSync("docs/audit.md", "utf8");
const sources = ["src", "sql"].flatMap(folder =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map(file => join(folder, file))
    .filter(file => /\.(ts|sql)$/.test(file)),
);

describe("docs/audit.md", () => {
  test("names what is in the files that it names for it, where a mistake would be worst", () => {
    const [, list = ""] = /^## Where a mistake .*?\n(.*?)^## /ms.exec(page) ?? [];
    const named = [
      ...list.matchAll(
        /`([^`]+)` (?:in |of the trigger in |in the statement of `update` in )?\(?`([\w./-]+\.(?:ts|sql))`/g,
      ),
    ].map(([, text = "", name = ""]) => ({ text, name }));
    const isThere = ({ text, name }: (typeof named)[number]) =>
      sources.some(
        file =>
          join("/", file).endsWith(join("/", name)) &&
          readFileSync(file, "utf8").includes(text.replace(" (…)", "")),
      );
    assert.ok(named.length > 8, `${named.length}`);
    assert.deepEqual(
      named.filter(one => !isThere(one)),
      [],
      "the page names these in files that do not have them",
    );
  });
});
