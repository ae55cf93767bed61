import { connect } from "../../src/adapters/postgres/connection/database.ts";
import { makeRepositories } from "../../src/adapters/postgres/repositories/repositories.ts";
import { openDatabase } from "../support/database.ts";
import { repositoryContract } from "./repositories.ts";
import { trailContract } from "./trail.ts";

const open = async () => {
  const { url, drop } = await openDatabase();
  const database = connect(url);
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
