import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { faultOfError, send } from "./request.ts";
import type { Scenario } from "./scenario.ts";
import { conclude, databaseName, openStage, query } from "./stage.ts";

const assets = 300;
const everyMilliseconds = 3;
const mostMilliseconds = 180_000;

/**
 * Somebody cancels statements of the service, again and again, also between two rows of their results: their requests are
 * refused with 500, and those after them on the same connections get what is stored.
 */
export const statementCancel: Scenario = {
  name: "statement-cancel",
  inShort: true,
  async run(trial) {
    const wanted = trial.short ? 200 : 5_000;
    await using stage = await openStage(trial);
    const made = await query(
      stage.cluster.url(databaseName),
      `insert into asset (name, description) select 'Pump', '' from generate_series(1, ${assets}) returning id::int`,
    );
    const [first = 0, ...others] = made.map(({ id }) => id as number);
    const canceller = postgres(stage.cluster.url(databaseName), { max: 1, onnotice: () => {} });
    const faults = new Set<string>();
    let isReading = true;

    /** Reads lists and records; each is refused, or right. */
    async function read(path: string, isRight: (json: unknown) => boolean): Promise<void> {
      while (isReading) {
        const answer = await send(stage.port, path, { token: stage.token });
        const { status, json } = answer;
        if (status === 200 && !isRight(json)) faults.add(`${path}: 200 with what is not stored`);
        if (status !== 200) {
          const fault = faultOfError(answer);
          if (fault !== undefined) faults.add(fault);
          if (status !== 500 && status !== 503) faults.add(`${path}: ${status} ${JSON.stringify(json)}`);
        }
        await sleep(1);
      }
    }
    const isNamed = (json: unknown) =>
      (json as { assetName: string; performedByName: string }[]).every(
        ({ assetName, performedByName }) => assetName === "Pump" && performedByName !== "",
      );
    const hasName = (json: unknown) => (json as { name: string }).name === "Pump";

    try {
      const load = stage.load({
        clients: 6,
        pauseMilliseconds: 2,
        refusals: [500, 503],
        assetIds: [first, ...others],
      });
      const reading = Promise.all([
        ...Array.from({ length: 3 }, () => read("/api/v1/logs?limit=1000", isNamed)),
        ...Array.from({ length: 3 }, () => read(`/api/v1/assets/${first}`, hasName)),
      ]);
      const began = performance.now();
      let cancelled = 0;
      while (cancelled < wanted && performance.now() - began < mostMilliseconds) {
        const rows = await canceller`
          select pg_cancel_backend(pid) from pg_stat_activity
          where datname = ${databaseName} and state = 'active' and pid <> pg_backend_pid()`;
        cancelled += rows.length;
        await sleep(everyMilliseconds);
      }
      isReading = false;
      await reading;
      const recovery = await load.untilAcknowledged();
      const tooFew = cancelled < wanted ? [`only ${cancelled} of ${wanted} in ${mostMilliseconds} ms`] : [];
      return await conclude(stage, load, {
        rounds: cancelled,
        recoveries: [recovery],
        faults: [...faults, ...tooFew],
      });
    } finally {
      isReading = false;
      await canceller.end({ timeout: 1 });
    }
  },
};
