import type { Database } from "../../src/adapters/postgres/connection/database.ts";
import { ownSchema, sql } from "../../src/adapters/postgres/connection/statement.ts";
import { type Protection, presentProtection } from "../../src/adapters/postgres/schema/protection.ts";

/** What protects the records of a database, as sql/protection.ndjson has it. */
export async function protectionText({ query }: Database): Promise<string> {
  const present = await query<Protection>(
    sql`select * from (${presentProtection}) as present order by kind collate "C", place collate "C", name collate "C"`,
  );
  const rights = await query<Protection>(sql`
    with granted as (
      select relname, '' as columns, 0 as at, relacl as acl, relnamespace from pg_class
      union all
      select relname, attname::text, attnum, attacl, relnamespace from pg_attribute join pg_class on pg_class.oid = attrelid
    )
    select 'right' as kind, relname as place, lower(privilege_type) as name, string_agg(columns, ' ' order by at) as definition
    from granted, aclexplode(acl) join pg_roles on pg_roles.oid = grantee
    where rolname = 'maintenance_log_service' and relnamespace = ${ownSchema}
    group by relname, privilege_type order by relname, name`);
  return [...present, ...rights].map(row => `${JSON.stringify(row)}\n`).join("");
}
