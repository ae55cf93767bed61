import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { own } from "../test/lab/faults/processes.ts";
import type { Fixed } from "./bare-server.ts";

export interface BareServer {
  readonly port: number;
  readonly pid: number;
  answerWith(fixed: Fixed): Promise<void>;
  stop(): Promise<void>;
}

/** Bare node:http in a process of its own. */
export async function startBareServer(): Promise<BareServer> {
  const script = fileURLToPath(new URL("bare-server.ts", import.meta.url));
  const child: ChildProcess = own(fork(script, { execArgv: ["--import", "tsx"] }));
  const [{ port }] = (await once(child, "message")) as [AddressInfo];
  return {
    port,
    pid: child.pid ?? 0,
    async answerWith(fixed) {
      child.send(fixed);
      await once(child, "message");
    },
    async stop() {
      child.kill();
      await once(child, "exit");
    },
  };
}

/** Asks the service once, for the bare server to answer the same. */
export async function sample(url: string, init: RequestInit): Promise<Fixed> {
  const response = await fetch(url, init);
  const body = await response.text();
  // Node writes these by itself, for both.
  const own = ["connection", "keep-alive", "date", "transfer-encoding", "content-length"];
  const headers = [...response.headers].filter(([name]) => !own.includes(name)).flat();
  return {
    status: response.status,
    headers: [...headers, "content-length", String(Buffer.byteLength(body))],
    body,
  };
}
