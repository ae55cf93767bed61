import { logStatuses, type MaintenanceLog, taskTypes } from "../maintenance-log.ts";
import { canonicalJson } from "./canonical-json.ts";
import { fromUtf8, TrailError } from "./encoding.ts";

/** A maintenance log as it was written. Both nulls belong to logs from before the trail. */
export interface LogEntry extends Omit<MaintenanceLog, "assetName" | "performedByName"> {
  readonly kind: "log";
  /** At the moment of writing; a later change of name changes what the API shows, never the entry. */
  readonly performedByName: string | null;
  /** When the database took the record: UTC, `YYYY-MM-DDTHH:MM:SS.ffffffZ`. */
  readonly recordedAt: string | null;
}

type Check = (value: unknown) => boolean;

const isId: Check = value => Number.isSafeInteger(value) && Number(value) > 0;
const isText: Check = value => typeof value === "string";
const isMoment: Check = value => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(String(value));
const isNullOr =
  (check: Check): Check =>
  value =>
    value === null || check(value);
const isOneOf =
  (words: readonly string[]): Check =>
  value =>
    words.some(word => word === value);

/** In the order in which the API names them; an entry of a log has exactly these, and its kind. */
const fields: Readonly<Record<string, Check>> = {
  id: isId,
  performedDate: isText,
  status: isOneOf(logStatuses),
  taskType: isOneOf(taskTypes),
  comment: isText,
  assetId: isId,
  performedByEmployeeId: isId,
  performedByName: isNullOr(isText),
  recordedAt: isNullOr(isMoment),
};

/** The log's entry that has these bytes. Throws TrailError when they are not those of one. */
export function readLogEntry(bytes: Uint8Array): LogEntry {
  const text = fromUtf8(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new TrailError("is not JSON");
  }
  // Also excludes a name that comes twice, of which JSON.parse keeps the last.
  if (canonicalJson(value) !== text) throw new TrailError("is not in the canonical form");
  const { kind, ...said } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (kind !== "log") throw new TrailError("is of an entry that is not a log");
  for (const name of new Set([...Object.keys(fields), ...Object.keys(said)])) {
    const check = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (check?.(said[name]) !== true) throw new TrailError(`has a wrong ${name}`);
  }
  return value as LogEntry;
}

/** What a log and its entry both say. The API does not answer the last two; a log that has them is compared by them. */
export const comparedFields = [...Object.keys(fields), "kind"] as readonly (keyof LogEntry)[];
