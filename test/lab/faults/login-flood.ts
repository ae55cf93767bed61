import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { between, type Random } from "./random.ts";
import { describeReads, startReads } from "./reads.ts";
import { type Answer, faultOfError, HungError, send } from "./request.ts";
import type { Scenario } from "./scenario.ts";
import { adminEmail, adminPassword, conclude, openStage, type Stage } from "./stage.ts";

const clients = 32;
const floodMilliseconds = 5_000;

/** Wrong passwords without pause from one address: others are served, and who knows the password gets in elsewhere. */
export const loginFlood: Scenario = {
  name: "login-flood",
  inShort: false,
  async run(trial) {
    await using stage = await openStage(trial);
    const load = stage.load({ clients: 2 });
    const path = `/api/v1/assets/${stage.assetIds[0]}`;
    const stopReads = startReads({
      port: stage.port,
      path,
      token: stage.token,
      clients: 2,
      pauseMilliseconds: 5,
    });
    const flooding = flood(stage, trial.random);
    const entry = await enterMeanwhile(stage);
    const { statuses, hung, faults } = await flooding;
    const reads = await stopReads();
    const outcome = await conclude(stage, load, {
      rounds: 1,
      notes: [
        `logins: ${[...statuses].map(([status, times]) => `${times} x ${status}`).join(", ")}`,
        describeReads("point reads", reads),
        entry.note,
      ],
      faults: [
        ...faults,
        ...reads.refusals,
        ...entry.faults,
        ...(reads.served === 0 ? ["no point read was served"] : []),
      ],
    });
    return { ...outcome, hung: outcome.hung + hung + reads.hung };
  },
};

async function flood({ port }: Stage, random: Random) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const statuses = new Map<number, number>();
  const faults = new Set<string>();
  let hung = 0;
  const judge = (answer: Answer) => {
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    if (![401, 429, 503].includes(answer.status)) faults.add(`a wrong login was answered ${answer.status}`);
    const fault = faultOfError(answer);
    if (fault !== undefined) faults.add(fault);
  };
  const endAt = performance.now() + floodMilliseconds;
  const run = async () => {
    while (performance.now() < endAt) {
      const email = random() < 0.5 ? adminEmail : `nobody.${between(random, 1, 1_000)}@example.com`;
      const body = { email, password: String(between(random, 1_000, 9_999)) };
      try {
        judge(await send(port, "/api/v1/auth/login", { method: "POST", body, agent }));
      } catch (error) {
        if (error instanceof HungError) hung++;
        else faults.add(`a login had no answer: ${(error as Error).message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, run));
  agent.destroy();
  return { statuses, hung, faults: [...faults] };
}

/** Logs in from an address that has not been guessing; only Linux has more than one on loopback. */
async function enterMeanwhile({ port }: Stage): Promise<{ note: string; faults: string[] }> {
  if (process.platform !== "linux") return { note: "no second loopback address here", faults: [] };
  const body = { email: adminEmail, password: adminPassword };
  const statuses: number[] = [];
  for (let i = 0; i < 8; i++) {
    await sleep(500);
    const answer = await send(port, "/api/v1/auth/login", {
      method: "POST",
      body,
      localAddress: "127.0.0.2",
    });
    statuses.push(answer.status);
  }
  const refused = statuses.filter(status => status !== 200);
  return {
    note: `right password from another address: ${statuses.join(" ")}`,
    faults:
      refused.length > 0 ? [`the right password from another address was answered ${refused.join(" ")}`] : [],
  };
}
