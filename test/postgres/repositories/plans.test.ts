import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeRepositories } from "../../../src/adapters/postgres/repositories/repositories.ts";
import { elementsOf, type JsonList } from "../../../src/application/json-list.ts";
import type { Repositories } from "../../../src/application/ports.ts";
import { emailKey } from "../../../src/domain/employee.ts";
import type { LogFilter, LogQuery } from "../../../src/domain/maintenance-log.ts";
import { roles } from "../../../src/domain/role.ts";
import { callerOf } from "../../support/by-admin.ts";
import { openDatabase } from "../../support/database.ts";
import { shared } from "../../support/left-open.ts";
import { explain, type PlanNode, recording } from "../../support/recording-database.ts";
import { aLog, anAsset, anEmployee, noChange } from "../../support/test-records.ts";

/** Logs enough for a walk over all of them to cost more than any list or point query should. */
const logCount = 30_000;
const [largeAsset, smallAsset, silentAsset, employeeId] = [1, 2, 399, 7];

/**
 * As in a real trail, later logs tell of later days. Asset 1 has a third of all logs, and none of the newer half;
 * assets 2 to 300 share the others, the last hundred have none.
 */
const seed = `
  insert into employee (first_name, last_name, phone, email, email_folded, role, password_hash)
  select 'Ada', 'Byron', '+45 12 34 56', i || '@example.com', i || '@example.com', 'TECHNICIAN', 'none'
  from generate_series(1, 500) i;
  insert into asset (name, description) select 'Asset ' || i, '' from generate_series(1, 400) i;
  insert into maintenance_log
    (performed_date, status, task_type, comment, asset_id, performed_by_employee_id, idempotency_key)
  select timestamp '2024-01-01' + make_interval(mins => i + i * 7919 % 60),
    (array['PENDING', 'IN_PROGRESS', 'COMPLETED', 'CANCELLED']::log_status[])[case when i % 1000 = 0 then 4 else 1 + i % 7 % 3 end],
    (array['PRODUCTION', 'MAINTENANCE', 'ERROR']::task_type[])[1 + i % 5 % 3],
    'Pressure, belts and sensors checked; all within limits, next inspection due in ' || i || ' days.',
    case when i <= ${logCount / 2} and i % 3 < 2 then 1 else 2 + i % 299 end, 1 + i % 20, case when i % 2 = 0 then 'key-' || i end
  from generate_series(1, ${logCount}) i`;

interface Case {
  readonly name: string;
  readonly run: (repositories: Repositories) => Promise<unknown>;
  readonly table?: string;
  /** By which the rows of the table are found; without a table, those of logs. */
  readonly indexes: readonly string[];
  /** Rows of the table that one statement may look at. */
  readonly rows: number;
  /** Whether it may read the whole table. */
  readonly mayWalk?: true;
  /** The only assets that are active; without it, all. */
  readonly active?: readonly number[];
}

/** The first page of a list and, if there is one, the next. */
async function twoPages<T>(list: JsonList<T>): Promise<void> {
  const walk = list[Symbol.asyncIterator]();
  await walk.next();
  await walk.next();
}

const log = aLog({ taskType: "ERROR" });
const email = `${employeeId}@example.com`;
const caller = callerOf({ id: employeeId, email });

/** Every combination of filters: a status that many logs have, and a rare one; a period of few logs, one of many, and none. */
const filters: readonly LogFilter[] = [undefined, "COMPLETED", "CANCELLED"].flatMap(status =>
  [undefined, "ERROR"].flatMap(taskType =>
    [undefined, "2024-01-21T00:00:00"].flatMap(performedFrom =>
      [undefined, "2024-01-12T00:00:00"].map(
        performedTo => ({ status, taskType, performedFrom, performedTo }) as LogFilter,
      ),
    ),
  ),
);
assert.equal(filters.length, 3 * 2 * 2 * 2);

interface List {
  readonly name: string;
  readonly of: (logs: Repositories["maintenanceLogs"], part: LogQuery) => JsonList<unknown>;
  /** By which its logs are found; with a filter on status or task type, by the other ones. */
  readonly indexes: readonly string[];
  readonly filteredIndexes: readonly string[];
  readonly rows: number;
  readonly active?: readonly number[];
}

type ListMethod = Exclude<keyof Repositories["maintenanceLogs"], "find" | "append">;

/** Each method whose statements a request or an operator waits for; those of the trail have plans in postgres/trail/. */
type MethodOf<R extends Repositories> = {
  [Name in Exclude<keyof R, "trail"> & string]: `${Name}.${keyof R[Name] & string}`;
}[Exclude<keyof R, "trail"> & string];

/** Logs that one statement may look at, whatever the filters. To sort little more than a page may be cheaper than to walk in order. */
const mostLooked = 5_000;

