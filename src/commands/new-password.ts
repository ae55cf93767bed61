import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { registrationFields } from "../domain/employee.ts";
import { readFields } from "../domain/field.ts";
import { type CommandContext, CommandError, exitCodes } from "./command.ts";

/**
 * The password that the operator gives: in ADMIN_PASSWORD, at a prompt that shows nothing, or piped in, less one line end.
 * Throws INVALID for one that no employee may have.
 */
export async function readNewPassword(
  given: string | undefined,
  { stdin, stderr }: Pick<CommandContext, "stdin" | "stderr">,
): Promise<string> {
  const sent = given ?? (stdin.isTTY ? await promptTwice(stdin, stderr) : await readPiped(stdin));
  // What stands for bytes that are not UTF-8: no client could send the same password.
  if (sent.includes("\ufffd")) throw new CommandError(exitCodes.badData, "the password is not in UTF-8");
  return readFields({ password: registrationFields.password }, { password: sent }).password;
}

/** PowerShell writes a byte order mark first, which `text` takes off. */
const readPiped = async (stdin: NodeJS.ReadStream): Promise<string> =>
  (await text(stdin)).replace(/\r?\n$/, "");

/** Twice, since the prompt does not show what is typed. */
async function promptTwice(input: NodeJS.ReadStream, stderr: NodeJS.WriteStream): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input, output: silent, terminal: true });
  // Ctrl-C or Ctrl-D: the question itself would stay open for ever.
  const closed = new Promise<never>((_, reject) => {
    prompt.once("close", () => reject(new CommandError(exitCodes.failure, "no password was given")));
  });
  const ask = async (question: string): Promise<string> => {
    stderr.write(question);
    try {
      return await Promise.race([prompt.question(""), closed]);
    } finally {
      stderr.write("\n");
    }
  };
  try {
    const password = await ask("Password: ");
    if ((await ask("Password again: ")) === password) return password;
    throw new CommandError(exitCodes.badData, "the two passwords differ");
  } finally {
    prompt.close();
  }
}
