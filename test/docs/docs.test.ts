import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { renderPages } from "../../dev/api-docs/render.ts";

describe("the pages that are made, or have tables that are", async () => {
  for (const [path, text] of Object.entries(await renderPages())) {
    test(`${path} is what make docs makes`, () => {
      assert.equal(readFileSync(path, "utf8"), text, "run `make docs`, and commit what it changes");
    });
  }
});

const made = ["docs/commands.md", "docs/evidence.md"];
/** What they are meant to have at most. A page may have a tenth more for a while: who writes the next feature shortens nothing. */
const mostWords = 20_000;
const mostLines: Readonly<Record<string, number>> = {
  "README.md": 115,
  "SECURITY.md": 215,
  "docs/audit.md": 80,
  "docs/operations.md": 450,
  "docs/performance.md": 65,
};

const named = (folder: string): string[] => readdirSync(folder).filter(name => name.endsWith(".md"));
const pages = new Map(
  [...named("."), ...named("docs").map(name => join("docs", name))].map(path => [
    path,
    readFileSync(path, "utf8"),
  ]),
);

/** The id that a heading gets in HTML. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
const withoutBlocks = (text: string): string => text.replace(/^```.*?^```$/gms, "");

const anchorsOf = (text: string): ReadonlySet<string> => {
  if (text.startsWith("<!doctype html>"))
    return new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id));
  const headings = [...withoutBlocks(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading);
  return new Set(
    headings.map((heading, i) => {
      const before = headings.slice(0, i).filter(other => other === heading).length;
      return anchorOf(heading) + (before > 0 ? `-${before}` : "");
    }),
  );
};

const madeTables = /<!-- make docs: .*?<!-- end -->/gs;

describe("the Markdown pages", () => {
  test("are short enough to be read", () => {
    for (const [path, most] of Object.entries(mostLines)) {
      const lines = (pages.get(path) ?? "").split("\n").length - 1;
      assert.ok(lines > 0 && lines <= 1.1 * most, `${path} has ${lines} lines, and is to have ${most}`);
    }
  });

  test("have few enough words, without those that are made", t => {
    const words = [...pages].flatMap(([path, text]) =>
      made.includes(path) ? [] : (text.replace(madeTables, "").match(/\S+/g) ?? []),
    );
    const figure = `the pages have ${words.length} words, and are to have ${mostWords}`;
    t.diagnostic(figure);
    assert.ok(words.length > 15_000 && words.length <= 1.1 * mostWords, figure);
  });

  test("say response for what a server sends, and begin with a noun", () => {
    const faults = [...pages].flatMap(([path, text]) =>
      text
        .split("\n")
        .filter(line => /\b[Aa]nswer|(?:^|[.:|] )Of [a-z]|^(?:It|That|They|Those|This \w+s) /.test(line))
        .map(line => `${path}: ${line}`),
    );
    assert.deepEqual(
      faults,
      [],
      "write response for answer, and begin a paragraph with a noun: not Of, It or This",
    );
  });

  test("name targets of make that there are", () => {
    const [, targets = ""] = /^\.PHONY: (.*)$/m.exec(readFileSync("Makefile", "utf8")) ?? [];
    const named = [...pages].flatMap(([path, text]) =>
      [...text.matchAll(/(?:`|^)make ([a-z-]+)/gm)].map(([, target = ""]) => ({ path, target })),
    );
    assert.ok(named.length > 20);
    assert.deepEqual(
      named.filter(({ target }) => !targets.split(" ").includes(target)),
      [],
      "the Makefile has no such targets",
    );
  });

  test("are all in the list of README.md", () => {
    const listed = pages.get("README.md") ?? "";
    const missing = [...pages.keys()].filter(path => path !== "README.md" && !listed.includes(`](${path})`));
    assert.deepEqual(missing, [], "add a link to each of these pages to the list in README.md");
  });

  test("link to files and headings that are there", () => {
    const links = [...pages].flatMap(([path, text]) =>
      [...withoutBlocks(text).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, target = ""]) => ({
        path,
        target,
      })),
    );
    const broken = links.filter(({ path, target }) => {
      const [file = "", anchor] = target.split("#");
      const there = file === "" ? path : join(dirname(path), file);
      return (
        !existsSync(there) || (anchor !== undefined && !anchorsOf(readFileSync(there, "utf8")).has(anchor))
      );
    });
    assert.ok(links.length > 80);
    assert.deepEqual(broken, [], "these links lead to no file or heading");
  });

  test("name files that are there", () => {
    const files = ["src", "sql", "test", "dev", "deploy", "bench"].flatMap(folder =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map(name => join("/", folder, name)),
    );
    const isThere = (name: string) => files.some(file => file.endsWith(join("/", name.replace(/\/$/, ""))));
    const named = ["SECURITY.md", "docs/audit.md", "docs/development.md"].flatMap(path =>
      [...(pages.get(path) ?? "").matchAll(/`([\w./-]+\.(?:ts|sql)|(?:src|sql|test)\/[\w./-]+)`/g)].map(
        ([, name = ""]) => ({ path, name }),
      ),
    );
    assert.ok(named.length > 60);
    assert.deepEqual(
      named.filter(({ name }) => !isThere(name)),
      [],
      "these files are not there",
    );
  });
});
