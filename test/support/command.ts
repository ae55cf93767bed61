import { readFileSync } from "node:fs";
import { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { CommandError, type Surroundings } from "../../src/commands/command.ts";
import type { Environment } from "../../src/config/read-settings.ts";
import type { Outcome } from "./program.ts";

/** Runs a command in this process, for what needs no process of its own. */
export async function runCommand(
  command: (surroundings: Surroundings) => Promise<void>,
  args: readonly string[],
  environment: Environment = {},
): Promise<Outcome> {
  const written = { stdout: "", stderr: "" };
  const stream = (name: "stdout" | "stderr") =>
    new Writable({
      write(chunk, _, done) {
        written[name] += String(chunk);
        done();
      },
    });
  const surroundings = {
    args,
    environment,
    readFile: (path: string) => readFileSync(path, "utf8"),
    sqlFolder: fileURLToPath(new URL("../../sql", import.meta.url)),
    print: (line: string) => {
      written.stdout += `${line}\n`;
    },
    report: async (line: string) => {
      written.stderr += `${line}\n`;
    },
    stdout: stream("stdout"),
    stderr: stream("stderr"),
  } as Pick<Surroundings, "args"> as Surroundings;
  try {
    await command(surroundings);
    return { code: 0, ...written };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    written.stderr += error.lines.map(line => `${line}\n`).join("");
    return { code: error.exitCode, ...written };
  }
}
