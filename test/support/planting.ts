import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { PlantedFault } from "../release/planted-faults.ts";
import { runTests, type Tree } from "./planted-tree.ts";
import { pathOf } from "./promise-rows.ts";

const patienceMilliseconds = 120_000;

/** The schema that these make is not that of the database which the run has migrated. */
const makesSchema = /^sql\/|^src\/adapters\/postgres\/schema\//;

/** Folders of test/: the file of the same name is run first, and then those that take the shortest. */
const byCost = ["unit", "api", "docs", "postgres", "contract", "program", "lab"];

/** The files of a tree that a fault changes, by their paths below its folder, as they are with the fault. */
type Planting = Map<string, string>;

/** A file, and its first test that fails with a fault. */
export interface Notice {
  readonly test: string;
  readonly failed: string;
}

/** Compiles the sources of all these faults at once, whether their types fit or not. Throws where one cannot be read. */
export function preparePlantings(faults: readonly PlantedFault[]): ReadonlyMap<PlantedFault, Planting> {
  const folder = mkdtempSync(join(tmpdir(), "maintenance-log-plantings-"));
  const plantings = faults.map(([name, text, replacement], number) => {
    const file = pathOf(name);
    const planted = readFileSync(file, "utf8").replace(text, () => replacement);
    const planting: Planting = new Map([[join("project", file), planted]]);
    // What `migrate` would put back is made anew with the migrations, too. No table or column can be put back.
    if (/^sql\/\d/.test(file)) {
      const tables = readFileSync("sql/protection.ndjson", "utf8").replace(/^(?!\{"kind":"table").*\n/gm, "");
      planting.set("project/sql/protection.ndjson", tables);
    }
    if (file.startsWith("src/")) {
      const source = join(folder, String(number), file);
      mkdirSync(dirname(source), { recursive: true });
      writeFileSync(source, planted);
    }
    return planting;
  });
  compileEach(folder);
  for (const [number, [name]] of faults.entries()) {
    const file = pathOf(name).replace(/\.ts$/, ".js");
    const compiled = join(folder, "compiled", String(number), file);
    if (existsSync(compiled)) plantings[number]?.set(join("compiled", file), readFileSync(compiled, "utf8"));
  }
  rmSync(folder, { recursive: true });
  return new Map(faults.map((fault, number) => [fault, plantings[number] as Planting]));
}

/** Compiles the files of `src/` in the folders of a folder into its `compiled/`, each without those that it imports. */
function compileEach(folder: string): void {
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const compilerOptions = {
    noEmit: false,
    noCheck: true,
    noResolve: true,
    types: [],
    rootDir: ".",
    outDir: "compiled",
  };
  const options = { extends: resolve("tsconfig.json"), compilerOptions, include: ["*/src"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(options));
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "--project", folder], {
    stdio: "inherit",
  });
}

/**
 * Plants a fault in a tree, and runs these files of tests until one of them fails.
 *
 * @returns undefined where none does
 */
export async function noticedBy(
  [name, , , soonest]: PlantedFault,
  planting: Planting,
  tests: readonly string[],
  tree: Tree,
): Promise<Notice | undefined> {
  const file = pathOf(name);
  const template = makesSchema.test(file) ? { TEST_TEMPLATE: undefined } : {};
  const environment = { ...template, TEST_PATIENCE_SECONDS: "20" };
  const cost = (test: string) =>
    basename(test, ".test.ts") === basename(file, ".ts") ? -1 : byCost.indexOf(test.split("/")[1] ?? "");
  const paths = [...planting.keys()].map(name => join(tree.folder, name));
  const whole = paths.map(path => readFileSync(path, "utf8"));
  if (whole[0] === [...planting.values()][0]) throw new Error(`${file} does not have this text`);
  try {
    for (const [name, text] of planting) writeFileSync(join(tree.folder, name), text);
    const files = tests.toSorted((a, b) => cost(a) - cost(b));
    const first =
      soonest === undefined ? [] : namingFirst(files, soonest).map(test => ({ test, only: [soonest] }));
    for (const { test, only } of [...first, ...files.map(test => ({ test, only: [] }))]) {
      const { outcome, failed } = await runTests(tree, test, environment, patienceMilliseconds, only);
      if (outcome === "ran too long") throw new Error(`${test} does not end with this fault`);
      if (outcome === "failed" && failed === undefined) throw new Error(`${test} ends before its tests`);
      if (failed !== undefined) return { test, failed };
    }
    return undefined;
  } finally {
    for (const [at, path] of paths.entries()) writeFileSync(path, whole[at] as string);
  }
}

/** A name may also be that of a test in what a file calls. */
function namingFirst(files: readonly string[], name: string): readonly string[] {
  const names = (file: string) => Number(readFileSync(file, "utf8").includes(name));
  return files.toSorted((a, b) => names(b) - names(a));
}

/** Those of the notices that say nothing, since their tests do not pass in a tree without a fault either. */
export async function unfounded(notices: readonly Notice[], tree: Tree, runs: number): Promise<Notice[]> {
  const files = [...new Set(notices.map(({ test }) => test))];
  const found: Notice[] = [];
  const run = async (): Promise<void> => {
    for (let file = files.pop(); file !== undefined; file = files.pop()) {
      const ofFile = notices.filter(({ test }) => test === file);
      found.push(...(await failing(ofFile, file)));
    }
  };
  const failing = async (notices: readonly Notice[], file: string): Promise<readonly Notice[]> => {
    const only = [...new Set(notices.map(({ failed }) => failed))];
    const named = await runTests(tree, file, {}, 2 * patienceMilliseconds, only);
    const others = notices.filter(({ failed }) => !named.passed.has(failed));
    if (named.outcome === "passed" && others.length === 0) return [];
    // A test may need those before it in its file.
    const all = await runTests(tree, file, {}, 2 * patienceMilliseconds);
    return all.outcome === "passed" ? notices.filter(({ failed }) => !all.passed.has(failed)) : notices;
  };
  await Promise.all(Array.from({ length: runs }, run));
  return found;
}
