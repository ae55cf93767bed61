import type { Caller, MaintenanceLogRepository } from "../../../application/ports.ts";
import type { EmailKey } from "../../../domain/employee.ts";
import {
  logProperties,
  type MaintenanceLog,
  type NewLog,
  newLogFields,
} from "../../../domain/maintenance-log.ts";
import { batched } from "../batching/batch.ts";
import { makeConfirmReads } from "../batching/confirm.ts";
import type { Database } from "../connection/database.ts";
import { columnsOf, readerOf, selectionOf } from "../connection/rows.ts";
import { columnOf, listOf, nothing, resultName, sql } from "../connection/statement.ts";
import { fullName } from "./names.ts";
import { isLiveRow } from "./write-check.ts";

/** What was found, and the log that was written or has the key; each is null where there is none. */
type AppendRow = {
  readonly employeeFound: number | null;
  readonly assetFound: number | null;
  readonly isLive: boolean | null;
} & ((MaintenanceLog & { readonly replayed: boolean }) | { readonly id: null; readonly replayed: null });

const checkLog: (row: object) => unknown = readerOf(logProperties);
const readAppended = (row: object): AppendRow => {
  if ((row as AppendRow).id !== null) checkLog(row);
  return row as AppendRow;
};

/** What a client sends of a log, as names of the result (`sent`) and of columns; `logColumns` are those of all properties. */
const sent = listOf(Object.keys(newLogFields).map(resultName));
const sentColumns = listOf(Object.keys(newLogFields).map(columnOf));
const logColumns = columnsOf(logProperties);
const shownLog = selectionOf(
  logProperties,
  { assetName: sql`coalesce(replayed_on.name, k.asset_name)`, performedByName: sql`k.employee_name` },
  sql`l`,
);

/** For logs with a key: a statement without this part costs a twentieth less. `find` does not see what the statement itself writes. */
const keyed = {
  insert: sql`
    on conflict (performed_by_employee_id, idempotency_key) where idempotency_key is not null do nothing`,
  find: sql`
    union all
    select new_id, ${logColumns}, true from (select new_id, employee_id, key from known) as k
    join maintenance_log on performed_by_employee_id = employee_id and idempotency_key = key`,
};
const keyless = { insert: nothing, find: nothing };

/** A log to be written, as it is sent to PostgreSQL. */
interface NewLogRow extends NewLog, Pick<Caller, "employeeId" | "tokenVersion" | "tokenId"> {
  readonly assetId: number;
  readonly emailFolded: EmailKey;
  readonly key: string | undefined;
}

/**
 * If a statement neither wrote nor saw the key's log, the log was committed while the statement waited, or the statement itself wrote
 * it for another call. So the next statement sees it, and there is no need for a third.
 */
const mostStatements = 2;

export function makeAppend({ query }: Database): MaintenanceLogRepository["append"] {
  const confirmReads = makeConfirmReads({ query });
  /**
   * One statement for all: finds asset and performer (by id and email, as a token names both), and writes the log or finds the key's, which
   * may be on another asset; `new_id` joins either to its call. It inserts in the order of the keys: two statements with the same keys
   * wait in one direction only.
   */
  const appendOne = batched({
    query: query<AppendRow>,
    read: readAppended,
    statementFor: (entries: readonly NewLogRow[]) => {
      const json = JSON.stringify(entries.map((entry, n) => ({ n, ...entry })));
      const { insert, find } = entries.some(({ key }) => key !== undefined) ? keyed : keyless;
      return sql`
        with known as (
          select n, ${sent}, key, a.id as asset_id, a.name as asset_name,
            employee.id as employee_id, ${fullName} as employee_name, live.live as is_live,
            case when a.id is not null and live.live then nextval('maintenance_log_id_seq') end as new_id
          from json_to_recordset(${json}::text::json) as entry (
            n int, "assetId" bigint, "employeeId" bigint, "emailFolded" text, "tokenVersion" int,
            "tokenId" text, "performedDate" timestamp, status log_status,
            "taskType" task_type, comment text, key text
          )
          left join asset a on a.id = "assetId"
          left join employee on employee.id = "employeeId" and employee.email_folded = "emailFolded"
          cross join lateral (select ${isLiveRow(sql`"tokenVersion"`, sql`"tokenId"`)} as live) live
        ), written as (
          insert into maintenance_log
            (id, ${sentColumns}, asset_id, performed_by_employee_id, idempotency_key, performed_by_name)
          overriding system value
          select new_id, ${sent}, asset_id, employee_id, key, employee_name
          from known where new_id is not null order by employee_id, key ${insert}
          returning ${logColumns}
        ), log as (
          select id as new_id, ${logColumns}, false as replayed from written ${find}
        )
        select ${shownLog}, l.replayed,
          k.employee_id as "employeeFound", k.asset_id as "assetFound", k.is_live as "isLive"
        from known k left join log l using (new_id) left join asset replayed_on on l.replayed and replayed_on.id = l.asset_id
        order by k.n`;
    },
    resultsOf: rows => rows,
  });

  return async (assetId, performer, newLog, key) => {
    const { employeeId, email, tokenVersion, tokenId } = performer;
    const entry = { ...newLog, assetId, employeeId, emailFolded: email, tokenVersion, tokenId, key };
    for (let n = 1; n <= mostStatements; n += 1) {
      const { employeeFound, assetFound, isLive, replayed, ...log } = await appendOne(entry);
      if (employeeFound === null) return { outcome: "no performer" };
      if (!isLive) return { outcome: "revoked" };
      if (assetFound === null) return { outcome: "no asset" };
      if (log.id === null) continue;
      // Another statement wrote it: a synchronous standby may not have it yet.
      if (replayed) await confirmReads();
      return { outcome: replayed ? "key in use" : "written", log };
    }
    throw new Error("the log of an Idempotency-Key is stored, but the service cannot read it");
  };
}
