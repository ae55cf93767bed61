import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

let patched: string | undefined;

/** The same program with the one call taken out that starts the work of the trail. */
export function withoutTrail(program: string): string {
  if (patched !== undefined) return patched;
  const root = dirname(dirname(program));
  const copy = `${root}-without-trail`;
  cpSync(root, copy, { recursive: true, filter: path => !path.endsWith("node_modules") });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const serve = join(copy, "dist/commands/serve.js");
  const text = readFileSync(serve, "utf8");
  if (!text.includes("trail.start();")) throw new Error("serve does not start the trail in one call");
  writeFileSync(serve, text.replace("trail.start();", ""));
  patched = join(copy, "dist/main.js");
  return patched;
}
