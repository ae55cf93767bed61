import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { instrument, placeOf, readHits } from "./coverage.ts";
import { mutantsOf } from "./mutants.ts";
import { reportOf } from "./report.ts";
import { parseSources } from "./syntax.ts";

const text = `import { x } from "./x.ts";
interface Erased { readonly kind: "a" | "b" }
const limit = 10;
export const isFull = (count: number, erased?: Erased): boolean => {
  if (count < 0) throw new Error("negative");
  return count >= limit && erased !== undefined;
};
export const idle = () => x ?? 1;
export const rows = (active: boolean) => sql\`
  select id from asset where id > \${limit}
    and active = \${active}
  order by id desc limit \${limit}\`;
`;

function openProject(source: string) {
  const folder = mkdtempSync(join(tmpdir(), "maintenance-log-mutants-test-"));
  mkdirSync(join(folder, "src"));
  writeFileSync(join(folder, "src", "x.ts"), source);
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ include: ["src"] }));
  return { folder, sources: parseSources(folder) };
}

describe("the mistakes planted in a file", () => {
  const { folder, sources } = openProject(text);
  after(() => rmSync(folder, { recursive: true }));
  const source = sources.get("src/x.ts");
  assert.ok(source !== undefined);
  const planted = mutantsOf("src/x.ts", source).map(({ start, end, replacement }) => [
    text.slice(start, end).trim(),
    replacement,
  ]);

  for (const [original, replacement] of [
    ["count < 0", "!(count < 0)"],
    ["<", "<="],
    [">=", ">"],
    ["&&", "||"],
    ["!==", "==="],
    ["10", "100"],
    ['throw new Error("negative");', ";"],
    ['"negative"', '"mutant"'],
    ["?? 1", ""],
    ["and active = $\u007bactive}", ""],
    ["desc", "asc"],
    ["order by id desc limit $\u007blimit}", ""],
  ]) {
    test(`have ${original} become ${replacement || "nothing"}`, () => {
      assert.ok(planted.some(([from, to]) => from === original && to === replacement));
    });
  }

  test("leave imports and types as they are", () => {
    assert.ok(!planted.some(([from]) => from === '"./x.ts"' || from === '"a"'));
  });
});

describe("the functions that a process runs", () => {
  const { folder, sources } = openProject(`
export const used = (n: number) => n + 1;
export function unused(n: number) {
  return n - 1;
}
console.log(used(1));
`);
  after(() => rmSync(folder, { recursive: true }));

  test("are noted, and no others", () => {
    const places = instrument(folder, sources);
    execFileSync(process.execPath, ["--import", "tsx", join(folder, "src", "x.ts")]);
    const hits = readHits(folder);
    const text = sources.get("src/x.ts")?.text ?? "";
    const isRun = (part: string) => {
      const start = text.indexOf(part);
      return hits.has(placeOf(places, "src/x.ts", start, start + part.length));
    };
    assert.deepEqual([isRun("n + 1"), isRun("n - 1"), isRun("console")], [true, false, true]);
    assert.match(readFileSync(join(folder, "src", "x.ts"), "utf8"), /hit\.mjs/);
  });
});

test("the report has a score for each folder, and names what nothing noticed", () => {
  const mutant = {
    file: "src/domain/x.ts",
    start: 0,
    end: 1,
    replacement: "b",
    line: 1,
    kind: "literal",
  } as const;
  const report = reportOf(
    [
      { mutant, verdict: "survived" },
      { mutant: { ...mutant, file: "src/app.ts" }, verdict: "noticed" },
    ],
    new Map([["src/domain/x.ts", { text: "a" }]]),
  );
  assert.match(report, /\| src\/domain \| 1 \| 0 \| 0 % \|/);
  assert.match(report, /\| all \| 2 \| 1 \| 50 % \|/);
  assert.match(report, /src\/domain\/x\.ts:1 \(literal\): a -> b/);
});
