import type { AssetRepository } from "../../../application/ports.ts";
import type { Asset } from "../../../domain/asset.ts";
import { notFound, tokenNotValid } from "../../../domain/error.ts";
import { listsById } from "../batching/pages.ts";
import type { Database } from "../connection/database.ts";
import { sql } from "../connection/statement.ts";
import { askedBy, mayWrite, refuseRevoked } from "./write-check.ts";

export function makeAssetRepository(database: Database): AssetRepository {
  const { query } = database;
  return {
    list: listsById(database, sql`select id, name, description, active, null as "lastLogDate" from asset`),

    async find(id) {
      const [asset] = await query<Asset>(sql`
        select id, name, description, active,
          (select max(performed_date) from maintenance_log where asset_id = asset.id and id > -1) as "lastLogDate"
        from asset where id = ${id}`);
      if (asset === undefined) throw notFound("Asset");
      return asset;
    },

    async insert({ name, description, active }, by) {
      const [asset] = await query<Asset>(sql`
        insert into asset (name, description, active, asked_by)
        select ${name}, ${description}, ${active}::boolean, ${askedBy(by)}::bigint where ${mayWrite(by)}
        returning id, name, description, active, null as "lastLogDate"`);
      if (asset === undefined) throw tokenNotValid();
      return asset;
    },

    async setActive(id, active, by) {
      const changed = await query(sql`
        update asset set active = ${active}, asked_by = ${askedBy(by)}
        where id = ${id} and ${mayWrite(by)} returning id`);
      if (changed.length > 0) return;
      await refuseRevoked(database, by);
      throw notFound("Asset");
    },
  };
}
