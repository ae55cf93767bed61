import type { JsonList, MaintenanceLogRepository } from "../../application/ports.ts";
import { foldEmail } from "../../domain/employee.ts";
import { keyReused, notFound, performerUnknown } from "../../domain/error.ts";
import {
  isLogOf,
  type LogFilter,
  type LogPart,
  type LogPosition,
  type MaintenanceLog,
  type NewLog,
  startOf,
} from "../../domain/maintenance-log.ts";
import type { Database, Fragment, Sql } from "./connection.ts";
import { gather } from "./gather.ts";
import { pages, rendered } from "./pages.ts";

/** A log with the names that its readers see, from the whole trail or a part of it: what every query here selects. */
const logs = (sql: Sql, trail: Fragment = sql`maintenance_log`) => sql`
  select l.id, l.performed_date as "performedDate", l.status, l.task_type as "taskType", l.comment,
    l.asset_id as "assetId", a.name as "assetName",
    l.performed_by_employee_id as "performedByEmployeeId", e.first_name || ' ' || e.last_name as "performedByName"
  from ${trail} l
  join asset a on a.id = l.asset_id
  join employee e on e.id = l.performed_by_employee_id`;

/** The position before every log. */
const beforeAll: LogPosition = { performedDate: "infinity", id: Number.MAX_SAFE_INTEGER };

const renderedLogs = (sql: Sql, rows: Fragment) =>
  rendered<LogPosition>(
    sql,
    rows,
    sql`(array_agg("performedDate"))[count(*)] as "performedDate", (array_agg(id))[count(*)] as id`,
  );

/** Every column is null where there is nothing of its kind. */
type AppendRow = { readonly assetFound: number | null } & (
  | (MaintenanceLog & { readonly replayed: boolean })
  | { readonly id: null; readonly performedByEmployeeId: number | null }
);

/** A log to be written, as it is sent to PostgreSQL. */
interface Entry extends NewLog {
  readonly assetId: number;
  readonly employeeId: number;
  readonly emailFolded: string;
  readonly key: string | undefined;
}

/** Logs looked at for each log wanted of the active assets, before it is the assets that are asked. */
const activeWindow = 10;

interface Scope extends LogPart {
  readonly assetId?: number;
  readonly employeeId?: number;
}

/** What a scope asks of a log that comes after a position. */
function asked(sql: Sql, scope: Scope, { performedDate, id }: LogPosition): Fragment {
  const { assetId, employeeId, status, taskType, performedFrom } = scope;
  return sql`(l.performed_date, l.id) < (${performedDate}::text::timestamp, ${id})
    ${performedFrom === undefined ? sql`` : sql`and l.performed_date >= ${performedFrom}::text::timestamp`}
    ${assetId === undefined ? sql`` : sql`and l.asset_id = ${assetId}`}
    ${employeeId === undefined ? sql`` : sql`and l.performed_by_employee_id = ${employeeId}`}
    ${status === undefined ? sql`` : sql`and l.status = ${status}`}
    ${taskType === undefined ? sql`` : sql`and l.task_type = ${taskType}`}`;
}

/**
 * States the condition of a partial index (sql/0007_filtered_lists.sql). It always holds; to state it is to choose the
 * index. Left the choice, the planner hopes to meet the logs of an asset on a walk over all logs by date, and where
 * they are old it walks for ever.
 */
function choiceOfIndex(sql: Sql, { assetId, employeeId, status }: Scope): Fragment {
  if ((assetId ?? employeeId) !== undefined) return sql``;
  return status === undefined ? sql`and ${byDate(sql)}` : sql`and l.id > -1`;
}
const byDate = (sql: Sql) => sql`l.id > 0`;

