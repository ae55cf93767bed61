import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { residentMib } from "../../../dev/process-tree.ts";
import { describeReads, startReads } from "./reads.ts";
import type { Scenario, Trial } from "./scenario.ts";
import { conclude, openStage } from "./stage.ts";

/** Of the whole process, under the usual load; the systemd unit allows 512. */
const mostMib = 300;

const head = "POST /api/v1/auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";
const body = (bytes: number): string => `${head}Content-Length: ${bytes}\r\n\r\n${"x".repeat(bytes - 1)}`;
const chunks = (bytes: number): string =>
  `${head}Transfer-Encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(bytes)}`;

/** What clients without a token send, each as the beginning of a request that never ends. */
const attacks: Readonly<Record<string, { readonly connections: number; readonly sent: string }>> = {
  "bodies of 64 KiB": { connections: 4_000, sent: body(65_536) },
  "bodies of two bytes": { connections: 4_000, sent: body(2) },
  "bodies of 4 KiB": { connections: 4_000, sent: body(4_096) },
  "requests in one write": {
    connections: 50,
    sent: `${body(200)}x${"GET / HTTP/1.1\r\n\r\n".repeat(3_000)}`,
  },
  "chunks of one byte": { connections: 50, sent: chunks(10_000) },
};

/** Clients without a token send all they can: whoever has one is served, and the process does not grow. */
export const memoryFlood: Scenario = {
  name: "memory-flood",
  inShort: false,
  async run(trial) {
    await using stage = await openStage(trial);
    const sockets: Socket[] = [];
    try {
      const load = stage.load({ clients: 2 });
      const path = `/api/v1/assets/${stage.assetIds[0]}`;
      const common = { port: stage.port, path, token: stage.token, clients: 2 };
      await load.untilAcknowledged();
      // A process that has just started grows under any load.
      const stopWarming = startReads({ ...common, clients: 32, pauseMilliseconds: 0 });
      await sleep(trial.short ? 1_000 : 5_000);
      await stopWarming();
      const notes: string[] = [];
      const faults: string[] = [];
      let hung = 0;
      for (const [name, attack] of Object.entries(attacks)) {
        const before = residentMib(stage.service().pid);
        const stopReads = startReads({ ...common, pauseMilliseconds: 5 });
        const peak = await flood(trial, stage.port, attack, sockets, () => residentMib(stage.service().pid));
        const reads = await stopReads();
        hung += reads.hung;
        notes.push(
          `${name}: RSS ${before.toFixed(0)} MiB before, ${peak.toFixed(0)} MiB at most`,
          describeReads("point reads meanwhile", reads),
        );
        faults.push(...reads.refusals);
        if (reads.served === 0) faults.push(`${name}: no point read was served`);
        if (peak > mostMib) faults.push(`${name}: ${peak.toFixed(0)} MiB`);
      }
      const outcome = await conclude(stage, load, { rounds: Object.keys(attacks).length, notes, faults });
      return { ...outcome, hung: outcome.hung + hung };
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  },
};

/** Opens connections that send the same; whoever is cut off comes again. Answers the most memory that was seen. */
async function flood(
  { short }: Trial,
  port: number,
  { connections, sent }: { readonly connections: number; readonly sent: string },
  sockets: Socket[],
  memory: () => number,
): Promise<number> {
  const count = short ? connections / 10 : connections;
  const endAt = performance.now() + (short ? 2_000 : 8_000);
  const attack = (): void => {
    if (performance.now() > endAt) return;
    const socket = connect(port, "127.0.0.1", () => socket.write(sent));
    socket.on("error", () => {}).once("close", () => setTimeout(attack, 2_000));
    sockets.push(socket.resume());
  };
  for (let i = 0; i < count; i++) {
    attack();
    // The queue of connections that wait to be taken is limited.
    if (i % 100 === 99) await sleep(10);
  }
  let peak = 0;
  while (performance.now() < endAt) {
    await sleep(200);
    peak = Math.max(peak, memory());
  }
  // What they have sent and the service has not read yet is not for the next attack to wait for.
  for (const socket of sockets.splice(0)) socket.resetAndDestroy();
  await sleep(500);
  return peak;
}
