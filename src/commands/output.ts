import { createWriteStream } from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";
import { CommandError, exitCodes } from "./command.ts";

/** The text without what a terminal would act on: it may be of a file, a database or another machine. */
export const visible = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, character => `\\u{${character.codePointAt(0)?.toString(16)}}`);

/** An output of a command: it is taken whole, or the exit code says that it was not. */
export class Output {
  readonly #stream: Writable;
  #failure: Error | undefined;

  constructor(standard: NodeJS.WritableStream & { readonly fd: number }) {
    // Node's own stream for a file reports success when the disk took only a part of a write.
    this.#stream = standard instanceof Socket ? standard : createWriteStream("", { fd: standard.fd });
    this.#stream.on("error", error => {
      this.#failure ??= error;
    });
  }

  /** Resolves when this and everything before it has been taken. Throws CommandError when something could not be. */
  write = (text: string | Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      this.#stream.write(text, error => {
        this.#failure ??= error ?? undefined;
        if (this.#failure === undefined) return resolve();
        const reason = `the output cannot be written whole: ${this.#failure.message}`;
        reject(new CommandError(exitCodes.outputFailed, reason));
      });
    });

  /** Writes a line for people. Whoever does not wait for it is told by `finish` whether it was taken. */
  print = (line: string): Promise<void> => {
    const printed = this.write(`${visible(line)}\n`);
    printed.catch(() => {});
    return printed;
  };

  finish = (): Promise<void> => this.write("");
}
