import { invalid } from "./error.ts";
import { between, nonNull, optional, text, type Values, wordOf } from "./field.ts";
import { readLocalDateTime } from "./local-date-time.ts";

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

const readStatus = wordOf(logStatuses, "Invalid status value");
const readTaskType = wordOf(taskTypes, "Invalid task type value");

/** Body of `POST /assets/{id}/logs` (section 2.9): the performer is never part of it. */
export const newLogFields = {
  performedDate: nonNull("Performed date required", readLocalDateTime),
  status: nonNull("Status required", readStatus),
  taskType: nonNull("Task type required", readTaskType),
  comment: nonNull("Comment required", value => between("Comment", 0, 10_000, text("Comment", value))),
};
export type NewLog = Values<typeof newLogFields>;

/**
 * A client's own name for the log that it writes (IETF draft-ietf-httpapi-idempotency-key-header): sent again, it
 * finds that log instead of writing another.
 */
export function readIdempotencyKey(sent: unknown): string | undefined {
  if (sent === undefined) return undefined;
  if (typeof sent === "string" && /^[!-~]{1,255}$/.test(sent)) return sent;
  throw invalid("Idempotency-Key must be 1 to 255 visible ASCII characters");
}

/** Whether a log is what these fields, sent again, would have made. */
export const isLogOf = (log: MaintenanceLog, assetId: number, sent: NewLog): boolean =>
  log.assetId === assetId &&
  log.performedDate === sent.performedDate &&
  log.status === sent.status &&
  log.taskType === sent.taskType &&
  log.comment === sent.comment;

/** Queries of the log lists. */
export const statusFilterFields = { status: optional(readStatus, undefined) };
export const logFilterFields = { ...statusFilterFields, taskType: optional(readTaskType, undefined) };
export type LogFilter = Partial<Values<typeof logFilterFields>>;

export const activeAssetsFields = { limit: optional(readLimit, 10) };

function readLimit(value: unknown): number {
  const limit = typeof value === "string" && /^\d{1,4}$/.test(value) ? Number(value) : 0;
  if (limit < 1 || limit > 1_000) throw invalid("Invalid limit value");
  return limit;
}
