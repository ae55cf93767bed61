import { invalid } from "./error.ts";
import { isAbsent, optional, required, rule, textBetween, type Values, wordOf } from "./field.ts";
import { localDateTime } from "./local-date-time.ts";
import { allRecorded, computed, id, type RecordOf, recorded, text } from "./record.ts";

export const logStatuses = ["PENDING", "IN_PROGRESS", "COMPLETED", "CANCELLED"] as const;
export const taskTypes = ["PRODUCTION", "MAINTENANCE", "ERROR"] as const;

export const readStatus = wordOf(logStatuses, "Invalid status value");
export const readTaskType = wordOf(taskTypes, "Invalid task type value");

/** Body of `POST /assets/{id}/logs`: the performer is never part of it. */
export const newLogFields = {
  performedDate: required("Performed date required", localDateTime("Invalid performed date")),
  status: required("Status required", readStatus),
  taskType: required("Task type required", readTaskType),
  comment: required("Comment required", textBetween("Comment", 0, 10_000), isAbsent),
};
export type NewLog = Values<typeof newLogFields>;

/** A maintenance log as clients see it. It never changes. */
export const logProperties = {
  id: recorded(id),
  ...allRecorded(newLogFields),
  assetId: recorded(id),
  assetName: computed(text),
  performedByEmployeeId: recorded(id),
  /** The name now. The table and the trail keep another value: the name when the log was written. */
  performedByName: computed(text),
};
export type MaintenanceLog = RecordOf<typeof logProperties>;

const keyFormat = /^[!-~]{1,255}$/;

/**
 * A client's own name for the log that it writes (IETF draft-ietf-httpapi-idempotency-key-header): sent again, it
 * finds that log instead of writing another.
 */
const readIdempotencyKey = rule({ type: "string", pattern: keyFormat.source }, (sent): string => {
  if (typeof sent === "string" && keyFormat.test(sent)) return sent;
  throw invalid("Idempotency-Key must be 1 to 255 visible ASCII characters");
});
export const writeLogHeaders = { "Idempotency-Key": optional(readIdempotencyKey, undefined) };

/** Whether the log is what a request with these fields would have written. */
export const isLogOf = (log: MaintenanceLog, assetId: number, sent: NewLog): boolean =>
  log.assetId === assetId &&
  (Object.keys(newLogFields) as (keyof NewLog)[]).every(name => log[name] === sent[name]);

/** Query parameters of all log lists. The period includes `performedFrom` and excludes `performedTo`. */
export const logFilterFields = {
  status: optional(readStatus, undefined),
  taskType: optional(readTaskType, undefined),
  performedFrom: optional(localDateTime("Invalid performedFrom value"), undefined),
  performedTo: optional(localDateTime("Invalid performedTo value"), undefined),
};
export type LogFilter = Partial<Values<typeof logFilterFields>>;

/** The position of a log in the lists, which are newest first. It never changes. */
export type LogPosition = Pick<MaintenanceLog, "performedDate" | "id">;

/** A list, or a page of it: at most `limit` logs, beginning after the position `before`. */
export interface LogQuery extends LogFilter {
  readonly before?: LogPosition | undefined;
  readonly limit?: number | undefined;
}

/** The position after which a list begins, the end of its period taken into account; undefined for the newest log. */
export function startOf({ before, performedTo }: LogQuery): LogPosition | undefined {
  // Ids begin with 1, so every log of that very moment comes before this position, and so is left out.
  const end = performedTo === undefined ? undefined : { performedDate: performedTo, id: 0 };
  if (before === undefined || end === undefined) return before ?? end;
  return compareNewestFirst(before, end) < 0 ? end : before;
}

/** The order of the lists. Local date-times in their canonical form sort like their text. */
export function compareNewestFirst(a: LogPosition, b: LogPosition): number {
  if (a.performedDate === b.performedDate) return b.id - a.id;
  return a.performedDate > b.performedDate ? -1 : 1;
}

/** How many logs a client asks for: a whole number from 1. */
const countUpTo = (maximum?: number) =>
  rule({ type: "integer", minimum: 1, ...(maximum && { maximum }) }, (value): number => {
    const count = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : 0;
    if (count < 1 || count > (maximum ?? count)) throw invalid("Invalid limit value");
    return count;
  });

/** Of a page. */
export const readLimit = countUpTo(1_000);

export const activeAssetsFields = { ...logFilterFields, limit: optional(countUpTo(), 10) };
