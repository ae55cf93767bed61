import { type LogStatus, logStatuses, type TaskType, taskTypes } from "../maintenance-log.ts";
import { type Role, roles } from "../role.ts";
import { canonicalJson } from "./canonical-json.ts";
import { fromUtf8, TrailError } from "./encoding.ts";

/** A maintenance log as it was written. Both nulls belong to logs from before the trail. */
export interface LogEntry {
  readonly kind: "log";
  readonly id: number;
  readonly performedDate: string;
  readonly status: LogStatus;
  readonly taskType: TaskType;
  readonly comment: string;
  readonly assetId: number;
  readonly performedByEmployeeId: number;
  /** At the moment of writing; a later change of name changes what the API shows, never the entry. */
  readonly performedByName: string | null;
  /** When the database took the record: UTC, `YYYY-MM-DDTHH:MM:SS.ffffffZ`. */
  readonly recordedAt: string | null;
}

/** An employee who was created, or whose role or activity changed. */
export interface EmployeeEntry {
  readonly kind: "employee";
  readonly id: number;
  readonly role: Role;
  readonly active: boolean;
  /** The id of the employee who asked; null for the operator, and for what was there before the trail. */
  readonly changedBy: number | null;
  readonly recordedAt: string | null;
}

/** An asset that was created, or whose activity changed. */
export interface AssetEntry {
  readonly kind: "asset";
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly active: boolean;
  readonly changedBy: number | null;
  readonly recordedAt: string | null;
}

export type Entry = LogEntry | EmployeeEntry | AssetEntry;

type Check = (value: unknown) => boolean;

const isId: Check = value => Number.isSafeInteger(value) && Number(value) > 0;
const isText: Check = value => typeof value === "string";
const isFlag: Check = value => typeof value === "boolean";
const isMoment: Check = value => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(String(value));
const isNullOr =
  (check: Check): Check =>
  value =>
    value === null || check(value);
const isOneOf =
  (words: readonly string[]): Check =>
  value =>
    words.some(word => word === value);

/** The fields of each kind, in the order in which the API names them; an entry has exactly these. */
const fieldsOf: { readonly [Kind in Entry["kind"]]: Readonly<Record<string, Check>> } = {
  log: {
    id: isId,
    performedDate: isText,
    status: isOneOf(logStatuses),
    taskType: isOneOf(taskTypes),
    comment: isText,
    assetId: isId,
    performedByEmployeeId: isId,
    performedByName: isNullOr(isText),
    recordedAt: isNullOr(isMoment),
  },
  employee: {
    id: isId,
    role: isOneOf(roles),
    active: isFlag,
    changedBy: isNullOr(isId),
    recordedAt: isNullOr(isMoment),
  },
  asset: {
    id: isId,
    name: isText,
    description: isText,
    active: isFlag,
    changedBy: isNullOr(isId),
    recordedAt: isNullOr(isMoment),
  },
};

/** The entry that has these bytes. Throws TrailError when they are not those of an entry. */
export function readEntry(bytes: Uint8Array): Entry {
  const text = fromUtf8(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new TrailError("is not JSON");
  }
  // Also excludes a name that comes twice, of which JSON.parse keeps the last.
  if (canonicalJson(value) !== text) throw new TrailError("is not in the canonical form");
  const { kind, ...fields } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const checks = kind === "log" || kind === "employee" || kind === "asset" ? fieldsOf[kind] : undefined;
  if (checks === undefined) throw new TrailError("is not a log, an employee or an asset");
  for (const name of new Set([...Object.keys(checks), ...Object.keys(fields)])) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (check?.(fields[name]) !== true) throw new TrailError(`has a wrong ${name}`);
  }
  return value as Entry;
}

/** What a log and its entry both say. The API does not answer the last two; a log that has them is compared by them. */
export const comparedFields = [...Object.keys(fieldsOf.log), "kind"] as readonly (keyof LogEntry)[];
