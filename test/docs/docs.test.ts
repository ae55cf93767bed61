import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { renderPages } from "../../dev/api-docs/render.ts";

describe("the pages of docs/ that are made", async () => {
  for (const [name, text] of Object.entries(await renderPages())) {
    test(`${name} is what make docs makes; if not: make docs`, () => {
      assert.equal(readFileSync(join("docs", name), "utf8"), text);
    });
  }
});

const mostLines: Readonly<Record<string, number>> = {
  "README.md": 105,
  "SECURITY.md": 200,
  "docs/audit.md": 210,
  "docs/operations.md": 410,
  "docs/performance.md": 150,
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

describe("the Markdown pages", () => {
  test("are short enough to be read", () => {
    for (const [path, most] of Object.entries(mostLines)) {
      const lines = (pages.get(path) ?? "").split("\n").length - 1;
      assert.ok(lines > 0 && lines <= most, `${path} has ${lines} lines, and may have ${most}`);
    }
  });

  test("have few enough words, without those that are made", () => {
    const words = [...pages].flatMap(([path, text]) =>
      path === "docs/commands.md" ? [] : (text.match(/\S+/g) ?? []),
    );
    assert.ok(words.length > 18_000 && words.length <= 21_600, `${words.length}`);
  });

  test("say response for what a server sends, and begin with the subject", () => {
    const faults = [...pages].flatMap(([path, text]) =>
      text
        .split("\n")
        .flatMap(line => (/\b[Aa]nswer|(?:^|[.:|] )Of [a-z]/.test(line) ? [`${path}: ${line}`] : [])),
    );
    assert.deepEqual(faults, []);
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
    );
  });

  test("are all in the list of README.md", () => {
    const listed = pages.get("README.md") ?? "";
    const missing = [...pages.keys()].filter(path => path !== "README.md" && !listed.includes(`](${path})`));
    assert.deepEqual(missing, []);
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
    assert.deepEqual(broken, []);
  });

  test("name files that are there, SECURITY.md by their path or by a name that is unique", () => {
    const files = ["src", "sql", "test", "dev", "deploy", "bench"].flatMap(folder =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map(name => join(folder, name)),
    );
    const foundFor = (name: string) =>
      files.filter(file => join("/", file).endsWith(join("/", name.replace(/\/$/, ""))));
    const named = ["SECURITY.md", "docs/audit.md", "docs/development.md"].flatMap(path =>
      [...(pages.get(path) ?? "").matchAll(/`([\w./-]+\.(?:ts|sql)|(?:src|sql|test)\/[\w./-]+)`/g)].map(
        ([, name = ""]) => ({ path, name, found: foundFor(name).length }),
      ),
    );
    assert.ok(named.length > 80);
    const wrong = named.filter(({ path, found }) => found === 0 || (path === "SECURITY.md" && found > 1));
    assert.deepEqual(wrong, []);
  });
});
