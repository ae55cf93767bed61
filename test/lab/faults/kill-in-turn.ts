import { setTimeout as sleep } from "node:timers/promises";
import type { Load } from "./load.ts";
import { stablePort } from "./processes.ts";
import { between } from "./random.ts";
import type { Scenario, Trial } from "./scenario.ts";
import { conclude, openStage, type Stage } from "./stage.ts";

/** Two services on one database; one dies, and its clients go on at the other with the same keys. */
export const twoServices: Scenario = {
  name: "two-services",
  inShort: true,
  async run(trial) {
    const rounds = trial.short ? 1 : 10;
    await using stage = await openStage(trial);
    const otherPort = await stablePort();
    const other = await stage.startAnother(otherPort);
    const load = stage.load({ ports: [stage.port, otherPort], cutsAreFine: true });
    const turns = { rounds, pauseMilliseconds: 100, restMilliseconds: 0 };
    const recoveries = await killInTurn(trial, stage, load, { port: otherPort, service: other }, turns);
    return await conclude(stage, load, { rounds, recoveries });
  },
};

interface Other {
  readonly port: number;
  readonly service: ReturnType<Stage["service"]>;
}

interface Turns {
  readonly rounds: number;
  /** Before a kill, at least. */
  readonly pauseMilliseconds: number;
  /** After a restart. */
  readonly restMilliseconds: number;
}

/**
 * Lets each of two services die under load and come back, in turn.
 *
 * @returns the milliseconds from each kill to the next acknowledgement
 */
export async function killInTurn(
  { random }: Pick<Trial, "random">,
  stage: Stage,
  load: Load,
  { port, service }: Other,
  { rounds, pauseMilliseconds, restMilliseconds }: Turns,
): Promise<readonly number[]> {
  let other = service;
  const recoveries: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await sleep(between(random, pauseMilliseconds, 800));
    const first = round % 2 === 0;
    await (first ? stage.service() : other).kill();
    recoveries.push(await load.untilAcknowledged());
    await sleep(between(random, 100, 500));
    if (first) await stage.restart();
    else other = await stage.startAnother(port);
    await sleep(restMilliseconds);
  }
  return recoveries;
}
