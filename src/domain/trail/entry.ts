import { logStatuses, taskTypes } from "../maintenance-log.ts";
import { roles } from "../role.ts";
import { fromUtf8, TrailError } from "./encoding.ts";

/** The kinds of entries, in the order in which they are numbered: who and what logs are about comes before the logs. */
export const entryKinds = ["employee", "asset", "log"] as const;
export type EntryKind = (typeof entryKinds)[number];

type Check<T> = (value: unknown) => value is T;

const isId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;
const isText = (value: unknown): value is string => typeof value === "string" && value.isWellFormed();
const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";
const isMoment = (value: unknown): value is string =>
  isText(value) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(value);
const isNullOr =
  <T>(check: Check<T>) =>
  (value: unknown): value is T | null =>
    value === null || check(value);
const isOneOf =
  <const Words extends readonly string[]>(words: Words) =>
  (value: unknown): value is Words[number] =>
    words.some(word => word === value);

/** The employee who asked for the change; null for the operator. */
const changedBy = isNullOr(isId);
/** When the database took the record, in UTC; null for what was there before the trail. */
const recordedAt = isNullOr(isMoment);

/** What the states of employees and of assets have in common. */
const ofState = { id: isId, active: isBoolean, changedBy, recordedAt };

/** What is signed: the fields of each kind. Those of a log are in the order of the API, and end with what it does not return. */
const fieldsOf = {
  log: {
    id: isId,
    performedDate: isText,
    status: isOneOf(logStatuses),
    taskType: isOneOf(taskTypes),
    comment: isText,
    assetId: isId,
    performedByEmployeeId: isId,
    // At the moment of writing: a later change of name changes what the API shows, never the entry. Null as recordedAt.
    performedByName: isNullOr(isText),
    recordedAt,
    kind: isOneOf(["log"]),
  },
  employee: { ...ofState, role: isOneOf(roles), kind: isOneOf(["employee"]) },
  asset: { ...ofState, name: isText, description: isText, kind: isOneOf(["asset"]) },
} satisfies Record<EntryKind, Readonly<Record<string, Check<unknown>>>>;

type Fields<Checks> = { readonly [F in keyof Checks]: Checks[F] extends Check<infer T> ? T : never };

/** A maintenance log as it was written. */
export type LogEntry = Fields<typeof fieldsOf.log>;
/** A log, or an employee or asset that was created, or whose role or activity changed. */
export type Entry = LogEntry | Fields<typeof fieldsOf.employee> | Fields<typeof fieldsOf.asset>;

/** The entry that has these bytes. Throws TrailError when they are not those of one. */
export function readEntry(bytes: Uint8Array): Entry {
  const text = fromUtf8(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new TrailError("is not JSON");
  }
  const said = Object(value) as Readonly<Record<string, unknown> & { kind: unknown }>;
  const kind = entryKinds.find(known => known === said.kind);
  if (kind === undefined) throw new TrailError("is of an entry of an unknown kind");
  const fields: Readonly<Record<string, Check<unknown>>> = fieldsOf[kind];
  for (const name of new Set([...Object.keys(fields), ...Object.keys(said)])) {
    if (!Object.hasOwn(fields, name) || !fields[name]?.(said[name]))
      throw new TrailError(`has a wrong ${name}`);
  }
  // RFC 8785: names in their order, values as ECMAScript writes them. A name that comes twice is excluded with it, of which
  // JSON.parse keeps the last.
  if (JSON.stringify(value, Object.keys(fields).sort()) !== text)
    throw new TrailError("is not in the canonical form");
  return value as Entry;
}

/** The same of a log's entry. */
export function readLogEntry(bytes: Uint8Array): LogEntry {
  const entry = readEntry(bytes);
  if (entry.kind !== "log") throw new TrailError("is of an entry that is not a log");
  return entry;
}

/** What a log and its entry both say. */
export const comparedFields = Object.keys(fieldsOf.log) as readonly (keyof LogEntry)[];
