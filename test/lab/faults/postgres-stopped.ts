import type { Scenario } from "./scenario.ts";
import { silence } from "./silence.ts";
import { openStage } from "./stage.ts";

/** PostgreSQL takes connections and never answers, then goes on as if nothing had been. */
export const postgresStopped: Scenario = {
  name: "postgres-stopped",
  inShort: true,
  async run(trial) {
    await using stage = await openStage(trial);
    const { freeze, thaw } = stage.cluster;
    const [rounds, milliseconds] = trial.short ? [1, 6_000] : [3, 8_000];
    return await silence(trial, stage, { rounds, milliseconds, begin: freeze, end: thaw });
  },
};
