import { CommandError, exitCodes } from "./command.ts";

/** Writes the text to its end. Throws an error with exit code 74 when the stream cannot take it, say on a full disk. */
export function writeWhole(stream: NodeJS.WritableStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void =>
      reject(
        new CommandError(exitCodes.outputFailed, `the output cannot be written whole: ${error.message}`),
      );
    stream.once("error", fail);
    stream.write(text, error => (error ? fail(error) : resolve()));
  });
}
