import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { HungError, type Place, send } from "./request.ts";

/** What point reads were answered while something else went on. */
export interface ReadReport {
  readonly served: number;
  readonly hung: number;
  /** Answers other than 200, and broken connections. */
  readonly refusals: readonly string[];
  readonly medianMilliseconds: number;
  readonly worstMilliseconds: number;
}

interface Choices {
  readonly port: Place;
  readonly path: string;
  readonly token: string;
  readonly clients: number;
  readonly pauseMilliseconds: number;
  /** A connection of its own for each read. */
  readonly fresh?: boolean;
}

/** Clients that read one record over and over; answers how to end that. */
export function startReads(choices: Choices): () => Promise<ReadReport> {
  const { port, path, token, clients, pauseMilliseconds, fresh = false } = choices;
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const took: number[] = [];
  const refusals = new Map<string, number>();
  let hung = 0;
  let stopped = false;
  const refuse = (reason: string) => void refusals.set(reason, (refusals.get(reason) ?? 0) + 1);
  const run = async () => {
    while (!stopped) {
      const began = performance.now();
      try {
        const { status } = await send(port, path, { token, ...(fresh ? {} : { agent }) });
        if (status === 200) took.push(performance.now() - began);
        else refuse(String(status));
      } catch (error) {
        if (error instanceof HungError) hung++;
        else refuse((error as Error).message);
      }
      await sleep(pauseMilliseconds);
    }
  };
  const running = Promise.all(Array.from({ length: clients }, run));
  return async () => {
    stopped = true;
    await running;
    agent.destroy();
    took.sort((a, b) => a - b);
    return {
      served: took.length,
      hung,
      refusals: [...refusals].map(([reason, times]) => `${times} x ${reason}`),
      medianMilliseconds: Math.round(took[Math.floor(took.length / 2)] ?? 0),
      worstMilliseconds: Math.round(took.at(-1) ?? 0),
    };
  };
}

export const describeReads = (name: string, report: ReadReport): string =>
  `${name}: ${report.served} served, median ${report.medianMilliseconds} ms, worst ${report.worstMilliseconds} ms` +
  (report.refusals.length > 0 ? `; ${report.refusals.join(", ")}` : "");