const listsOf: { readonly [Method in ListMethod]: readonly List[] } = {
  list: [
    {
      name: "all logs",
      of: (logs, part) => logs.list(part),
      indexes: ["maintenance_log_by_date"],
      filteredIndexes: ["maintenance_log_by_status"],
      rows: mostLooked,
    },
  ],
  listOfAsset: [largeAsset, silentAsset].map(assetId => ({
    name: `the logs of asset ${assetId}`,
    of: (logs, part) => logs.listOfAsset(assetId, part),
    indexes: ["maintenance_log_by_asset"],
    filteredIndexes: ["maintenance_log_by_asset_and_status"],
    rows: mostLooked,
  })),
  listOfPerformer: [
    {
      name: `the logs of employee ${employeeId}`,
      of: (logs, part) => logs.listOfPerformer(employeeId, part),
      indexes: ["maintenance_log_by_performer_and_status"],
      filteredIndexes: ["maintenance_log_by_performer_and_status"],
      rows: mostLooked,
    },
  ],
  listOfActiveAssets: [undefined, [3, 4, silentAsset]].map(active => ({
    name: `the newest logs when ${active === undefined ? "all" : "few"} assets are active`,
    of: (logs, { limit = 100_000, ...filter }) => logs.listOfActiveAssets(filter, limit),
    // Where few logs are of active assets, those of each asset are merged, and fetched by their ids.
    indexes: ["maintenance_log_by_date", "maintenance_log_by_asset", "maintenance_log_pkey"],
    filteredIndexes: [
      "maintenance_log_by_status",
      "maintenance_log_by_asset_and_status",
      "maintenance_log_pkey",
    ],
    // A window, and its end.
    rows: 2 * mostLooked,
    ...(active && { active }),
  })),
};

const filtered = (method: ListMethod): readonly Case[] =>
  listsOf[method].flatMap(({ name, of, indexes, filteredIndexes, rows, active }) =>
    filters.map(filter => ({
      name: `${name} with the filter ${JSON.stringify(filter)}`,
      // As a whole list, and as pages of ten.
      async run({ maintenanceLogs }: Repositories) {
        await twoPages(of(maintenanceLogs, filter));
        await of(maintenanceLogs, { ...filter, limit: 10 })
          [Symbol.asyncIterator]()
          .next();
      },
      indexes: (filter.status ?? filter.taskType) === undefined ? indexes : filteredIndexes,
      rows,
      ...(active && { active }),
    })),
  );

const byId = (table: string, name: string, run: Case["run"], rows = 1): readonly Case[] => [
  { name, run, table, indexes: [`${table}_pkey`], rows },
];

/** A list of which one page is nearly the whole table. */
const walk = (table: string, run: Case["run"]): readonly Case[] => [
  { name: `the list of ${table}s`, run, table, indexes: [`${table}_pkey`], rows: 500, mayWalk: true },
];

const casesOf: { readonly [Method in MethodOf<Repositories>]: readonly Case[] } = {
  "maintenanceLogs.find": byId("maintenance_log", "a log", ({ maintenanceLogs }) =>
    maintenanceLogs.find(4_711),
  ),
  "maintenanceLogs.list": filtered("list"),
  "maintenanceLogs.listOfAsset": filtered("listOfAsset"),
  "maintenanceLogs.listOfPerformer": filtered("listOfPerformer"),
  "maintenanceLogs.listOfActiveAssets": filtered("listOfActiveAssets"),
  "maintenanceLogs.append": [
    {
      name: "a log that is written under a key, and found under it",
      async run({ maintenanceLogs }) {
        for (let i = 0; i < 2; i += 1) await maintenanceLogs.append(smallAsset, caller, log, "a-key");
      },
      indexes: ["maintenance_log_idempotency_key"],
      rows: 1,
    },
  ],
  "assets.list": walk("asset", ({ assets }) => twoPages(assets.list({ active: true }))),
  "assets.find": [
    {
      name: "an asset with the date of its newest log",
      run: ({ assets }) => assets.find(largeAsset),
      indexes: ["maintenance_log_by_asset"],
      rows: 1,
    },
  ],
  // Of both the caller is looked for.
  "assets.insert": byId("employee", "a new asset", ({ assets }) => assets.insert(anAsset(), caller)),
  "assets.setActive": byId("employee", "an asset that is changed", async ({ assets }) => {
    await assets.setActive(smallAsset, false, caller);
    await assets.setActive(smallAsset, true, caller);
  }),
  "employees.list": walk("employee", ({ employees }) => twoPages(employees.list({ active: true }))),
  "employees.find": byId("employee", "an employee", ({ employees }) => employees.find(employeeId)),
  "employees.findAccount": [
    {
      name: "the account of a token",
      run: ({ employees }) => employees.findAccount(emailKey(email)),
      table: "employee",
      indexes: ["employee_email_key"],
      rows: 1,
    },
  ],
  // Of a token that is revoked, since what is explained is run as well, and an email is taken once.
  "employees.insert": byId("employee", "a new employee", ({ employees }) =>
    employees.insert(anEmployee(), { ...caller, tokenVersion: 99 }).catch(() => {}),
  ),
  "employees.update": byId(
    "employee",
    "an employee who is changed",
    ({ employees }) => employees.update(employeeId + 1, { ...noChange, firstName: "Grace" }, roles, caller),
    3,
  ),
  "employees.setActive": byId(
    "employee",
    "an employee who is activated",
    ({ employees }) => employees.setActive(employeeId + 1, true, caller),
    2,
  ),
  "employees.replacePasswordHash": byId("employee", "a password that is changed", ({ employees }) =>
    employees.replacePasswordHash("none", "none", caller),
  ),
  "employees.setPasswordHash": byId("employee", "a password that an operator sets", ({ employees }) =>
    employees.setPasswordHash(employeeId + 1, "none"),
  ),
  "employees.appointAdmin": byId("employee", "an admin who is appointed", ({ employees }) =>
    employees.appointAdmin(anEmployee()),
  ),
  // Of the operator, once: it walks over all employees.
  "employees.hasActiveAdmin": [],
};
const cases = Object.values(casesOf).flat();

