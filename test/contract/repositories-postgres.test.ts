import { makeRepositories } from "../../src/adapters/postgres/repositories/repositories.ts";
import { connectTo } from "../support/connect-to.ts";
import { openDatabase } from "../support/database.ts";
import { repositoryContract } from "./repositories.ts";
import { trailContract } from "./trail.ts";

const open = async () => {
  const { url, drop } = await openDatabase();
  const database = connectTo(url);
  return {
    ...makeRepositories(database),
    async close() {
      await database.close();
      await drop();
    },
  };
};

repositoryContract("PostgreSQL", open);
trailContract("PostgreSQL", open);
