import { startDripping } from "../../support/dripping-request.ts";
import { aLog, aRegistration } from "../../support/test-records.ts";
import { stablePort } from "./processes.ts";
import { send } from "./request.ts";
import type { Scenario } from "./scenario.ts";
import { conclude, databaseName, openStage, query, type Stage } from "./stage.ts";

const log = aLog({ comment: "too late" });

/**
 * An ADMIN sends requests to two services up to their last byte, is deactivated at one of them, and then sends the last
 * bytes: nothing of it may be carried out, at the other service neither.
 */
export const revocation: Scenario = {
  name: "revocation",
  inShort: false,
  async run(trial) {
    const rounds = trial.short ? 1 : 5;
    await using stage = await openStage(trial);
    const load = stage.load({ clients: 2 });
    const otherPort = await stablePort();
    await stage.startAnother(otherPort);
    const statuses = new Map<number, number>();
    const faults: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      for (const status of await outlive(stage, [stage.port, otherPort])) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      const written = await query(
        stage.cluster.url(databaseName),
        `select (select count(*)::int from employee where email like 'late.%') as employees,
          (select count(*)::int from maintenance_log where comment = '${log.comment}') as logs`,
      );
      const { employees, logs } = written[0] as { employees: number; logs: number };
      if (employees + logs > 0) faults.push(`${employees} employees and ${logs} logs of a revoked token`);
    }
    return await conclude(stage, load, {
      rounds,
      notes: [[...statuses].map(([status, times]) => `${times} x ${status}`).join(", ")],
      faults: [
        ...faults,
        ...[...statuses.keys()].filter(status => status !== 403).map(status => `an answer was ${status}`),
      ],
    });
  },
};

/** The statuses of 200 requests whose last byte comes after the token's end. */
async function outlive({ port, token, assetIds }: Stage, ports: readonly number[]) {
  const admin = aRegistration({ role: "ADMIN" });
  const registered = await send(port, "/api/v1/auth/register", { method: "POST", token, body: admin });
  const { id } = registered.json as { id: number };
  const body = { email: admin.email, password: admin.password };
  const loggedIn = await send(port, "/api/v1/auth/login", { method: "POST", body });
  const { token: former } = loggedIn.json as { token: string };
  const requests = await Promise.all(
    Array.from({ length: 200 }, (_, i) => {
      return startDripping(ports[i % ports.length] ?? port, {
        method: "POST",
        token: former,
        ...(i % 4 < 2
          ? { path: "/api/v1/auth/register", body: aRegistration({ role: "ADMIN" }) }
          : { path: `/api/v1/assets/${assetIds[0]}/logs`, body: log }),
      });
    }),
  );
  const { status } = await send(port, `/api/v1/employees/${id}`, { method: "DELETE", token });
  if (status !== 204) throw new Error(`the deactivation was answered ${status}`);
  return (await Promise.all(requests.map(request => request.finish()))).map(answer => answer.status);
}
