import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, lstatSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { compileTree, linkDocuments } from "./compiled.ts";

/** A copy of the project in which one fault at a time is planted, and what it compiles to. */
export interface Tree {
  /** Has the copy in `project/`, and in `compiled/` what it compiles to. */
  readonly folder: string;
  remove(): void;
}

const notCopied = new Set([".git", "node_modules", "dist", "build", ".data"]);

/** @param from a tree that is the same, whose compiled files are copied */
export function copyTree(from?: Tree): Tree {
  const folder = mkdtempSync(join(tmpdir(), "maintenance-log-trial-"));
  const path = join(folder, "project");
  const compiled = join(folder, "compiled");
  cpSync(".", path, { recursive: true, filter: from => !notCopied.has(basename(from)) });
  symlinkSync(resolve("node_modules"), join(path, "node_modules"));
  if (from === undefined) compileTree(compiled, path);
  else {
    cpSync(join(from.folder, "compiled"), compiled, {
      recursive: true,
      filter: name => !lstatSync(name).isSymbolicLink(),
    });
    linkDocuments(compiled, path);
  }
  return { folder, remove: () => rmSync(folder, { recursive: true }) };
}

interface Trial {
  readonly outcome: "passed" | "failed" | "ran too long";
  /** The first test that failed; undefined where the file failed without one. */
  readonly failed?: string | undefined;
  readonly passed: ReadonlySet<string>;
}

/**
 * Runs one file of tests in a tree, to its first failure.
 *
 * @param only the names of the tests that are run; without it all
 */
export async function runTests(
  tree: Tree,
  file: string,
  environment: Readonly<Record<string, string | undefined>>,
  patienceMilliseconds: number,
  only: readonly string[] = [],
): Promise<Trial> {
  const compiled = join(tree.folder, "compiled");
  const compiledFile = join(compiled, file.replace(/\.ts$/, ".js"));
  // With NODE_TEST_CONTEXT it would report to the test that this may be called by. Node 20 reads certificates for 0.1 s.
  const { NODE_TEST_CONTEXT: _, NODE_EXTRA_CA_CERTS: __, ...inherited } = process.env;
  const patterns = only.map(name => `--test-name-pattern=^${name.replace(/[^\w ]/g, "\\$&")}$`);
  const options = ["--test-reporter=tap", ...patterns, compiledFile];
  const tests = spawn(process.execPath, options, {
    cwd: join(tree.folder, "project"),
    env: { ...inherited, ...environment, TEST_TREE: compiled },
    stdio: ["ignore", "pipe", "ignore"],
    // A group of its own, so that what the tests have started ends with them.
    detached: true,
  });
  const end = (): void => {
    try {
      process.kill(-(tests.pid as number), "SIGKILL");
    } catch {}
  };
  let isLate = false;
  const patience = setTimeout(() => {
    isLate = true;
    end();
  }, patienceMilliseconds);
  let failed: string | undefined;
  const passed = new Set<string>();
  createInterface({ input: tests.stdout }).on("line", line => {
    const [, not, escaped] = /^\s*(not )?ok \d+ - (?!.* # (?:TODO|SKIP))(.*)$/.exec(line) ?? [];
    const name = escaped?.replace(/\\([\\#])/g, "$1");
    if (name === undefined) return;
    if (not === undefined) passed.add(name);
    else failed ??= name;
    if (failed !== undefined) end();
  });
  const [code] = (await once(tests, "close")) as [number | null];
  clearTimeout(patience);
  end();
  if (isLate) return { outcome: "ran too long", passed };
  return code === 0 ? { outcome: "passed", passed } : { outcome: "failed", failed, passed };
}
