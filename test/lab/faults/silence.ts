import { setTimeout as sleep } from "node:timers/promises";
import type { Outcome, Trial } from "./scenario.ts";
import { conclude, type Stage } from "./stage.ts";

interface Silence {
  readonly rounds: number;
  readonly milliseconds: number;
  begin(): void;
  end(): void;
}

/** Lets PostgreSQL say nothing for a while under load, some times: who waits too long is told 503. */
export async function silence(
  { short }: Trial,
  stage: Stage,
  { rounds, milliseconds, begin, end }: Silence,
): Promise<Outcome> {
  // More clients than connections, so that some wait for one.
  const load = stage.load({ clients: 24 });
  const recoveries: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await load.untilAcknowledged();
    await sleep(500);
    load.strike();
    begin();
    await sleep(milliseconds);
    end();
    recoveries.push(await load.heal());
    await sleep(short ? 3_000 : 4_000);
  }
  const faults = load.statuses.has(503) ? [] : ["nobody was answered 503 while PostgreSQL was silent"];
  return conclude(stage, load, { rounds, recoveries, faults });
}
