import { describe, test } from "node:test";
import { commandLimits, connect, serviceLimits } from "../../src/adapters/postgres/connection/database.ts";
import { script } from "../../src/adapters/postgres/connection/statement.ts";
import { makeRepositories } from "../../src/adapters/postgres/repositories/repositories.ts";
import { repositoryContract } from "../contract/repositories.ts";
import { trailContract } from "../contract/trail.ts";
import { openDatabase } from "../support/database.ts";
import { hasPgBouncer, startPgBouncer } from "../support/pgbouncer.ts";

/** Why it cannot be tried here. */
function obstacle(): string | undefined {
  if (process.env["TEST_SERVER_URL"] === undefined) return "the embedded PostgreSQL has but one connection";
  return hasPgBouncer() ? undefined : "this machine has no pgbouncer";
}

const reason = obstacle();
if (reason !== undefined) {
  describe("PostgreSQL behind PgBouncer", () => {
    test("is not tried", t => t.skip(reason));
  });
} else {
  // Ten connections of the service share two of PostgreSQL.
  const open = async () => {
    const { url, drop } = await openDatabase();
    // The pooler would refuse a client that sets it for its session.
    const owner = connect(url, commandLimits);
    await owner.query(script(`alter database ${new URL(url).pathname.slice(1)} set bytea_output = escape`));
    await owner.close();
    const pooler = await startPgBouncer(url);
    const database = connect(pooler.url, serviceLimits, false);
    return {
      ...makeRepositories(database),
      async close() {
        await database.close();
        await pooler.stop();
        await drop();
      },
    };
  };
  const name = "PostgreSQL behind PgBouncer, by the transaction, unprepared";
  repositoryContract(name, open);
  trailContract(name, open);
}
