import { randomBytes } from "node:crypto";
import postgres from "postgres";
import type { PatroniCluster } from "./cluster.ts";

/** Connection URLs over all nodes, or to the hosts that are named. */
export interface ClusterDatabase {
  superuserUrl(hosts?: string): string;
  ownerUrl(hosts?: string): string;
  /** What `serve` is given. */
  serviceUrl(hosts?: string): string;
}

const name = "maintenance";

/** Makes the database and the roles that docs/operations.md asks for. */
export async function prepareDatabase(cluster: PatroniCluster): Promise<ClusterDatabase> {
  const { superuser } = cluster.place.passwords;
  const [owner, service] = [randomBytes(12).toString("hex"), randomBytes(12).toString("hex")];
  const url = cluster.url("postgres", superuser, "postgres");
  // Not the URL's read-write, which a standby claims to be for postgres.js.
  const sql = postgres(url, { max: 1, onnotice: () => {}, target_session_attrs: "primary" });
  try {
    for (const statement of [
      `create role maintenance_owner login password '${owner}'`,
      "create role maintenance_log_service nologin",
      `create role maintenance_serve login password '${service}' in role maintenance_log_service`,
      `create database ${name} owner maintenance_owner`,
    ]) {
      await sql.unsafe(statement);
    }
  } finally {
    await sql.end({ timeout: 1 });
  }
  return {
    superuserUrl: hosts => cluster.url("postgres", superuser, name, hosts),
    ownerUrl: hosts => cluster.url("maintenance_owner", owner, name, hosts),
    serviceUrl: hosts => cluster.url("maintenance_serve", service, name, hosts),
  };
}
