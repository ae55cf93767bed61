import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { testsOfPromises } from "../release/evidence.ts";
import { plantedFaults } from "../release/planted-faults.ts";

/** A promise of SECURITY.md, with its evidence. */
export interface PromiseRow {
  readonly promise: string;
  /** The words that it begins with: its key in evidence.ts and planted-faults.ts. */
  readonly beginning: string;
  /** Files that keep it: a fault in each breaks it. */
  readonly keptIn: readonly string[];
  /** Files and folders of its tests. */
  readonly heldBy: readonly string[];
  /** Files of those tests that `make test` runs. */
  readonly testedIn: readonly string[];
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).map(name => join(folder, name));
const all = ["src", "sql", "test", "deploy"].flatMap(filesBelow);

/** The file or folder that a name without its folder stands for. Throws unless there is one. */
export function pathOf(name: string): string {
  if (existsSync(name)) return name.replace(/\/$/, "");
  const [found, ...others] = all.filter(file => file.endsWith(join("/", name)));
  if (found === undefined || others.length > 0) throw new Error(`${name} is not the name of one file`);
  return found;
}

/** The contract is a function, which this file calls. */
const contract = "test/contract/repositories-postgres.test.ts";

function testsOf(path: string): string[] {
  if (path === "test/contract/repositories.ts") return [contract];
  if (path === "test/contract/trail.ts") return [contract];
  const files = statSync(path).isDirectory() ? filesBelow(path) : [path];
  return files.filter(file => file.endsWith(".test.ts") && !file.startsWith("test/release/"));
}

/** Throws for a promise without tests, or with those of two. */
function rowOf(promise: string): PromiseRow {
  const [beginning = "", ...others] = Object.keys(testsOfPromises).filter(beginning =>
    promise.startsWith(beginning),
  );
  const tests = testsOfPromises[beginning];
  if (tests === undefined || others.length > 0)
    throw new Error(`evidence.ts has not one row for: ${promise}`);
  const heldBy = tests
    .split(" ")
    .map(name => pathOf(existsSync(`test/${name}`) ? `test/${name}` : `test/${name}.test.ts`));
  return {
    promise,
    beginning,
    keptIn: [...new Set(plantedFaults[beginning]?.map(([file]) => pathOf(file)))],
    heldBy,
    testedIn: [...new Set(heldBy.flatMap(testsOf))],
  };
}

export function readPromiseRows(): readonly PromiseRow[] {
  const [, rest = ""] = readFileSync("SECURITY.md", "utf8").split("\n## Promises\n");
  const [section = ""] = rest.split("\n## ");
  return [...section.matchAll(/^- (.*)/gm)].map(([, promise = ""]) => rowOf(promise));
}
