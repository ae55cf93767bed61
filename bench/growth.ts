import type postgres from "postgres";
import type { Statement } from "../src/adapters/postgres/connection/statement.ts";
import { makeRepositories } from "../src/adapters/postgres/repositories/repositories.ts";
import type { Repositories } from "../src/application/ports.ts";
import { callerOf } from "../test/support/by-admin.ts";
import { connectTo } from "../test/support/connect-to.ts";
import { literal, recording } from "../test/support/recording-database.ts";
import { median } from "./measure.ts";
import { assets, emailOf, employees, largeAsset, smallAssets } from "./seed.ts";
import type { Stage } from "./stage.ts";

/** What one operation costs within PostgreSQL, with so many logs. */
export interface Growth {
  readonly logs: number;
  readonly operation: string;
  /** Median execution time, planning excluded. */
  readonly microseconds: number;
}

interface Operation {
  readonly name: string;
  /** `turn` counts up, so that each run asks for something else. */
  readonly run: (repositories: Repositories, turn: number, logs: number) => Promise<unknown>;
  /** The assets that are active meanwhile; all without it. */
  readonly active?: string;
}

/** As many as the first page of a whole list has, which reads one more. */
const limit = 127;

const firstPage = async (list: AsyncIterable<unknown>) => {
  for await (const _ of list) return;
};
const scattered = (turn: number, count: number) => 1 + ((turn * 7_919) % count);
const log = { performedDate: "2026-02-28T10:20:30", status: "COMPLETED", taskType: "MAINTENANCE" } as const;

const operations: readonly Operation[] = [
  {
    name: "one log",
    run: ({ maintenanceLogs }, turn, logs) => maintenanceLogs.find(scattered(turn, logs)),
  },
  {
    name: "create a log",
    run: ({ maintenanceLogs }, turn) => {
      const employeeId = scattered(turn, employees);
      const performer = callerOf({ id: employeeId, email: emailOf(employeeId) });
      return maintenanceLogs.append(scattered(turn, assets), performer, { ...log, comment: "Oil changed" });
    },
  },
  {
    name: "all 100 logs of an asset",
    run: ({ maintenanceLogs }, turn) =>
      firstPage(maintenanceLogs.listOfAsset(scattered(turn, smallAssets), {})),
  },
  {
    name: "first page of a large asset",
    run: ({ maintenanceLogs }) => firstPage(maintenanceLogs.listOfAsset(largeAsset, { limit })),
  },
  {
    name: "first page of all logs",
    run: ({ maintenanceLogs }) => firstPage(maintenanceLogs.list({ limit })),
  },
  {
    name: "first page of a rare status",
    run: ({ maintenanceLogs }) => firstPage(maintenanceLogs.list({ status: "CANCELLED", limit })),
  },
  {
    name: "first page of a task type",
    run: ({ maintenanceLogs }) => firstPage(maintenanceLogs.list({ taskType: "ERROR", limit })),
  },
  {
    name: "first page of a rare status of a large asset",
    run: ({ maintenanceLogs }) =>
      firstPage(maintenanceLogs.listOfAsset(largeAsset, { status: "CANCELLED", limit })),
  },
  {
    name: "first page of a rare status of an employee",
    run: ({ maintenanceLogs }, turn) =>
      firstPage(maintenanceLogs.listOfPerformer(scattered(turn, employees), { status: "CANCELLED", limit })),
  },
  {
    name: "asset with lastLogDate",
    run: ({ assets }) => assets.find(largeAsset),
  },
  {
    name: "10 newest of active assets",
    run: ({ maintenanceLogs }) => firstPage(maintenanceLogs.listOfActiveAssets({}, 10)),
  },
  {
    name: "10 newest, 3 of 200 active",
    run: ({ maintenanceLogs }) => firstPage(maintenanceLogs.listOfActiveAssets({}, 10)),
    active: "id <= 3",
  },
  {
    name: "10 newest of active assets, of a task type",
    run: ({ maintenanceLogs }) => firstPage(maintenanceLogs.listOfActiveAssets({ taskType: "ERROR" }, 10)),
  },
];

const runs = 31;

/** Measures each operation, with so many logs. */
export async function measureGrowth(stage: Stage, logs: number): Promise<readonly Growth[]> {
  const service = connectTo(stage.url);
  const measured: Growth[] = [];
  for (const operation of operations) {
    if (operation.active)
      await stage.sql.unsafe(`update asset set active = ${operation.active}; analyze asset`);
    const samples: number[] = [];
    for (let turn = 0; turn < runs; turn += 1) {
      const { database, sent } = recording(service);
      await operation.run(makeRepositories(database), turn, logs);
      let milliseconds = 0;
      for (const statement of sent) milliseconds += await explain(stage, statement);
      samples.push(milliseconds * 1_000);
    }
    if (operation.active) await stage.sql.unsafe("update asset set active = true; analyze asset");
    measured.push({ logs, operation: operation.name, microseconds: median(samples) });
  }
  await service.close();
  return measured;
}

/** How many milliseconds a statement takes as PostgreSQL runs a prepared one; takes back what it wrote. */
async function explain({ sql }: Stage, { text, values }: Statement): Promise<number> {
  const given = values.length === 0 ? "" : `(${values.map(literal)})`;
  await sql.unsafe(`begin; prepare explained as ${text}`);
  try {
    // The first run meets cold caches of the session.
    const explaining = `explain (analyze, timing off, format json) execute explained${given}`;
    await sql.unsafe(explaining);
    const [row] = await sql.unsafe(explaining);
    const [{ "Execution Time": milliseconds }] = (row as postgres.Row)["QUERY PLAN"] as [
      { "Execution Time": number },
    ];
    return milliseconds;
  } finally {
    await sql.unsafe("rollback; deallocate all");
  }
}
