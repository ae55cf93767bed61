import { fork } from "node:child_process";
import { once } from "node:events";
import { own } from "../test/lab/faults/processes.ts";
import type { Orders, Report } from "./load-client.ts";

const script = "bench/load-client.ts";

/** Sends requests from another process for some seconds, and answers how it went. */
export async function load(orders: Orders): Promise<Report> {
  const client = own(fork(script, { execArgv: ["--import", "tsx"] }));
  client.send(orders);
  const [report] = (await Promise.race([
    once(client, "message"),
    once(client, "exit").then(([code]) => {
      throw new Error(`the clients ended with ${code}`);
    }),
  ])) as [Report];
  return report;
}

interface Request {
  readonly method?: string;
  readonly path: string;
  readonly token?: string;
  readonly body?: unknown;
}

/** A request as it goes over the wire. */
export function requestText({ method = "GET", path, token, body }: Request): string {
  const text = body === undefined ? "" : JSON.stringify(body);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    ...(body === undefined
      ? []
      : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(text)}`]),
  ];
  return `${lines.join("\r\n")}\r\n\r\n${text}`;
}
