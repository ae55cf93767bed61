import type { Database } from "../../src/adapters/postgres/connection/database.ts";
import { makeRepositories } from "../../src/adapters/postgres/repositories/repositories.ts";
import { byAdmin, callerOf } from "./by-admin.ts";
import { anAsset, anEmployee } from "./test-records.ts";

/** The repositories of a database, in which there are from now on an asset and somebody who writes logs. */
export async function stocked(database: Database) {
  const repositories = byAdmin(makeRepositories(database));
  const employee = await repositories.employees.insert(anEmployee());
  const asset = await repositories.assets.insert(anAsset());
  return { ...repositories, employee, performer: callerOf(employee), asset };
}
