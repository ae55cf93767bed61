import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { compileTree } from "./compiled.ts";

/** A copy of the project in which one fault at a time is planted, and what it compiles to. */
export interface Tree {
  readonly path: string;
  readonly compiled: string;
  /** Compiles the sources anew, whether their types fit or not. Rejects where they cannot be read. */
  compile(): Promise<unknown>;
  remove(): void;
}

const notCopied = new Set([".git", "node_modules", "dist", "build", ".data"]);

export function copyTree(): Tree {
  const folder = mkdtempSync(join(tmpdir(), "maintenance-log-planted-"));
  const path = join(folder, "project");
  const compiled = join(folder, "compiled");
  cpSync(".", path, { recursive: true, filter: from => !notCopied.has(basename(from)) });
  symlinkSync(resolve("node_modules"), join(path, "node_modules"));
  compileTree(compiled, path);
  return {
    path,
    compiled,
    compile: () =>
      promisify(execFile)(
        process.execPath,
        [
          resolve("node_modules/typescript/bin/tsc"),
          "--project",
          "tsconfig.build.json",
          "--outDir",
          join(compiled, "src"),
          "--inlineSourceMap",
          "--skipLibCheck",
          "--noCheck",
        ],
        { cwd: path },
      ),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

interface Trial {
  readonly outcome: "passed" | "failed" | "ran too long";
  /** The first test that failed; undefined where the file failed without one. */
  readonly failed?: string | undefined;
}

/**
 * Runs one file of tests in a tree, to its first failure.
 *
 * @param only the name of the tests that are run; without it all
 */
export async function runTests(
  tree: Tree,
  file: string,
  environment: Readonly<Record<string, string | undefined>>,
  patienceMilliseconds: number,
  only?: string,
): Promise<Trial> {
  const compiledFile = join(tree.compiled, file.replace(/\.ts$/, ".js"));
  // With NODE_TEST_CONTEXT it would report to the test that this may be called by.
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const pattern = only === undefined ? [] : [`--test-name-pattern=^${only.replace(/[^\w ]/g, "\\$&")}$`];
  const options = ["--enable-source-maps", "--test-reporter=tap", ...pattern, compiledFile];
  const tests = spawn(process.execPath, options, {
    cwd: tree.path,
    env: { ...inherited, ...environment, TEST_TREE: tree.compiled },
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
  createInterface({ input: tests.stdout }).on("line", line => {
    failed ??= /^\s*not ok \d+ - (?!.*# TODO)(.*)$/.exec(line)?.[1]?.replace(/\\([\\#])/g, "$1");
    if (failed !== undefined) end();
  });
  const [code] = (await once(tests, "close")) as [number | null];
  clearTimeout(patience);
  end();
  if (isLate) return { outcome: "ran too long" };
  return code === 0 ? { outcome: "passed" } : { outcome: "failed", failed };
}
