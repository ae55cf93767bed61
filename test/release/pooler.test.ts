import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeRepositories } from "../../src/adapters/postgres/repositories/repositories.ts";
import { repositoryContract } from "../contract/repositories.ts";
import { trailContract } from "../contract/trail.ts";
import { connectTo } from "../support/connect-to.ts";
import { openDatabase } from "../support/database.ts";
import { hasPgBouncer, startPgBouncer } from "../support/pgbouncer.ts";
import { runProgram } from "../support/program.ts";
import { secretKey } from "../support/world.ts";

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
  const openBehindPgBouncer = async (mode: "session" | "transaction") => {
    const { url, drop } = await openDatabase();
    const pooler = await startPgBouncer(url, mode);
    return {
      url: pooler.url,
      async close() {
        await pooler.stop();
        await drop();
      },
    };
  };

  describe("PostgreSQL behind PgBouncer that lends connections by the transaction", () => {
    test("is refused by serve and check, with one line that says what to set", async () => {
      const { url, close } = await openBehindPgBouncer("transaction");
      const settings = { DATABASE_URL: url, SECRET_KEY: secretKey, PORT: "0" };
      for (const command of ["serve", "check"]) {
        const { code, stderr } = await runProgram([command], settings);
        assert.equal(code, 1);
        assert.match(
          stderr,
          RegExp(`^${command}: DATABASE_URL leads to a pooler .*pool_mode = session\\)\\n$`),
        );
      }
      await close();
    });
  });

  const open = async () => {
    const { url, close } = await openBehindPgBouncer("session");
    const database = connectTo(url);
    return {
      ...makeRepositories(database),
      async close() {
        await database.close();
        await close();
      },
    };
  };
  const name = "PostgreSQL behind PgBouncer, by the session";
  repositoryContract(name, open);
  trailContract(name, open);
}
