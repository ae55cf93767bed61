import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join, resolve } from "node:path";

/**
 * Compiles the sources and the tests into a folder, once for a run: each process starts several times as fast.
 *
 * @param root of the project whose documents and SQL the compiled files read
 */
export function compileTree(tree: string, root = "."): void {
  const options = ["--outDir", tree, "--rootDir", ".", "--noEmit", "false", "--noCheck", "--inlineSourceMap"];
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", ...options], { stdio: "inherit" });
  linkDocuments(tree, root);
}

/** Puts beside compiled files what they read of the project. */
export function linkDocuments(tree: string, root: string): void {
  for (const name of ["docs", "node_modules", "package.json", "sql"])
    symlinkSync(resolve(root, name), join(tree, name));
}

/** What node is given to run this file of the project: the compiled one, or, outside of a run, the source. */
export function script(file: string): string[] {
  const tree = process.env["TEST_TREE"];
  return tree === undefined ? ["--import", "tsx", file] : [join(tree, file.replace(/\.ts$/, ".js"))];
}

/** The program as a shell starts it. */
export const programCommand = [process.execPath, ...script("src/main.ts")].join(" ");
