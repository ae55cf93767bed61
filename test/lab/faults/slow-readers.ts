import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { residentMib } from "../../../dev/process-tree.ts";
import { describeReads, startReads } from "./reads.ts";
import type { Scenario } from "./scenario.ts";
import { conclude, databaseName, openStage, query, type Stage } from "./stage.ts";

const mostMib = 400;

/** Clients ask for a list of 100,000 logs and never read it: others are still served, in bounded memory. */
export const slowReaders: Scenario = {
  name: "slow-readers",
  inShort: false,
  async run(trial) {
    const [readers, seconds] = trial.short ? [10, 3] : [50, 15];
    await using stage = await openStage(trial);
    const sockets: Socket[] = [];
    try {
      await insertLogs(stage);
      const before = residentMib(stage.service().pid);
      for (let i = 0; i < readers; i++) sockets.push(askAndIgnore(stage));
      const load = stage.load({ clients: 2 });
      const path = "/api/v1/logs/1";
      const stop = startReads({
        port: stage.port,
        path,
        token: stage.token,
        clients: 2,
        pauseMilliseconds: 5,
      });
      let peak = 0;
      for (let i = 0; i < seconds * 4; i++) {
        await sleep(250);
        peak = Math.max(peak, residentMib(stage.service().pid));
      }
      const reads = await stop();
      const begun = sockets.filter(({ bytesRead }) => bytesRead > 0).length;
      for (const socket of sockets) socket.destroy();
      const outcome = await conclude(stage, load, {
        rounds: 1,
        notes: [
          `${readers} readers, ${begun} of them with a list begun; RSS ${before.toFixed(0)} MiB before, ${peak.toFixed(0)} MiB at most`,
          describeReads("point reads", reads),
        ],
        faults: [
          ...(peak > mostMib ? [`the service took ${peak.toFixed(0)} MiB`] : []),
          ...(begun < readers ? [`only ${begun} of ${readers} lists were begun`] : []),
          ...(reads.served === 0 ? ["no point read was served"] : []),
          ...reads.refusals,
        ],
      });
      return { ...outcome, hung: outcome.hung + reads.hung };
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  },
};

const insertLogs = ({ cluster, assetIds }: Stage) =>
  query(
    cluster.url(databaseName),
    `insert into maintenance_log
       (performed_date, status, task_type, comment, asset_id, performed_by_employee_id)
     select timestamp '2020-01-01' + n * interval '1 minute', 'COMPLETED', 'MAINTENANCE',
       'inserted ' || repeat('x', 150), ${assetIds[0]}, (select min(id) from employee)
     from generate_series(1, 100000) as n`,
  );

/** A socket reads a little ahead by itself, and then leaves the rest where it is. */
function askAndIgnore({ port, token }: Stage): Socket {
  const socket = connect(port, "127.0.0.1", () => {
    socket.write(`GET /api/v1/logs HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  });
  return socket.on("error", () => {});
}
