import type { RestoreStore } from "../../application/restoring.ts";
import type { Database } from "./connection/database.ts";
import { type Statement, sql } from "./connection/statement.ts";
import { makeRepositories } from "./repositories/repositories.ts";
import { linesOf } from "./trail/entries.ts";

/** As the owner of the tables. */
export function makeRestoreStore(database: Database): RestoreStore {
  const { query } = database;
  return {
    trail: makeRepositories(database).trail,

    recordHashes: (kind, above) =>
      query(sql`
        select id, pg_catalog.md5(line) as hash from (${linesOf[kind]} where id > ${above} order by id limit 10000) as line`),

    async countSame(kind, records) {
      const [row] = await query<{ same: number }>(sql`
        select count(*)::integer as same
        from json_to_recordset(${JSON.stringify(records)}::text::json) as given(id bigint, hash text)
        join (${linesOf[kind]} where id between ${records[0]?.id ?? 0} and ${records.at(-1)?.id ?? 0}) as line using (id)
        where pg_catalog.md5(line) = hash`);
      return row?.same ?? 0;
    },

    async issued() {
      const [row] = await query<{ issued: string }>(sql`
        select (json_object_agg(sequencename, last_value)::jsonb
          || jsonb_build_object('tokenVersion', (select max(token_version) from employee)))::text as issued
        from pg_sequences where schemaname = current_schema()`);
      return row?.issued ?? "{}";
    },

    // Not atomic: the restored database takes the place of the live one after both, and a restore that stops before is run again.
    // A sequence that has issued nothing takes no setval(0).
    async issueAbove(issued, jump) {
      const given = (name: Statement) => sql`coalesce((${issued}::text::jsonb ->> ${name})::bigint, 0)`;
      await query(sql`
        update employee set surviving_token_id = null,
          token_version = 1 + ${jump} + greatest(${given(sql`'tokenVersion'`)}, (select max(token_version) from employee)),
          tokens_valid_from = greatest(tokens_valid_from, floor(extract(epoch from now())) + 1)`);
      await query(sql`
        select setval(quote_ident(sequencename)::regclass, ${jump} + last)
        from pg_sequences, greatest(last_value, ${given(sql`sequencename`)}) as last
        where schemaname = current_schema() and ${jump} + last > 0`);
    },
  };
}
