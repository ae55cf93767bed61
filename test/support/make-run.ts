import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { script } from "./compiled.ts";
import type { Settings } from "./program.ts";

/** What `make run` runs once everything is installed, or `make demo` with `--demo`. */
export function startMakeRun(settings: Settings, ...options: readonly string[]) {
  const command = [process.execPath, ...script("dev/run/run.ts"), ...options];
  // Below a shell, as below make.
  const shell = spawn("sh", ["-c", '"$@"; exit $?', "sh", ...command], {
    env: { PATH: process.env["PATH"], ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const ended = once(shell, "close").then(([code]) => ({ code: code as number | null, output }));
  /** The block that says where everything is. */
  const introduced = new Promise<string>((resolve, reject) => {
    for (const stream of [shell.stdout, shell.stderr]) {
      stream.setEncoding("utf8").on("data", chunk => {
        output += chunk;
        const [block] = /^ {2}API [\s\S]+Ctrl-C stops.*$/m.exec(output) ?? [];
        if (block !== undefined) resolve(block);
      });
    }
    ended.then(({ output }) => reject(new Error(output)));
  });
  introduced.catch(() => {});
  return { shell, introduced, ended };
}

/** Pastes the commands of the block into a shell, without the responses that it shows below them. */
export function runPasted(block: string) {
  const [, pasted = ""] = /In another terminal, in this folder:\n([\s\S]*?) {2}Ctrl-C/.exec(block) ?? [];
  const commands = pasted.replace(/^ {4}[[{].*\n/gm, "");
  // `node --import tsx src/main.ts` is the checkout's own.
  const { status, stdout, stderr } = spawnSync("sh", { input: commands, encoding: "utf8" });
  return { status, lines: stdout.trimEnd().split("\n"), stderr };
}

/** The password that the block shows for a role. */
export const passwordIn = (block: string, role = "ADMIN"): string =>
  new RegExp(`${role} .* password {2}(\\S+)`).exec(block)?.[1] ?? "";
