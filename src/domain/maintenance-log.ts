import { invalid } from "./error.ts";
import { nonNull, optional, rule, textBetween, type Values, wordOf } from "./field.ts";
import { localDateTime } from "./local-date-time.ts";

export const logStatuses = ["PENDING", "IN_PROGRESS", "COMPLETED", "CANCELLED"] as const;
export type LogStatus = (typeof logStatuses)[number];

export const taskTypes = ["PRODUCTION", "MAINTENANCE", "ERROR"] as const;
export type TaskType = (typeof taskTypes)[number];

/** A maintenance log as clients see it (specification, section 2.8). It never changes. */
export interface MaintenanceLog {
  readonly id: number;
  readonly performedDate: string;
  readonly status: LogStatus;
  readonly taskType: TaskType;
  readonly comment: string;
  readonly assetId: number;
  readonly assetName: string;
  readonly performedByEmployeeId: number;
  readonly performedByName: string;
}

export const readStatus = wordOf(logStatuses, "Invalid status value");
export const readTaskType = wordOf(taskTypes, "Invalid task type value");

/** Body of `POST /assets/{id}/logs` (section 2.9): the performer is never part of it. */
export const newLogFields = {
  performedDate: nonNull("Performed date required", localDateTime()),
  status: nonNull("Status required", readStatus),
  taskType: nonNull("Task type required", readTaskType),
  comment: nonNull("Comment required", textBetween("Comment", 0, 10_000)),
};
export type NewLog = Values<typeof newLogFields>;

const keyFormat = /^[!-~]{1,255}$/;

/**
 * A client's own name for the log that it writes (IETF draft-ietf-httpapi-idempotency-key-header): sent again, it
 * finds that log instead of writing another.
 */
export const readIdempotencyKey = rule(
  { type: "string", pattern: keyFormat.source },
  (sent): string | undefined => {
    if (sent === undefined) return undefined;
    if (typeof sent === "string" && keyFormat.test(sent)) return sent;
    throw invalid("Idempotency-Key must be 1 to 255 visible ASCII characters");
  },
);

/** Whether the log is what a request with these fields would have written. */
export const isLogOf = (log: MaintenanceLog, assetId: number, sent: NewLog): boolean =>
  log.assetId === assetId &&
  log.performedDate === sent.performedDate &&
  log.status === sent.status &&
  log.taskType === sent.taskType &&
  log.comment === sent.comment;

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

/** A part of a list: at most `limit` logs, beginning after the position `before`. */
export interface LogQuery extends LogFilter {
  readonly before?: LogPosition | undefined;
  readonly limit?: number | undefined;
}

/** The position after which a part begins, the end of its period taken into account; undefined for the newest log. */
export function startOf({ before, performedTo }: LogQuery): LogPosition | undefined {
  // Ids begin with 1, so every log of that very moment comes before this position, and so is left out.
  const end = performedTo === undefined ? undefined : { performedDate: performedTo, id: 0 };
  if (before === undefined || end === undefined) return before ?? end;
  return newestFirst(before, end) < 0 ? end : before;
}

/** The order of the lists. Local date-times in their canonical form sort like their text. */
export function newestFirst(a: LogPosition, b: LogPosition): number {
  if (a.performedDate === b.performedDate) return b.id - a.id;
  return a.performedDate > b.performedDate ? -1 : 1;
}

/** The largest number of logs that a client asks for. */
export const readLimit = rule({ type: "integer", minimum: 1, maximum: 1_000 }, (value): number => {
  const limit = typeof value === "string" && /^\d{1,4}$/.test(value) ? Number(value) : 0;
  if (limit < 1 || limit > 1_000) throw invalid("Invalid limit value");
  return limit;
});

export const activeAssetsFields = {
  ...logFilterFields,
  limit: optional(readLimit, 10),
};
