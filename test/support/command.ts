import { Writable } from "node:stream";
import { type CommandContext, CommandError } from "../../src/commands/command.ts";
import { commands } from "../../src/commands/commands.ts";
import { readOptions } from "../../src/commands/options.ts";
import { visible } from "../../src/commands/output.ts";
import type { Environment } from "../../src/config/read-settings.ts";
import type { Outcome } from "./program.ts";

/** Runs a command in this process, for what needs no process of its own. */
export async function runCommand(
  name: string,
  args: readonly string[],
  environment: Environment = {},
): Promise<Outcome> {
  const written = { stdout: "", stderr: "" };
  const stderr = new Writable({
    write(chunk, _, done) {
      written.stderr += String(chunk);
      done();
    },
  });
  const context = {
    environment,
    print: (line: string) => {
      written.stdout += `${visible(line)}\n`;
    },
    report: async (line: string) => {
      written.stderr += `${visible(line)}\n`;
    },
    write: async (text: string | Uint8Array) => {
      written.stdout += String(text);
    },
    stderr,
  } as Pick<CommandContext, "environment"> as CommandContext;
  try {
    const command = commands[name];
    if (command === undefined) throw new Error(`${name} is not a command`);
    const { values, positionals } = readOptions(args, command);
    await command.run(context, values, positionals);
    return { code: 0, ...written };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    written.stderr += error.lines.map(line => `${visible(line)}\n`).join("");
    return { code: error.exitCode, ...written };
  }
}