/** What is wrong with how a statement finds the rows of its table; nothing when all is well. */
function faultsOf(
  nodes: readonly PlanNode[],
  { table = "maintenance_log", indexes, rows, mayWalk }: Case,
): string[] {
  const scans = nodes.filter(node => node["Node Type"].endsWith("Scan"));
  const ofTable = scans.filter(node => node["Relation Name"] === table);
  const walks = ofTable
    .filter(node => node["Node Type"] === "Seq Scan" && mayWalk !== true)
    .map(() => `walks all of ${table}`);
  const others = scans
    .map(node => node["Index Name"] ?? "")
    .filter(name => name.startsWith(table) && !indexes.includes(name))
    .map(name => `uses ${name}`);
  const looked = ofTable
    .map(
      node =>
        (node["Actual Loops"] ?? 0) * ((node["Actual Rows"] ?? 0) + (node["Rows Removed by Filter"] ?? 0)),
    )
    .reduce((sum, count) => sum + count, 0);
  return [...walks, ...others, ...(looked > rows ? [`looks at ${looked} rows instead of ${rows}`] : [])];
}

/** PostgreSQL plans a prepared statement for its parameters, or once for all: either must do. */
const planModes = ["force_custom_plan", "force_generic_plan"];

describe("query plans", async () => {
  const opened = await shared(openDatabase());
  const service = opened.connect();
  const admin = opened.session({ fetch_types: false });
  await admin.unsafe(seed);
  // As autovacuum does after a while.
  await admin.unsafe("vacuum analyze");

  let activeAssets = "true";
  /** Makes only these assets active, if they are not already so since the case before. */
  async function activate(condition: string): Promise<void> {
    if (condition === activeAssets) return;
    await admin.unsafe(`update asset set active = ${condition}; analyze asset`);
    activeAssets = condition;
  }

  /** Runs the case on the service's own connections, then explains each statement that it sent. */
  async function check(one: Case): Promise<string[]> {
    const { database, sent } = recording(service);
    await activate(one.active ? `id in (${one.active})` : "true");
    await one.run(makeRepositories(database));
    assert.ok(sent.length > 0);
    const faults: string[] = [];
    // Of the pages of one walk the last: it has most to skip.
    const last = new Map(sent.map(statement => [`${statement.text} ${statement.values.at(-2)}`, statement]));
    for (const statement of last.values()) {
      for (const mode of planModes) {
        const found = faultsOf(await explain(admin, statement, mode), one);
        faults.push(...found.map(fault => `${fault} (${mode}): ${statement.text}`));
      }
    }
    return faults;
  }

  for (const one of cases) {
    test(`${one.name}: found by ${one.indexes.join(", ")}`, async () => {
      assert.deepEqual(await check(one), []);
    });
  }

  test("the newest log of active assets takes two statements, however many newer ones are of inactive assets", async () => {
    // The 15,000 newest logs are of other assets.
    await activate(`id in (${largeAsset})`);
    const { database, sent } = recording(service);
    const logs: unknown[] = [];
    for await (const chunk of makeRepositories(database).maintenanceLogs.listOfActiveAssets({}, 1)) {
      logs.push(...elementsOf(chunk));
    }
    assert.deepEqual([logs.length, sent.filter(({ text }) => text.includes("string_agg")).length], [1, 2]);
  });
});