export function makeMaintenanceLogRepository({ query }: Database): MaintenanceLogRepository {
  const list = (scope: Scope): JsonList<MaintenanceLog> =>
    pages(
      startOf(scope) ?? beforeAll,
      (last: LogPosition, limit) =>
        query(sql =>
          renderedLogs(
            sql,
            sql`${logs(sql)} where ${asked(sql, scope, last)} ${choiceOfIndex(sql, scope)}
              order by l.performed_date desc, l.id desc limit ${limit}`,
          ),
        ),
      scope.limit,
    );

  const findOne = gather<number, MaintenanceLog>(async takeIds => {
    const found = await query<MaintenanceLog>(
      sql => sql`${logs(sql)} where l.id = any (${`{${takeIds()}}`}::text::bigint[])`,
    );
    return new Map(found.map(log => [log.id, log]));
  });

  /** One statement for all: finds asset and performer, writes the log or finds the key's, and names it all. */
  const appendOne = gather<Entry, AppendRow>(async takeEntries => {
    let entries: readonly Entry[] = [];
    const rows = await query<AppendRow & { readonly n: number }>(sql => {
      entries = takeEntries();
      const sent = JSON.stringify(entries.map((entry, n) => ({ n, ...entry })));
      return sql`
        with known as (
          select n, "performedDate", status, "taskType", comment, key, a.id as asset_id, a.name as asset_name,
            e.id as employee_id, e.first_name || ' ' || e.last_name as employee_name,
            case when a.id is not null and e.id is not null then nextval('maintenance_log_id_seq') end as new_id
          from json_to_recordset(${sent}::text::json) as entry (
            n int, "assetId" bigint, "employeeId" bigint, "emailFolded" text, "performedDate" timestamp, status text,
            "taskType" text, comment text, key text
          )
          left join asset a on a.id = "assetId"
          left join employee e on e.id = "employeeId" and e.email_folded = "emailFolded"
        ), written as (
          insert into maintenance_log
            (id, performed_date, status, task_type, comment, asset_id, performed_by_employee_id, idempotency_key)
          overriding system value
          select new_id, "performedDate", status, "taskType", comment, asset_id, employee_id, key
          from known where new_id is not null order by n
          on conflict (performed_by_employee_id, idempotency_key) where idempotency_key is not null do nothing
          returning id, performed_date, status, task_type, comment, asset_id
        ), log as (
          select id as new_id, id, performed_date, status, task_type, comment, asset_id, false as replayed from written
          union all
          select k.new_id, l.id, l.performed_date, l.status, l.task_type, l.comment, l.asset_id, true
          from known k join maintenance_log l
            on l.performed_by_employee_id = k.employee_id and l.idempotency_key = k.key
        )
        select k.n, l.id, l.performed_date as "performedDate", l.status, l.task_type as "taskType", l.comment,
          l.asset_id as "assetId", coalesce(a.name, k.asset_name) as "assetName",
          k.employee_id as "performedByEmployeeId", k.employee_name as "performedByName",
          k.asset_id as "assetFound", l.replayed
        from known k left join log l using (new_id) left join asset a on l.replayed and a.id = l.asset_id`;
    });
    return new Map(rows.map(({ n, ...row }) => [entries[n] as Entry, row as AppendRow]));
  });

  /**
   * Waits until what has been read is as safe as what has been written. A log can be seen before a synchronous standby
   * has it, when waiting for that was cut short; the commit of a row lock waits for all that came before.
   */
  async function confirm({ performedByEmployeeId }: MaintenanceLog): Promise<void> {
    await query(sql => sql`select id from employee where id = ${performedByEmployeeId} for key share`);
  }

  /** Active assets own most of the newest logs, as a rule; the window bounds the walk where they do not. */
  const amongNewest = (limit: number, filter: LogFilter) =>
    query(sql => {
      const start = startOf(filter) ?? beforeAll;
      const newest = sql`(
        select id, performed_date, status, task_type, comment, asset_id, performed_by_employee_id
        from maintenance_log l where ${asked(sql, {}, start)} and ${byDate(sql)}
        order by performed_date desc, id desc limit ${activeWindow * limit})`;
      return renderedLogs(
        sql,
        sql`${logs(sql, newest)} where a.active and ${asked(sql, filter, start)}
          order by l.performed_date desc, l.id desc limit ${limit}`,
      );
    });

  /** However few assets are active: one probe for each, then only those that wrote last can have the newest logs. */
  const ofEachActiveAsset = (limit: number, filter: LogFilter) =>
    query(sql => {
      const start = startOf(filter) ?? beforeAll;
      const newestOf = (asset: Fragment, count: number) => sql`
        select performed_date, id from maintenance_log l where l.asset_id = ${asset} and ${asked(sql, filter, start)}
        order by performed_date desc, id desc limit ${count}`;
      return renderedLogs(
        sql,
        sql`
          with wrote_last as (
            select asset.id from asset cross join lateral (${newestOf(sql`asset.id`, 1)}) latest
            where asset.active order by latest.performed_date desc, latest.id desc limit ${limit}
          ), newest as (
            select log.id from wrote_last cross join lateral (${newestOf(sql`wrote_last.id`, limit)}) log
            order by log.performed_date desc, log.id desc limit ${limit}
          )
          ${logs(sql)} where l.id in (select id from newest) order by l.performed_date desc, l.id desc`,
      );
    });

  return {
    async append(assetId, performer, log, key) {
      const { employeeId, email } = performer;
      const { performedDate, status, taskType, comment } = log;
      const facts = { performedDate, status, taskType, comment, key };
      const entry = { assetId, employeeId, emailFolded: foldEmail(email), ...facts };
      for (;;) {
        const outcome = (await appendOne({ ...entry })) as AppendRow;
        if (outcome.performedByEmployeeId === null) throw performerUnknown();
        if (outcome.assetFound === null) throw notFound("Asset");
        // Neither written nor seen: the key's log was committed while this statement waited for it. Now it is seen.
        if (outcome.id === null) continue;
        const { assetFound: _, replayed, ...written } = outcome;
        if (replayed && !isLogOf(written, assetId, log)) throw keyReused();
        if (replayed) await confirm(written);
        return { log: written, replayed };
      }
    },

    async find(id) {
      const log = await findOne(id);
      if (log === undefined) throw notFound("Log");
      return log;
    },

    list,

    async *listOfAsset(assetId, part) {
      const found = () => query(sql => sql`select id from asset where id = ${assetId}`);
      yield* orNotFound(list({ ...part, assetId }), found, "Asset");
    },

    async *listOfPerformer(employeeId, part) {
      const found = () => query(sql => sql`select id from employee where id = ${employeeId}`);
      yield* orNotFound(list({ ...part, employeeId }), found, "Employee");
    },

    async *listOfActiveAssets(limit, filter) {
      const [recent] = await amongNewest(limit, filter);
      const [page] = recent?.rows === limit ? [recent] : await ofEachActiveAsset(limit, filter);
      if (page?.json != null) yield page.json;
    },
  };
}

/** Asks for the list's owner only when there is nothing to list: owners are never deleted, so later is soon enough. */
async function* orNotFound(
  list: JsonList<MaintenanceLog>,
  found: () => Promise<readonly unknown[]>,
  owner: "Asset" | "Employee",
): JsonList<MaintenanceLog> {
  let empty = true;
  for await (const piece of list) {
    empty = false;
    yield piece;
  }
  if (empty && (await found()).length === 0) throw notFound(owner);
}
