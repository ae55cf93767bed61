import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { residentMib } from "../../../dev/process-tree.ts";
import { describeReads, startReads } from "./reads.ts";
import type { Scenario } from "./scenario.ts";
import { conclude, openStage } from "./stage.ts";

/** Thousands connect and say nothing: a client that is connected, and one that connects now, are both served. */
export const idleSockets: Scenario = {
  name: "idle-sockets",
  inShort: false,
  async run(trial) {
    // Fewer than the service holds: past that, it closes new ones without a response.
    const count = trial.short ? 500 : 9_000;
    await using stage = await openStage(trial);
    const sockets: Socket[] = [];
    try {
      const load = stage.load({ clients: 2 });
      const common = { port: stage.port, path: `/api/v1/assets/${stage.assetIds[0]}`, token: stage.token };
      const stopConnected = startReads({ ...common, clients: 1, pauseMilliseconds: 20 });
      await load.untilAcknowledged();
      for (let i = 0; i < count; i++) {
        sockets.push(connect(stage.port, "127.0.0.1").on("error", () => {}));
        // The queue of connections that wait to be taken is limited.
        if (i % 100 === 99) await sleep(10);
      }
      const stopConnecting = startReads({ ...common, clients: 1, pauseMilliseconds: 50, fresh: true });
      await sleep(trial.short ? 1_000 : 5_000);
      const open = sockets.filter(({ readyState }) => readyState === "open").length;
      const memory = residentMib(stage.service().pid);
      const [connected, connecting] = [await stopConnected(), await stopConnecting()];
      for (const socket of sockets) socket.destroy();
      const outcome = await conclude(stage, load, {
        rounds: 1,
        notes: [
          `${count} sockets, ${open} of them still open; RSS ${memory.toFixed(0)} MiB`,
          describeReads("a connected client", connected),
          describeReads("a client that connects", connecting),
        ],
        faults: [
          ...connected.refusals,
          ...(connected.served === 0 ? ["a connected client was not served"] : []),
          ...(connecting.served === 0 ? ["a client that connects was not served"] : []),
        ],
      });
      return { ...outcome, hung: outcome.hung + connected.hung + connecting.hung };
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  },
};
