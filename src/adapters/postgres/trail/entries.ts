import { assetProperties } from "../../../domain/asset.ts";
import { employeeProperties } from "../../../domain/employee.ts";
import { type Properties, partOf, without } from "../../../domain/record.ts";
import {
  type EntryField,
  type EntryFields,
  type EntryKind,
  entryFields,
  entryKinds,
} from "../../../domain/trail/entry.ts";
import { columnsOf } from "../connection/rows.ts";
import { columnOf, knownWord, listOf, resultName, type Statement, sql } from "../connection/statement.ts";

/** A full name: PostgreSQL 18 looks for the abbreviation UTC among those of the session's time zone first, where it may be another. */
const moment = sql`pg_catalog.to_char(recorded_at at time zone 'Etc/UTC', '"\\""YYYY-MM-DD"T"HH24:MI:SS.US"Z\\""')`;

/** Properties of enum types, whose words need no escape: to escape them takes a sixth of the time of a line. */
const plainWords = ["status", "taskType"];

/** What an entry says under a name, as JSON; null where it is null. */
function jsonOf(name: string, { schema }: EntryField, knownId: Statement): Statement {
  if (name === "id") return knownId;
  if (name === "recordedAt") return moment;
  const isPlain = schema["type"] === "integer" || plainWords.includes(name);
  return isPlain ? columnOf(name) : sql`pg_catalog.to_json(${columnOf(name)})`;
}

/** A line is made of text, and of SQL for what differs from row to row. */
type Piece = string | Statement;

/**
 * Before `kind` a member ends with a comma, and after it a member begins with one, so that each but `kind` can be left out
 * where it is null.
 */
function memberOf(name: string, field: EntryField, kind: string, knownId: Statement): readonly Piece[] {
  if (name === "kind") return [`"kind":"${kind}"`];
  const [before, after] = name < "kind" ? ["", ","] : [",", ""];
  const quote = plainWords.includes(name) ? '"' : "";
  const json = jsonOf(name, field, knownId);
  const value = field.is(null) ? sql`coalesce(${json}::text, 'null')` : json;
  const member = [`${before}"${name}":${quote}`, value, `${quote}${after}`];
  return field.isOptional ? [sql`case when ${json} is not null then ${joined(member)} end`] : member;
}

/** The pieces as one text. Text beside text is one argument, because each argument takes time. */
function joined(pieces: readonly Piece[]): Statement {
  const parts: Piece[] = [];
  for (const piece of pieces) {
    const last = parts.at(-1);
    if (typeof piece === "string" && typeof last === "string") parts.splice(-1, 1, last + piece);
    else parts.push(piece);
  }
  const texts = parts.map(part => (typeof part === "string" ? knownWord(part) : part));
  return sql`pg_catalog.concat(${listOf(texts)})`;
}

/**
 * The rows of a table as the bytes of their entries (domain/trail/entry.ts). PostgreSQL writes strings as RFC 8785 asks for: it
 * escapes the quotation mark, the backslash and control characters only, in the same form. `concat` takes a third of the time of
 * json_build_object. Functions are qualified, because the owner of the schema could put others in their place. Callers add
 * joins and conditions at the end.
 *
 * @param knownId the column of the id by which people know the record: that of the log, employee or asset
 */
export function lineOf(table: Statement, kind: string, fields: EntryFields, knownId: Statement): Statement {
  const names = Object.keys(fields).sort();
  const members = names.flatMap(name => memberOf(name, fields[name] as EntryField, kind, knownId));
  return sql`
    select id, ${knownId} as known_id, recorded_at, ${joined(["{", ...members, "}"])} as line
    from ${table} record`;
}

/** The rows that are records. */
export const tableOf: Readonly<Record<EntryKind, Statement>> = {
  employee: sql`employee_event`,
  asset: sql`asset_event`,
  log: sql`maintenance_log`,
};

export const linesOf: Readonly<Record<EntryKind, Statement>> = {
  employee: lineOf(tableOf.employee, "employee", entryFields.employee, sql`employee_id`),
  asset: lineOf(tableOf.asset, "asset", entryFields.asset, sql`asset_id`),
  log: lineOf(tableOf.log, "log", entryFields.log, sql`id`),
};

/** The columns that the trail covers, without that of the id. */
const stateOf = (properties: Properties): Statement =>
  columnsOf(without(partOf(properties, "recorded") as Properties, "id"));

/** What changes, and the part of its state of which each change is a record. */
export const subjects = [
  { kind: "employee", table: sql`employee`, id: sql`employee_id`, state: stateOf(employeeProperties) },
  { kind: "asset", table: sql`asset`, id: sql`asset_id`, state: stateOf(assetProperties) },
] as const;
export type Subject = (typeof subjects)[number];

/** Indexes are below it. The owner of the tables can drop the constraint, and insert an entry after which no index is left. */
export const indexEnd = 2 ** 52;

/** Another one for each start of a server, and so for a standby that is promoted. */
export const serverStart = sql`pg_postmaster_start_time()::text`;

/** The last id that the sequence has issued, or 0: `last_value` is 1 before the first. The owner of the tables can insert any other id. */
export const lastIssued = (kind: EntryKind): Statement =>
  sql`(select case when is_called then last_value else 0 end from ${tableOf[kind]}_id_seq)`;

/** A column for each kind, by its name. */
export const byKind = (columnFor: (kind: EntryKind) => Statement): Statement =>
  listOf(entryKinds.map(kind => sql`${columnFor(kind)} as ${resultName(kind)}`));

/** The leaf hash of a line (RFC 6962, section 2.1): to hash it in PostgreSQL takes less time than to send it. */
export const leafHash = sql`
  pg_catalog.sha256('\\x00'::bytea operator(pg_catalog.||) pg_catalog.convert_to(line, 'UTF8'))`;
