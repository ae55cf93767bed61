import { assetProperties } from "../asset.ts";
import { employeeProperties } from "../employee.ts";
import { logProperties } from "../maintenance-log.ts";
import { id, oneOf, orNull, type Part, type Properties, partOf, type Type, text } from "../record.ts";
import { fromUtf8, TrailError } from "./encoding.ts";

/** The kinds of entries, in the order in which they are numbered: who and what logs are about comes before the logs. */
export const entryKinds = ["employee", "asset", "log"] as const;
export type EntryKind = (typeof entryKinds)[number];

/** What an entry says under one name. */
export interface EntryField<T = unknown> extends Type<T> {
  /** An entry may be without it. */
  readonly isOptional?: true;
}
export type EntryFields = Readonly<Record<string, EntryField>>;

/** What is null of a record is left out, so that entries from before there was such a property keep their bytes. */
const leftOutIfNull = <T>({ schema, is }: Type<T>): EntryField<T> =>
  is(null)
    ? {
        schema,
        is: (value): value is T => value === undefined || (value !== null && is(value)),
        isOptional: true,
      }
    : { schema, is };

type Recorded<P extends Properties> = {
  readonly [Name in keyof Part<P, "recorded">]: P[Name] extends Type<infer T>
    ? EntryField<null extends T ? NonNullable<T> | undefined : T>
    : never;
};

/** The fields of an entry that its record has, too. */
export const recordedOf = <P extends Properties>(properties: P) =>
  Object.fromEntries(
    Object.entries<Type<unknown>>(partOf(properties, "recorded")).map(([name, type]) => [
      name,
      leftOutIfNull(type),
    ]),
  ) as Recorded<P>;

const momentFormat = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const moment: Type<string> = {
  schema: text.schema,
  is: (value): value is string => typeof value === "string" && momentFormat.test(value),
};
/** When the database took the record, in UTC; null for what was there before the trail. */
const recordedAt: EntryField<string | null> = orNull(moment);
/** The employee who asked for the change; null for the operator, and for what was there before the trail. */
const changedBy: EntryField<number | null> = orNull(id);

/** What is signed: the fields of each kind. Those of a log are in the order of the API, and end with what it does not return. */
export const entryFields = {
  log: {
    ...recordedOf(logProperties),
    // At the moment of writing: a later change of name changes what the API shows, never the entry. Null as recordedAt.
    performedByName: orNull(text),
    recordedAt,
    kind: oneOf("log"),
  },
  employee: { ...recordedOf(employeeProperties), changedBy, recordedAt, kind: oneOf("employee") },
  asset: { ...recordedOf(assetProperties), changedBy, recordedAt, kind: oneOf("asset") },
} satisfies Record<EntryKind, EntryFields>;

type Said<F extends EntryFields> = {
  readonly [Name in keyof F]: F[Name] extends EntryField<infer T> ? T : never;
};

/** A maintenance log as it was written. */
export type LogEntry = Said<typeof entryFields.log>;
/** A log, or an employee or asset that was created, or whose role or activity changed. */
export type Entry = LogEntry | Said<typeof entryFields.employee> | Said<typeof entryFields.asset>;

/** Reads the bytes of an entry. Throws TrailError for any others, since two texts of one entry would have two hashes. */
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
  const fields: EntryFields = entryFields[kind];
  for (const name of new Set([...Object.keys(fields), ...Object.keys(said)])) {
    if (!Object.hasOwn(fields, name) || !fields[name]?.is(said[name]))
      throw new TrailError(`has a wrong ${name}`);
  }
  // The canonical form (RFC 8785): names in their order, values as ECMAScript writes them. A text that has a name twice differs
  // from it, too: JSON.parse keeps one of the two.
  if (JSON.stringify(value, Object.keys(fields).sort()) !== text)
    throw new TrailError("is not in the canonical form");
  return value as Entry;
}

/** As `readEntry`, for the entry of a log alone. */
export function readLogEntry(bytes: Uint8Array): LogEntry {
  const entry = readEntry(bytes);
  if (entry.kind !== "log") throw new TrailError("is of an entry that is not a log");
  return entry;
}

/** The fields of a log's entry, in the order in which a log is compared with it. */
export const comparedFields = Object.keys(entryFields.log) as readonly (keyof LogEntry)[];
