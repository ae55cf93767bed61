import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const made = new Map<string, string>();

/** A copy of the program beside it, with one piece of one file exchanged. */
function patched(program: string, name: string, file: string, from: string, to: string): string {
  const root = dirname(dirname(program));
  const copy = `${root}-${name}`;
  const known = made.get(copy);
  if (known !== undefined) return known;
  rmSync(copy, { recursive: true, force: true });
  cpSync(root, copy, { recursive: true, filter: path => !path.endsWith("node_modules") });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const path = join(copy, "dist", file);
  const text = readFileSync(path, "utf8");
  if (text.split(from).length !== 2) throw new Error(`${file} does not have ${from} once`);
  writeFileSync(path, text.replace(from, to));
  made.set(copy, join(copy, "dist/main.js"));
  return join(copy, "dist/main.js");
}

/** The same program, which stops the work of the trail at its next pause when it gets SIGUSR2, and goes on at the next one. */
export const withHeldTrail = (program: string): string =>
  patched(
    program,
    "with-held-trail",
    "commands/service.js",
    "pause: sleep,",
    `pause: (() => {
        let held = Promise.resolve();
        let release;
        process.on("SIGUSR2", () => {
            if (release === undefined) held = new Promise(resolve => { release = resolve; });
            else { release(); release = undefined; }
        });
        return milliseconds => sleep(milliseconds).then(() => held);
    })(),`,
  );
