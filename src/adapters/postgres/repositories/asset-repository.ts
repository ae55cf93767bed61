import type { AssetRepository } from "../../../application/ports.ts";
import { assetProperties, newAssetFields } from "../../../domain/asset.ts";
import { notFound, tokenRevoked } from "../../../domain/error.ts";
import { listsById } from "../batching/pages.ts";
import type { Database } from "../connection/database.ts";
import { insertionOf, readerOf, selectionOf } from "../connection/rows.ts";
import { sql } from "../connection/statement.ts";
import { withoutDateIndex } from "./log-statements.ts";
import { mayWrite, refuseRevoked } from "./write-check.ts";

const withoutLogDate = selectionOf(assetProperties, { lastLogDate: sql`null` });
const withLogDate = selectionOf(assetProperties, {
  lastLogDate: sql`(select max(performed_date) from maintenance_log l where l.asset_id = asset.id and ${withoutDateIndex})`,
});
const readAsset = readerOf(assetProperties);

export function makeAssetRepository(database: Database): AssetRepository {
  const { query } = database;
  return {
    list: listsById(database, sql`select ${withoutLogDate} from asset`),

    async find(id) {
      const [asset] = await query(sql`select ${withLogDate} from asset where id = ${id}`, readAsset);
      if (asset === undefined) throw notFound("Asset");
      return asset;
    },

    async insert(asset, by) {
      const { columns, values } = insertionOf(newAssetFields, asset);
      const [inserted] = await query(
        sql`
          insert into asset (${columns}, asked_by) select ${values}, ${by.employeeId}::bigint where ${mayWrite(by)}
          returning ${withoutLogDate}`,
        readAsset,
      );
      if (inserted === undefined) throw tokenRevoked();
      return inserted;
    },

    async setActive(id, active, by) {
      const changed = await query(sql`
        update asset set active = ${active}, asked_by = ${by.employeeId}
        where id = ${id} and ${mayWrite(by)} returning id`);
      if (changed.length > 0) return;
      await refuseRevoked(database, by);
      throw notFound("Asset");
    },
  };
}
