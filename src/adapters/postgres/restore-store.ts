import type { Issued, RestoreStore } from "../../application/restoring.ts";
import type { Database } from "./connection/database.ts";
import { ownSchema, sql } from "./connection/statement.ts";
import { makeRepositories } from "./repositories/repositories.ts";
import { linesOf } from "./trail/entries.ts";

/** As the owner of the tables. */
export function makeRestoreStore(database: Database): RestoreStore {
  const { query } = database;
  return {
    trail: makeRepositories(database).trail,

    hasDatabase: async name =>
      (await query(sql`select 1 from pg_database where datname = ${name}`)).length > 0,

    hasTables: async () =>
      (await query(sql`select 1 from pg_class where relnamespace = ${ownSchema} and relkind = 'r' limit 1`))
        .length > 0,

    hashes: (kind, above, upTo) =>
      query(sql`
        select id, pg_catalog.md5(line) as hash
        from (${linesOf[kind]} where id > ${above} and id <= ${upTo} order by id limit 10000) as line`),

    async newestCheckpoints() {
      const found = await query<{ note: string }>(
        sql`select coalesce(note, '') as note from trail_checkpoint order by id desc limit 100`,
      );
      return found.map(({ note }) => note);
    },

    analyze: () => query(sql`analyze`),

    async issued() {
      const [row] = await query<{ ids: string; tokenVersion: number }>(sql`
        select (
          select json_object_agg(sequencename, coalesce(last_value, 0)) from pg_sequences where schemaname = current_schema()
        )::text as ids, (select coalesce(max(token_version), 0) from employee) as "tokenVersion"`);
      const { ids, tokenVersion } = row as NonNullable<typeof row>;
      return { ids: JSON.parse(ids) as Issued["ids"], tokenVersion };
    },

    async issueAbove({ ids, tokenVersion }) {
      await query(sql`
        update employee set surviving_token_id = null,
          token_version = 1 + greatest(${tokenVersion}::integer, (select max(token_version) from employee)),
          tokens_valid_from = greatest(tokens_valid_from, floor(extract(epoch from now())) + 1)`);
      await query(sql`
        select setval(quote_ident(sequencename)::regclass, last)
        from pg_sequences, greatest(last_value, (${JSON.stringify(ids)}::text::json ->> sequencename)::bigint) as last
        where schemaname = current_schema() and last > 0`);
    },
  };
}
