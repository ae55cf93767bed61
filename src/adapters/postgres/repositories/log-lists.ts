import type { LogList, MaintenanceLogRepository } from "../../../application/ports.ts";
import { notFound } from "../../../domain/error.ts";
import { type LogPosition, startOf } from "../../../domain/maintenance-log.ts";
import { firstRows, mostPageBytes, type ReadAfter, readFitting, wholeList } from "../batching/pages.ts";
import type { Database } from "../connection/database.ts";
import { sql } from "../connection/statement.ts";
import { type LogPage, readLogPage, type Scope } from "./log-statements.ts";
import { ListMemory } from "./packed-logs.ts";

type LogLists = Pick<
  MaintenanceLogRepository,
  "list" | "listOfAsset" | "listOfPerformer" | "listOfActiveAssets"
>;

/** The position before every log. */
const beforeAll: LogPosition = { performedDate: "infinity", id: Number.MAX_SAFE_INTEGER };

export function makeLogLists(database: Database): LogLists {
  const { query } = database;

  function list(scope: Scope): LogList {
    const start = startOf(scope) ?? beforeAll;
    const memory = new ListMemory();
    const read = (last: LogPosition, limit: number) => readLogPage(database, scope, last, limit, memory);
    return scope.limit === undefined
      ? wholeList(start, read, firstRows)
      : partOfList(start, read, scope.limit);
  }

  return {
    list,

    listOfAsset(assetId, part) {
      const found = () => query(sql`select id from asset where id = ${assetId}`);
      return orNotFound(list({ ...part, assetId }), found, "Asset");
    },

    listOfPerformer(employeeId, part) {
      const found = () => query(sql`select id from employee where id = ${employeeId}`);
      return orNotFound(list({ ...part, employeeId }), found, "Employee");
    },

    listOfActiveAssets: part => list({ ...part, ofActiveAssets: true }),
  };
}

/** At most so many logs, and no more than one after the bytes of a page. */
async function* partOfList(
  start: LogPosition,
  read: ReadAfter<LogPosition, LogPage>,
  wanted: number,
): LogList {
  let [last, left, room] = [start, wanted, mostPageBytes];
  // One more than is wanted tells whether there are more.
  let limit = wanted + 1;
  for (;;) {
    const { logs, rows, next: end } = await readFitting(read, last, limit);
    const { json, rows: rendered } = logs.render(room, left);
    const next = rendered < rows ? logs.position : end;
    yield { json, next };
    left -= rendered;
    room -= json.length;
    if (next === undefined || rendered < rows || left === 0 || room <= 0) return;
    last = next;
    const sent = wanted - left;
    // As many as there is room for, judging by those that were read.
    limit = sent === 0 ? wanted + 1 : Math.min(left, Math.ceil((room * sent) / (mostPageBytes - room))) + 1;
  }
}

/** Asks for the list's owner only when there is nothing to list: owners are never deleted, so later is soon enough. */
async function* orNotFound(
  list: LogList,
  found: () => Promise<readonly unknown[]>,
  owner: "Asset" | "Employee",
): LogList {
  let isEmpty = true;
  for await (const piece of list) {
    isEmpty &&= piece.json.length === 0;
    if (isEmpty && piece.next === undefined && (await found()).length === 0) throw notFound(owner);
    yield piece;
  }
}
