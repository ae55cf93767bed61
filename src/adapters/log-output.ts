import type { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Writes lines for a reader that may stall, die, or run out of disk. The service must not depend on it: a line that
 * cannot be written, or would exceed the buffer, is dropped and counted.
 *
 * @param recovered is called with the number of lines that were dropped, when one could be written again
 */
export function makeLogOutput(
  stream: NodeJS.WritableStream & Pick<Writable, "writableLength">,
  recovered: (lines: number) => void,
  bufferBytes = 1024 * 1024,
) {
  let dropped = 0;
  let reported = 0;
  // Each write gets its own error too; without a listener this one would end the process.
  stream.on("error", () => {});

  return {
    write(line: string): void {
      if (stream.writableLength + line.length > bufferBytes) {
        dropped += 1;
        return;
      }
      stream.write(line, error => {
        if (error != null) dropped += 1;
        else if (dropped > reported && stream.writableLength <= bufferBytes / 2) {
          const lines = dropped - reported;
          reported = dropped;
          recovered(lines);
        }
      });
    },

    /** Lines since the start that could not be written. */
    dropped: () => dropped,

    /** Waits until everything has been taken, this long at most. */
    async flush(milliseconds: number): Promise<void> {
      const taken = new Promise<unknown>(resolve => stream.write("", resolve));
      await Promise.race([taken, sleep(milliseconds, undefined, { ref: false })]);
    },
  };
}
