import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { PlantedFault } from "../release/planted-faults.ts";
import { runTests, type Tree } from "./planted-tree.ts";
import { pathOf } from "./promise-rows.ts";

const patienceMilliseconds = 60_000;

/** The schema that these make is not that of the database which the run has migrated. */
const makesSchema = /^sql\/|^src\/adapters\/postgres\/schema\//;

/** Trees whose compiled program still has a fault, which is no longer in their source. */
const stale = new WeakSet<Tree>();

/** A file, and its first test that fails with a fault. */
interface Notice {
  readonly test: string;
  readonly failed: string;
}

/**
 * Plants a fault in a tree, and runs these files of tests until one of them fails.
 *
 * @returns undefined where none does
 */
export async function noticedBy(
  [name, text, replacement, soonest]: PlantedFault,
  tests: readonly string[],
  tree: Tree,
): Promise<Notice | undefined> {
  const file = pathOf(name);
  const template = makesSchema.test(file) ? { TEST_TEMPLATE: undefined } : {};
  const environment = { ...template, TEST_PATIENCE_SECONDS: "20" };
  const isOwn = (test: string) => basename(test, ".test.ts") === basename(file, ".ts");
  const restored = [file, "sql/protection.ndjson"].map(file => {
    const path = join(tree.path, file);
    return [path, readFileSync(path, "utf8")] as const;
  });
  const [[path, whole], [protectionPath, protection]] = restored as [
    (typeof restored)[0],
    (typeof restored)[0],
  ];
  writeFileSync(
    path,
    whole.replace(text, () => replacement),
  );
  // What `migrate` would put back is made anew with the migrations, too. No table or column can be put back.
  if (/^sql\/\d/.test(file))
    writeFileSync(protectionPath, protection.replace(/^(?!\{"kind":"table").*\n/gm, ""));
  try {
    const isOfProgram = file.startsWith("src/");
    if (stale.delete(tree) || isOfProgram) await tree.compile();
    if (isOfProgram) stale.add(tree);
    const files = tests.toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)));
    const first = soonest === undefined ? [] : files.map(test => ({ test, only: soonest }));
    for (const { test, only } of [...first, ...files.map(test => ({ test, only: undefined }))]) {
      const { outcome, failed } = await runTests(tree, test, environment, patienceMilliseconds, only);
      if (outcome === "ran too long") throw new Error(`${test} does not end with this fault`);
      if (outcome === "failed" && failed === undefined) throw new Error(`${test} ends before its tests`);
      if (failed !== undefined) return { test, failed };
    }
    return undefined;
  } finally {
    for (const [path, text] of restored) writeFileSync(path, text);
  }
}

/** Makes the function that says whether the test of a notice passes in a tree without a fault: else the notice says nothing. */
export function makeSoundness(tree: Tree): (notice: Notice) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  const passes = (test: string, only?: string): Promise<boolean> => {
    const name = `${test}: ${only}`;
    const result =
      known.get(name) ??
      runTests(tree, test, {}, 2 * patienceMilliseconds, only).then(({ outcome }) => outcome === "passed");
    known.set(name, result);
    return result;
  };
  // A test may need those before it in its file.
  return async ({ test, failed }) => (await passes(test, failed)) || passes(test);
}
