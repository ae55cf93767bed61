import type { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

type LogStream = NodeJS.WritableStream & Pick<Writable, "writableLength">;

/**
 * Writes lines for a reader that may stall, die, or run out of disk. The service must not depend on it: a line that
 * cannot be written, or would exceed the buffer, is dropped and counted.
 *
 * @param recovered is called with the number of lines that were dropped, when one could be written again
 */
export class LogOutput {
  readonly #stream: LogStream;
  readonly #recovered: (lines: number) => void;
  readonly #bufferBytes: number;
  /** Lines since the start that could not be written, and those of them that were reported. */
  #dropped = 0;
  #reported = 0;

  constructor(stream: LogStream, recovered: (lines: number) => void, bufferBytes = 1024 * 1024) {
    this.#stream = stream;
    this.#recovered = recovered;
    this.#bufferBytes = bufferBytes;
    // Each write gets its own error too; without a listener this one would end the process.
    stream.on("error", () => {});
  }

  get dropped(): number {
    return this.#dropped;
  }

  write(line: string): void {
    if (this.#stream.writableLength + line.length > this.#bufferBytes) this.#dropped += 1;
    else this.#stream.write(line, error => this.#written(error));
  }

  #written(error: Error | null | undefined): void {
    const lines = this.#dropped - this.#reported;
    if (error != null) this.#dropped += 1;
    else if (lines > 0 && this.#stream.writableLength <= this.#bufferBytes / 2) {
      this.#reported = this.#dropped;
      this.#recovered(lines);
    }
  }

  /** Waits until everything has been taken, this long at most. */
  async flush(milliseconds: number): Promise<void> {
    const taken = new Promise<unknown>(resolve => this.#stream.write("", resolve));
    await Promise.race([taken, sleep(milliseconds, undefined, { ref: false })]);
  }
}
