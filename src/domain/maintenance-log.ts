import { invalid } from "./error.ts";
import { described, nonNull, optional, rule, textBetween, type Values, wordOf } from "./field.ts";
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

export const readStatus = wordOf(logStatuses, "Invalid status value", {
  title: "LogStatus",
  description:
    "How far the work was when the log was written. A log never changes: a later status is another log.",
});
export const readTaskType = wordOf(taskTypes, "Invalid task type value", {
  title: "TaskType",
  description: "What kind of task the log is about.",
});

/** Body of `POST /assets/{id}/logs` (section 2.9): the performer is never part of it. */
export const newLogFields = {
  performedDate: described(
    "When the work was performed: a local date-time without a zone or offset, `YYYY-MM-DDTHH:MM[:SS[.ffffff]]`, on a real calendar day. It means the time on the wall clock; the service stores it as sent and converts it to no time zone. Answers always have the seconds, and a fraction only if it is not zero. Other forms: 400 `Invalid performed date`.",
    nonNull("Performed date required", localDateTime()),
  ),
  status: described(
    "How far the work was. Other words: 400 `Invalid status value`.",
    nonNull("Status required", readStatus),
  ),
  taskType: described(
    "What kind of task it was. Other words: 400 `Invalid task type value`.",
    nonNull("Task type required", readTaskType),
  ),
  comment: described(
    "What was done or found, at most 10,000 characters, stored as sent. It may be empty.",
    nonNull("Comment required", textBetween("Comment", 0, 10_000)),
  ),
};
export type NewLog = Values<typeof newLogFields>;

const keyFormat = /^[!-~]{1,255}$/;

/**
 * A client's own name for the log that it writes (IETF draft-ietf-httpapi-idempotency-key-header): sent again, it
 * finds that log instead of writing another.
 */
export const readIdempotencyKey = rule(
  {
    type: "string",
    pattern: keyFormat.source,
    examples: ["0b9fb5a1-6f2e-4f4e-9d5c-5f1f3f9c1a11"],
    description:
      "Makes it safe to send the request again after a 503, a time-out or a lost connection. A name of the client's choice for this log, a UUID for example: 1 to 255 visible ASCII characters. The service stores it with the log for ever. The same employee sending the same key and body again gets the first answer again, with `Idempotent-Replayed: true`, and no second log is written. The same key with another body or asset: 422.",
  },
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
  status: described(
    "Only logs with this status. Other words: 400 `Invalid status value`.",
    optional(readStatus, undefined),
  ),
  taskType: described(
    "Only logs with this task type. Other words: 400 `Invalid task type value`.",
    optional(readTaskType, undefined),
  ),
  performedFrom: described(
    "Only logs performed at this moment or later (inclusive): a local date-time without a zone, `YYYY-MM-DDTHH:MM[:SS[.ffffff]]`. Other forms: 400 `Invalid performedFrom value`.",
    optional(localDateTime("Invalid performedFrom value"), undefined),
  ),
  performedTo: described(
    "Only logs performed before this moment (exclusive), so that periods that follow each other share no log: a local date-time without a zone, `YYYY-MM-DDTHH:MM[:SS[.ffffff]]`. Other forms: 400 `Invalid performedTo value`.",
    optional(localDateTime("Invalid performedTo value"), undefined),
  ),
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
  limit: described(
    "The number of logs at most, 1 to 1000. While there are more logs the answer has a `Link` header, as the other lists have with `limit`. Other values: 400 `Invalid limit value`.",
    optional(readLimit, 10),
  ),
};
