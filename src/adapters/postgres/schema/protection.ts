import type { Database } from "../connection/database.ts";
import { ownSchema, type Statement, sql } from "../connection/statement.ts";

/**
 * What protects the records, as the migrations make it: triggers and their functions, constraints, columns, and the
 * rights of the service role. The definitions are as PostgreSQL's own functions print them, the same in 15 to 18.
 */
export interface Protection {
  readonly kind: "table" | "column" | "constraint" | "index" | "sequence" | "function" | "trigger" | "right";
  /** The table that it is on; empty for a function or a sequence. For a right: what the right is to. */
  readonly place: string;
  /** Its name; empty for a table. For a right: the privilege. */
  readonly name: string;
  /** As PostgreSQL prints it. For a right: the columns to which it is limited, with spaces between them; empty if it is not. */
  readonly definition: string;
}

/** What the database has. After `pg_restore --disable-triggers`, a trigger that was `always` is `on`. */
export const presentProtection: Statement = sql`
  select 'table' as kind, relname::text as place, '' as name,
    concat('row security ', relrowsecurity, ', rules ', exists (select from pg_rewrite where ev_class = pg_class.oid)) as definition
  from pg_class where relnamespace = ${ownSchema} and relkind = 'r'
  union all
  select 'column', relname, attname, concat(format_type(atttypid, atttypmod),
    (select ' of ' || string_agg(enumlabel, ' ' order by enumsortorder) from pg_enum where enumtypid = atttypid),
    case when attnotnull then ' not null' end,
    (select ' collate ' || collname::text from pg_collation where pg_collation.oid = attcollation and collname <> 'default'),
    ' ' || pg_get_expr(adbin, adrelid), case when attidentity <> '' then ' identity ' || attidentity::text end)
  from pg_attribute join pg_class on pg_class.oid = attrelid left join pg_attrdef on adrelid = attrelid and adnum = attnum
  where relnamespace = ${ownSchema} and relkind = 'r' and attnum > 0 and not attisdropped
  union all
  select 'constraint', relname, conname, concat(pg_get_constraintdef(pg_constraint.oid, true),
    case when exists (select from pg_trigger where tgconstraint = pg_constraint.oid and tgenabled = 'D') then ' disabled' end)
  from pg_constraint join pg_class on pg_class.oid = conrelid
  where connamespace = ${ownSchema} and contype in ('c', 'f', 'p', 'u')
  union all
  select 'index', relname, indexrelid::regclass::text,
    concat(pg_get_indexdef(indexrelid, 0, true), case when not indisvalid then ' invalid' end)
  from pg_index join pg_class on pg_class.oid = indrelid
  where relnamespace = ${ownSchema} and indisunique
    and not exists (select from pg_constraint where conindid = indexrelid)
  union all
  -- A session that has taken several ids uses them after others have taken, and committed, higher ones.
  select 'sequence', '', relname, concat('cache ', seqcache, ' increment by ', seqincrement, case when not seqcycle then ' no' end, ' cycle')
  from pg_sequence join pg_class on oid = seqrelid where relnamespace = ${ownSchema}
  union all
  select 'function', '', proname, prosrc from pg_proc
  where pronamespace = ${ownSchema} and prorettype = 'trigger'::regtype
  union all
  select 'trigger', relname, tgname, concat(
    case tgenabled when 'A' then 'always' when 'O' then 'on' when 'R' then 'on replicas' else 'off' end, ': ',
    pg_get_triggerdef(pg_trigger.oid, true))
  from pg_trigger join pg_class on pg_class.oid = tgrelid
  where relnamespace = ${ownSchema} and not tgisinternal`;

/** Each expected protection that is missing or differs: in words, and as it has to be. Additional ones are no fault. */
export const protectionFaults = (expected: readonly Protection[]): Statement => sql`
  select concat(what, case when present.definition is null then ' is missing' else ' is not as migrate made it' end) as fault,
    what, kind, place, name, expected.definition
  from json_to_recordset(${JSON.stringify(expected)}::text::json)
    as expected (kind text, place text, name text, definition text)
  cross join concat(kind, ' ', concat_ws(' on ', nullif(name, ''), nullif(place, ''))) as what
  left join (${presentProtection}) as present using (kind, place, name)
  where present.definition is distinct from expected.definition`;

/** The statements that put one back; undefined for what only a person can mend. */
function remedyOf({ kind, place, name, definition }: Protection): string | undefined {
  if (kind === "function")
    return `create or replace function ${name}() returns trigger language plpgsql as $body$${definition}$body$`;
  if (kind === "trigger") {
    const made = definition.replace(/^always: /, "");
    return `drop trigger if exists ${name} on ${place}; ${made}; alter table ${place} enable always trigger ${name}`;
  }
  if (kind === "constraint")
    return `alter table ${place} drop constraint if exists ${name} cascade, add constraint ${name} ${definition}`;
  if (kind === "sequence") return `alter sequence ${name} ${definition}`;
  if (kind === "index") return `drop index if exists ${name}; ${definition}`;
  return undefined;
}

/** Each needs those before it. Keys are listed by the first word of their definition, because a foreign key needs a PRIMARY or UNIQUE one. */
const order = ["sequence", "function", "PRIMARY", "UNIQUE", "constraint", "FOREIGN", "index", "trigger"];
const rankOf = ({ kind, definition }: Protection): number =>
  order.indexOf(/^(PRIMARY|UNIQUE|FOREIGN)/.exec(definition)?.[0] ?? kind);

/**
 * Puts back what is weaker than the migrations made it. As the owner of the tables.
 *
 * @param change runs the statements that put one back, in a transaction that waits for the one of another `migrate`
 * @returns what it put back, in words
 */
export async function putBack(
  { query }: Database,
  expected: readonly Protection[],
  change: (text: string) => Promise<unknown>,
): Promise<string[]> {
  const done = new Set<string>();
  // Twice, because `drop constraint … cascade` of a key also drops the foreign keys that refer to it.
  for (let pass = 0; pass < 2; pass++) {
    const weaker = await query<Protection & { readonly what: string }>(protectionFaults(expected));
    for (const protection of weaker.toSorted((a, b) => rankOf(a) - rankOf(b))) {
      const text = remedyOf(protection);
      if (text === undefined) continue;
      await change(text);
      done.add(protection.what);
    }
  }
  return [...done];
}
