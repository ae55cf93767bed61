import type { LogList, MaintenanceLogRepository } from "../../../application/ports.ts";
import { notFound } from "../../../domain/error.ts";
import { type LogPosition, startOf } from "../../../domain/maintenance-log.ts";
import { Care, pageBytes, pagesOf } from "../batching/pages.ts";
import type { Database } from "../connection/database.ts";
import { type Place, readLogPage, type Scope } from "./log-statements.ts";
import type { SharedNames } from "./names.ts";
import { makeCopier } from "./packed-logs.ts";

/** The position before every log. */
const beforeAll: LogPosition = { performedDate: "infinity", id: Number.MAX_SAFE_INTEGER };

export function makeLogLists(database: Database, names: SharedNames) {
  const care = new Care();
  /** @param isPart whether the list ends after the bytes of a page, too */
  async function* list(scope: Scope, limit = scope.limit, isPart = limit !== undefined): LogList {
    let left = limit ?? Number.POSITIVE_INFINITY;
    let room = isPart ? pageBytes : Number.POSITIVE_INFINITY;
    let isFirst = true;
    const copy = makeCopier();
    // One more than is wanted tells whether there are more.
    const pages = pagesOf(
      startOf(scope) ?? beforeAll,
      (last: Place, rows) => readLogPage(database, names, scope, last, rows),
      care,
      left + 1,
    );
    for await (const { rows, next, logs, names: known, missing } of pages) {
      if (isFirst && rows === 0 && next === undefined && missing !== undefined) throw notFound(missing);
      isFirst = false;
      do {
        const nameless = { assets: new Set<number>(), performers: new Set<number>() };
        const rendered = logs.render(known, nameless, copy, left, room);
        if (rendered === undefined) {
          await names.read(known, nameless);
          continue;
        }
        left -= rendered.rows;
        room -= rendered.json.length;
        yield { json: rendered.json, next: logs.isRendered ? next : logs.position };
        if (left === 0 || room <= 0) return;
      } while (!logs.isRendered);
    }
  }

  return {
    list,
    listOfAsset: (assetId, part) => list({ ...part, assetId }),
    listOfPerformer: (employeeId, part) => list({ ...part, employeeId }),
    listOfActiveAssets: (filter, limit) => list({ ...filter, ofActiveAssets: true }, limit, false),
  } satisfies Partial<MaintenanceLogRepository>;
}
