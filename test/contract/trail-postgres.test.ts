import { connect } from "../../src/adapters/postgres/connection/database.ts";
import { makeRepositories } from "../../src/adapters/postgres/repositories/repositories.ts";
import { openDatabase } from "../support/database.ts";
import { trailContract } from "./trail.ts";

trailContract("PostgreSQL", async () => {
  const { url, drop } = await openDatabase();
  const database = connect(url);
  return {
    ...makeRepositories(database),
    async close() {
      await database.close();
      await drop();
    },
  };
});
