import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { touredFiles, withCounts } from "../../dev/audit-page.ts";

const page = readFileSync("docs/audit.md", "utf8");
const sources = ["src", "sql"].flatMap(folder =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map(file => join(folder, file))
    .filter(file => /\.(ts|sql)$/.test(file)),
);

/** Minutes and lines of a row. */
const rowCounts = /^\| \**\d+\** \| \**(\d+)\** \|/gm;
/** Of lines in a row: two minutes. A small change to a file must not change this page. */
const tolerance = 64;

describe("docs/audit.md", () => {
  test("counts the lines of the tour and of its commands as they are; if not: make docs", () => {
    const [written, counted] = [page, withCounts(page)].map(text => ({
      text: text.replaceAll(rowCounts, "| | |"),
      lines: [...text.matchAll(rowCounts)].map(([, lines]) => Number(lines)),
    }));
    assert.equal(written?.text, counted?.text);
    const differences = written?.lines.map((lines, i) => Math.abs(lines - (counted?.lines[i] ?? 0))) ?? [];
    assert.ok(differences.length > 20 && Math.max(...differences) <= tolerance, `${differences}`);
    assert.ok((page.match(/```sh\ngrep /g) ?? []).length > 8);
  });

  test("leads to every file once, or says that it leaves the file out", () => {
    assert.deepEqual(touredFiles(page).sort(), sources.sort());
  });

  test("follows a request through at most 20 files, which are there", () => {
    const [, walk = ""] = /^## One request .*?\n(.*?)^## /ms.exec(page) ?? [];
    const [way = ""] = walk.split("\n\nBeside the way");
    const names = new Set([...way.matchAll(/^\d+\. `([\w/.-]+\.ts)`/gm)].map(([, name = ""]) => name));
    assert.ok(names.size > 15 && names.size <= 20, `${names.size}`);
    for (const name of names) assert.equal(sources.filter(file => file.endsWith(`/${name}`)).length, 1, name);
  });

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
    );
  });

  test("counts a planted line", () => {
    const table =
      "| Minutes | Lines | Files | Questions |\n|--:|--:|---|---|\n| 1 | 1 | `domain/role.ts` | |\n";
    const { length } = readFileSync("src/domain/role.ts", "utf8").split("\n");
    assert.equal(withCounts(table), table.replace("| 1 | 1 |", `| 1 | ${length - 1} |`));
  });
});
