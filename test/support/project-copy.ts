import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";

const parts = [
  "CHANGELOG.md",
  "Makefile",
  "README.md",
  "SECURITY.md",
  "deploy",
  "dev",
  "docs",
  "package-lock.json",
  "package.json",
  "sql",
  "src",
  "tsconfig.build.json",
  "tsconfig.json",
];

/** What make needs of this project, in a folder of its own below `folder`. */
export function copyProject(folder: string, name: string): string {
  const copy = join(folder, name);
  mkdirSync(copy);
  for (const part of parts) {
    cpSync(part, join(copy, part), { recursive: true, preserveTimestamps: true });
  }
  symlinkSync(join(process.cwd(), "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** Runs a command in a copy of the project, and returns what it prints. */
export const runIn = (copy: string, command: string, ...args: readonly string[]): string =>
  execFileSync(command, args, {
    cwd: copy,
    env: { ...process.env, SOURCE_DATE_EPOCH: "1790000000", DEB_COMPRESSION: "none" },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });

/** Runs make, on the packages of npm that are there. */
export const make = (copy: string, ...args: readonly string[]): string =>
  runIn(copy, "make", "--silent", "--old-file=node_modules/.package-lock.json", ...args);

/** The package that `make deb` has built in a copy. */
export function packageIn(copy: string): string {
  const [name = ""] = readdirSync(join(copy, "build")).filter(name => name.endsWith(".deb"));
  return join(copy, "build", name);
}
