import { spawn } from "node:child_process";
import { once } from "node:events";
import * as net from "node:net";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { script } from "./compiled.ts";
import type { Settings } from "./program.ts";
import { inTime } from "./until.ts";

interface SocketHandle {
  readonly fd: number;
  getsockname(into: object): number;
  close(): void;
}

/** A bound socket that this process holds and never accepts from, as systemd does for a service. */
export function holdSocket() {
  // What node:cluster binds with: a public server would accept for itself.
  const { _createServerHandle: bind } = net as unknown as {
    _createServerHandle(host: string, port: number, family: 4): SocketHandle;
  };
  const handle = bind("127.0.0.1", 0, 4);
  const address: { port?: number } = {};
  handle.getsockname(address);
  return {
    port: address.port ?? 0,
    close: () => handle.close(),
    /** Starts `serve` on it as systemd would, and waits until it listens. */
    async start(settings: Settings) {
      // A shell for what systemd does between fork and exec: only there the process knows its own id.
      const program = spawn(
        "/bin/sh",
        ["-c", 'LISTEN_PID=$$ exec "$0" "$@"', process.execPath, ...script("src/main.ts"), "serve"],
        {
          env: { PATH: process.env["PATH"], LISTEN_FDS: "1", ...settings },
          stdio: ["ignore", "pipe", "pipe", handle.fd],
        },
      );
      const lines: string[] = [];
      const stderr = text(program.stderr as NodeJS.ReadableStream);
      const ended = once(program, "close").then(async ([code]) => ({
        code: code as number | null,
        stderr: await stderr,
      }));
      const listening = new Promise<void>((resolve, reject) => {
        createInterface({ input: program.stdout as NodeJS.ReadableStream }).on("line", line => {
          lines.push(line);
          if (JSON.parse(line).event === "listening") resolve();
        });
        ended.then(outcome => reject(new Error(`serve ended: ${JSON.stringify(outcome)}`)));
      });
      await inTime("a service that listens", listening);
      return {
        lines,
        /** SIGTERM, and the end. */
        stop() {
          program.kill("SIGTERM");
          return inTime("the end of serve", ended);
        },
      };
    },
  };
}
