import { readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { startTestServer } from "../../support/test-server.ts";
import { makeRandom } from "../faults/random.ts";
import { clearHits, instrument, type Place, placeOf, readHits } from "./coverage.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";
import { type Judged, reportOf } from "./report.ts";
import { parseSources } from "./syntax.ts";
import { copyTree, runTests, type Tree, testFiles, typeChecks } from "./trial.ts";

/**
 * Plants single mistakes in the sources and looks whether the tests notice.
 *
 *     node --import tsx test/lab/mutants/run.ts [--minutes 10] [--count N] [--seed 1] [--only src/domain]
 *
 * Each mistake is given to the type checker, as `make test` does, and then tried on the test files that run its function,
 * the nearest first, until one fails. What the first of them do not notice is tried on the others at the end, which takes
 * most of the time; when that is over before, it counts as not noticed.
 */
const { values: options } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    count: { type: "string", default: "1000000" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "src/" },
    workers: { type: "string", default: "2" },
  },
});
let deadline = performance.now() + Number(options.minutes) * 60_000;

/** Run a function in a process of its own, where nothing is noted of a process that is killed. */
const testsOfThePrograms = /^test\/program\//;

interface Known {
  readonly file: string;
  readonly places: ReadonlySet<number>;
  readonly milliseconds: number;
}

/** Calls `work` with each item, in their order, on as many trees at a time as there are. */
async function onEachTree<T>(items: readonly T[], work: (item: T, tree: Tree) => Promise<void>) {
  const queue = [...items];
  await Promise.all(
    trees.map(async tree => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item, tree);
    }),
  );
}

const sources = parseSources(resolve("."));
// Ends the sample early: what is under way is finished, reported and cleaned up.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    deadline = 0;
  });
}
const server = await startTestServer();
const trees = Array.from({ length: Number(options.workers) }, copyTree);
try {
  console.error(`${sources.size} sources, ${server.name}; what each test file runs:`);
  const places = trees.map(tree => instrument(tree.path, sources))[0] as readonly Place[];
  await Promise.all(trees.map(tree => tree.compile(false)));
  const known: Known[] = [];
  await onEachTree(testFiles(), async (file, tree) => {
    if (performance.now() > deadline) return;
    clearHits(tree.path);
    const { outcome, milliseconds } = await runTests(tree, file, server.environment, 180_000);
    const places = readHits(tree.path);
    console.error(`  ${file}: ${places.size} functions, ${Math.round(milliseconds)} ms`);
    if (outcome === "passed") known.push({ file, places, milliseconds });
    else console.error(`left out, since it fails without any mistake: ${file}`);
  });
  for (const { path } of trees) {
    for (const [file, source] of sources) writeFileSync(join(path, file), source.text);
  }

  const all = [...sources]
    .filter(([file]) => file.startsWith(options.only))
    .flatMap(([file, source]) => mutantsOf(file, source));
  const sample = shuffled(all, makeRandom(Number(options.seed))).slice(0, Number(options.count));
  console.error(`${all.length} possible mistakes`);

  const judged: Judged[] = [];
  const note = (mutant: Mutant, verdict: Judged["verdict"]): void => {
    judged.push({ mutant, verdict });
    console.error(`${judged.length}: ${verdict} ${mutant.file}:${mutant.line} (${mutant.kind})`);
  };
  const doubtful: { readonly mutant: Mutant; readonly tests: readonly Known[] }[] = [];
  await onEachTree(sample, async (mutant, tree) => {
    const tests = testsOf(mutant, places, known);
    const first = nearest(tests);
    const isNoticed = await notices(mutant, tree, first);
    if (isNoticed === true) note(mutant, "noticed");
    else if (isNoticed === false) doubtful.push({ mutant, tests: tests.slice(first.length) });
  });
  console.error(`${doubtful.length} are tried on the other tests`);
  await onEachTree(doubtful, async ({ mutant, tests }, tree) => {
    note(mutant, (await notices(mutant, tree, tests, true)) === true ? "noticed" : "survived");
  });
  console.log(reportOf(judged, sources));
  if (judged.length === 0) {
    console.error(
      "No mistake was tried. To find what each test file runs takes minutes: give more --minutes.",
    );
    process.exitCode = 1;
  }
} finally {
  for (const tree of trees) tree.remove();
  await server.stop();
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map(item => ({ item, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

/** The test files that run the mutant's function: its own first, then those that run the fewest functions. */
function testsOf({ file, start, end }: Mutant, places: readonly Place[], known: readonly Known[]): Known[] {
  const place = placeOf(places, file, start, end);
  const covering = known.filter(tests => tests.places.has(place));
  const candidates =
    covering.length > 0 ? covering : known.filter(tests => testsOfThePrograms.test(tests.file));
  const isOwn = (tests: Known) => basename(tests.file, ".test.ts") === basename(file, ".ts");
  return candidates.toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)) || a.places.size - b.places.size);
}

/** As many of the tests as take half a minute. */
function nearest(tests: readonly Known[]): readonly Known[] {
  let left = 30_000;
  return tests.filter(({ milliseconds }, at) => {
    const fits = at === 0 || left > 0;
    left -= milliseconds;
    return fits;
  });
}

/** Whether types or tests notice the mistake, in the end also the types of the tests; undefined when the time is over before all have been tried. */
async function notices(
  { file, start, end, replacement }: Mutant,
  tree: Tree,
  tests: readonly Known[],
  isLast = false,
): Promise<boolean | undefined> {
  if (performance.now() > deadline) return undefined;
  const path = join(tree.path, file);
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.slice(0, start) + replacement + text.slice(end));
  try {
    if (!(await tree.compile(true))) return true;
    for (const { file: test, milliseconds } of tests) {
      if (performance.now() > deadline) return undefined;
      const { outcome } = await runTests(tree, test, server.environment, 4 * milliseconds + 10_000);
      if (outcome !== "passed") return true;
    }
    return isLast && !(await typeChecks(tree));
  } finally {
    writeFileSync(path, text);
  }
}
