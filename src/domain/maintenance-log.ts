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
