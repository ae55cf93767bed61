import { constants, createWriteStream, fstatSync, readFileSync, statSync } from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";
import { CommandError, exitCodes } from "./command.ts";

/** Standard output of a command, whose output is either whole or the exit code says that it is not. */
export function openStandardOutput(standard: NodeJS.WritableStream & { readonly fd: number }) {
  // Node's own stream for a file reports success when the disk took only a part of a write.
  const stream: Writable = standard instanceof Socket ? standard : createWriteStream("", { fd: standard.fd });
  let failure: Error | undefined;
  const fail = (error?: Error | null): void => {
    failure ??= error ?? undefined;
  };
  stream.on("error", fail);
  return {
    stream,
    print: (line: string) => void stream.write(`${line}\n`),
    /** Waits until everything has been taken. Throws CommandError when something could not be written, now or before. */
    async finish(): Promise<void> {
      await new Promise<void>(resolve => {
        stream.write("", error => {
          fail(error);
          resolve();
        });
      });
      if (failure === undefined) return;
      throw new CommandError(exitCodes.outputFailed, cannotBeWritten(failure));
    },
  };
}

/**
 * Throws for a closed standard output. Node opens /dev/null in its place, for reading and writing, where a shell opens
 * /dev/null for writing only. Systems other than Linux do not tell how it was opened.
 */
export function refuseClosedOutput({ fd }: { readonly fd: number }): void {
  if (process.platform !== "linux" || fstatSync(fd).rdev !== statSync("/dev/null").rdev) return;
  const [, flags = "0"] = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8")) ?? [];
  const { O_RDWR, O_WRONLY } = constants;
  if ((Number.parseInt(flags, 8) & (O_RDWR | O_WRONLY)) !== O_RDWR) return;
  throw new CommandError(
    exitCodes.outputFailed,
    "the output cannot be written whole: standard output is closed",
  );
}

const cannotBeWritten = (error: Error): string => `the output cannot be written whole: ${error.message}`;

/** Writes the text to its end. Throws an error with exit code 74 when the stream cannot take it, say on a full disk. */
export function writeWhole(stream: NodeJS.WritableStream, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void =>
      reject(new CommandError(exitCodes.outputFailed, cannotBeWritten(error)));
    stream.once("error", fail);
    stream.write(text, error => {
      if (error) return fail(error);
      stream.off("error", fail);
      resolve();
    });
  });
}
