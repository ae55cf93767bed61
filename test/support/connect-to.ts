import { connect, type Database } from "../../src/adapters/postgres/connection/database.ts";
import { readDatabaseUrl } from "../../src/adapters/postgres/connection/database-url.ts";

/** What `connect` takes after the URL. */
export type Further = typeof connect extends (url: never, ...further: infer Rest) => unknown ? Rest : never;

/** Connects as a DATABASE_URL of this text says. */
export const connectTo = (url: string, ...further: Further): Database =>
  connect(readDatabaseUrl(url), ...further);
