import type { Chunk } from "../../../application/json-list.ts";
import type { MaintenanceLogRepository } from "../../../application/ports.ts";
import { notFound } from "../../../domain/error.ts";
import { type LogPosition, type LogQuery, startOf } from "../../../domain/maintenance-log.ts";
import { FirstRows, pageBytes, pagesOf } from "../batching/pages.ts";
import type { Database } from "../connection/database.ts";
import { ActiveLogs, type ActivePlace } from "./active-logs.ts";
import { type LogPage, readLogPage, type Scope } from "./log-statements.ts";
import type { SharedNames } from "./names.ts";
import { ChunkRoom, chunksOf, idsIn, isUsedUp, type ListBounds } from "./packed-logs.ts";

/** The position before every log. */
const beforeAll: LogPosition = { performedDate: "infinity", id: Number.MAX_SAFE_INTEGER };

const noBounds: ListBounds = { rows: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };

const boundsOf = ({ limit }: LogQuery): ListBounds =>
  limit === undefined ? noBounds : { rows: limit, bytes: pageBytes };

export function makeLogLists(database: Database, names: SharedNames) {
  const firstRows = new FirstRows();
  const activeLogs = new ActiveLogs(database);

  /** @param read a page that begins at a place */
  async function* list<Place>(
    start: Place,
    read: (place: Place, rows: number) => Promise<LogPage<Place> | undefined>,
    bounds: ListBounds,
  ): AsyncGenerator<Chunk<LogPosition>, undefined> {
    const room = new ChunkRoom();
    // Only a part has a bound of bytes. The client of a part needs to know where the next one begins. As a rule one row more tells
    // whether there is one. Where it does not, `next` may lead to an empty part.
    const isPart = Number.isFinite(bounds.bytes);
    const pages = pagesOf(start, read, firstRows, isPart ? bounds.rows + 1 : bounds.rows);
    let left = bounds;
    let isFirst = true;
    for await (const page of pages) {
      if (isFirst && page.rows === 0 && page.missing !== undefined) throw notFound(page.missing);
      isFirst = false;
      const known = await names.of(idsIn(page.logs), page.names);
      for (const chunk of chunksOf(page.logs, known, left)) {
        left = chunk.left;
        const isEnd = (!isPart && isUsedUp(left)) || (chunk.isPageEnd && page.next === undefined);
        yield { content: room.copy(chunk.bytes), next: isEnd ? undefined : chunk.position };
      }
      if (isUsedUp(left)) return;
    }
  }

  const logsOf = (scope: Scope) =>
    list(
      startOf(scope) ?? beforeAll,
      (last, rows) => readLogPage(database, scope, last, rows),
      boundsOf(scope),
    );

  return {
    list: query => logsOf(query),
    listOfAsset: (assetId, query) => logsOf({ ...query, assetId }),
    listOfPerformer: (employeeId, query) => logsOf({ ...query, employeeId }),
    listOfActiveAssets: (filter, limit) =>
      list<ActivePlace>(
        startOf(filter) ?? beforeAll,
        (place, rows) => activeLogs.readPage(filter, limit, place, rows),
        { ...noBounds, rows: limit },
      ),
  } satisfies Partial<MaintenanceLogRepository>;
}
