import { logStatuses, type MaintenanceLog, taskTypes } from "../maintenance-log.ts";
import { type Role, roles } from "../role.ts";
import { canonicalJson } from "./canonical-json.ts";
import { fromUtf8, TrailError } from "./encoding.ts";

/** The kinds of entries, in the order in which they are numbered: who and what logs are about comes before the logs. */
export const entryKinds = ["employee", "asset", "log"] as const;
export type EntryKind = (typeof entryKinds)[number];

/** When the database took the record: UTC, `YYYY-MM-DDTHH:MM:SS.ffffffZ`; null for a log from before the trail. */
type Moment = string | null;

/** A maintenance log as it was written. */
export interface LogEntry extends Omit<MaintenanceLog, "assetName" | "performedByName"> {
  readonly kind: "log";
  /** At the moment of writing: a later change of name changes what the API shows, never the entry. Null as recordedAt. */
  readonly performedByName: string | null;
  readonly recordedAt: Moment;
}

/** An employee who was created, or whose role or activity changed. */
export interface EmployeeEntry {
  readonly kind: "employee";
  readonly id: number;
  readonly role: Role;
  readonly active: boolean;
  /** The employee who asked for the change; null for the operator. */
  readonly changedBy: number | null;
  readonly recordedAt: Moment;
}

/** An asset that was created, or whose activity changed. */
export interface AssetEntry {
  readonly kind: "asset";
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly active: boolean;
  readonly changedBy: number | null;
  readonly recordedAt: Moment;
}

export type Entry = LogEntry | EmployeeEntry | AssetEntry;

type Check = (value: unknown) => boolean;

const isId: Check = value => Number.isSafeInteger(value) && Number(value) > 0;
const isText: Check = value => typeof value === "string";
const isBoolean: Check = value => typeof value === "boolean";
const isMoment: Check = value => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(String(value));
const isNullOr =
  (check: Check): Check =>
  value =>
    value === null || check(value);
const isOneOf =
  (words: readonly string[]): Check =>
  value =>
    words.some(word => word === value);

/** What is signed: the fields of each kind, besides the kind itself; those of a log in the order of the API. */
const fieldsOf: { readonly [K in EntryKind]: Readonly<Record<string, Check>> } = {
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
    active: isBoolean,
    changedBy: isNullOr(isId),
    recordedAt: isNullOr(isMoment),
  },
  asset: {
    id: isId,
    name: isText,
    description: isText,
    active: isBoolean,
    changedBy: isNullOr(isId),
    recordedAt: isNullOr(isMoment),
  },
};

/** The entry that has these bytes. Throws TrailError when they are not those of one. */
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
  const { kind, ...said } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const fields = entryKinds.some(known => known === kind) ? fieldsOf[kind as EntryKind] : undefined;
  if (fields === undefined) throw new TrailError("is of an entry of an unknown kind");
  for (const name of new Set([...Object.keys(fields), ...Object.keys(said)])) {
    const check = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (check?.(said[name]) !== true) throw new TrailError(`has a wrong ${name}`);
  }
  return value as Entry;
}

/** The same of a log's entry. */
export function readLogEntry(bytes: Uint8Array): LogEntry {
  const entry = readEntry(bytes);
  if (entry.kind !== "log") throw new TrailError("is of an entry that is not a log");
  return entry;
}

/** What a log and its entry both say. The API does not answer the last two; a log that has them is compared by them. */
export const comparedFields = [...Object.keys(fieldsOf.log), "kind"] as readonly (keyof LogEntry)[];
