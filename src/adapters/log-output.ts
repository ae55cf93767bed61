import { writeSync } from "node:fs";
import { Socket } from "node:net";

/** Of a process: a socket for a pipe or a terminal, else a stream for a file. */
type StandardStream = NodeJS.WritableStream & {
  readonly fd: number;
  /** What Node does not document of a socket. */
  readonly _handle?: { setBlocking?(isBlocking: boolean): void };
};

type Done = (error?: Error | null) => void;

/**
 * Writes lines for a reader that may stall, die, or run out of disk. The service must not depend on it: a line that
 * cannot be written, or would exceed the buffer, is dropped and counted.
 */
export function makeLogOutput(stream: StandardStream, bufferBytes = 1024 * 1024) {
  let dropped = 0;
  let unreported = 0;
  let waiting = 0;
  let recovered: (lines: number) => void = () => {};
  let hasFailed = false;
  // Node has the whole process wait for a terminal that nobody reads.
  stream._handle?.setBlocking?.(false);
  // Each write gets its own error too; without a listener this one would end the process.
  stream.on("error", () => {});

  const drop = (): void => {
    dropped += 1;
    unreported += 1;
  };

  function write(line: string): void {
    // A full disk may have taken a part of the line before.
    const text = hasFailed ? `\n${line}` : line;
    if (waiting + text.length > bufferBytes) {
      drop();
      return;
    }
    waiting += text.length;
    hand(stream, text, error => {
      waiting -= text.length;
      hasFailed = error != null;
      if (hasFailed) drop();
      else if (unreported > 0 && waiting < bufferBytes / 2) {
        const lines = unreported;
        unreported = 0;
        recovered(lines);
      }
    });
  }

  return {
    write,
    /** Lines since the start that could not be written. */
    dropped: () => dropped,
    /** Calls the listener with the number of lines that were dropped, when one could be written again. */
    onRecovery(listener: (lines: number) => void): void {
      recovered = listener;
    },
    /** Waits until everything has been taken, this long at most. */
    async flush(milliseconds: number): Promise<void> {
      const deadline = performance.now() + milliseconds;
      while (waiting > 0 && performance.now() < deadline)
        await new Promise(resolve => setTimeout(resolve, 10));
    },
  };
}

/** Node's stream for a file reports success when the disk took only a part of a write. */
function hand(stream: StandardStream, text: string, done: Done): void {
  if (stream instanceof Socket) {
    stream.write(text, done);
    return;
  }
  let failure: Error | undefined;
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(stream.fd, bytes, at);
  } catch (error) {
    failure = error as Error;
  }
  done(failure);
}
