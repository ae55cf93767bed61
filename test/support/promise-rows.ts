import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** A row of the tables of promises in SECURITY.md. */
export interface PromiseRow {
  readonly promise: string;
  /** Files and folders that keep it, by their paths. */
  readonly keptIn: readonly string[];
  /** Files of tests that `make test` runs. */
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

const isName = (text: string): boolean =>
  /^[\w./-]+(\.(ts|sql|json|ndjson|service)|\/)$|^Makefile$|^deploy\/(install|restore)$|^test\/http$/.test(
    text,
  );
const namesIn = (cell: string): string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name).filter(isName);

/** The contract is a function, which this file calls. */
const contract = "test/contract/repositories-postgres.test.ts";

function testsOf(path: string): string[] {
  if (path === "test/contract/repositories.ts") return [contract];
  if (path === "test/contract/trail.ts") return [contract];
  const files = statSync(path).isDirectory() ? filesBelow(path) : [path];
  return files.filter(file => file.endsWith(".test.ts") && !file.startsWith("test/release/"));
}

export function readPromiseRows(): readonly PromiseRow[] {
  const tables = readFileSync("SECURITY.md", "utf8").matchAll(
    /^\| Promise \| Implemented in \| Tested in \|\n\|[-|]+\|\n((?:\|.*\n)+)/gm,
  );
  return [...tables].flatMap(([, rows = ""]) =>
    rows
      .trimEnd()
      .split("\n")
      .map(row => {
        const [, promise = "", keptIn = "", testedIn = ""] = row.split(/ ?\| ?/);
        return {
          promise,
          keptIn: namesIn(keptIn).map(pathOf),
          testedIn: [...new Set(namesIn(testedIn).map(pathOf).flatMap(testsOf))],
        };
      }),
  );
}
