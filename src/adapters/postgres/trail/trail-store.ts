import type { TrailStore } from "../../../application/trail/ports.ts";
import type { Database } from "../connection/database.ts";
import { makeCheckpoints } from "./checkpoints.ts";
import { makeLedger } from "./ledger.ts";
import { makeTrailRecords } from "./records.ts";

export const makeTrailStore = (database: Database): TrailStore => ({
  ledger: makeLedger(database),
  records: makeTrailRecords(database),
  checkpoints: makeCheckpoints(database),
});
