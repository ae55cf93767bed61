import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../embedded-postgres.ts";

export interface RunDatabase {
  /** Settings of the program. */
  readonly settings: Readonly<Record<string, string>>;
  /** Where the records are, without a password. */
  readonly place: string;
  readonly isEmbedded: boolean;
  close(): Promise<void>;
}

/** The database of DATABASE_URL if it is set, else PGlite in the data folder. */
export async function openRunDatabase(environment: NodeJS.ProcessEnv, folder: string): Promise<RunDatabase> {
  const { DATABASE_URL: url, DATABASE_URL_FILE: file } = environment;
  if (url !== undefined || file !== undefined) {
    const place = url === undefined ? `in the file ${file}` : url.replace(/^.*@|^\w+:\/\//, "");
    return {
      settings: {},
      place: `the database of DATABASE_URL: ${place}`,
      isEmbedded: false,
      async close() {},
    };
  }
  const path = join(folder, "postgres");
  const { url: ownUrl, close } = await openEmbedded(path, join(folder, "postgres-unfinished"));
  const settings = { DATABASE_URL: ownUrl, DATABASE_DURABILITY: "any" };
  return { settings, place: path, isEmbedded: true, close };
}

/** @param unfinished a file that is there while a new database is made: nobody has written to that one yet */
async function openEmbedded(path: string, unfinished: string): Promise<EmbeddedPostgres> {
  if (existsSync(unfinished)) rmSync(path, { recursive: true, force: true });
  if (!existsSync(path)) {
    console.log("Making a database in PostgreSQL's embedded form; this takes a few seconds.");
    writeFileSync(unfinished, "");
  } else if (!existsSync(join(path, "PG_VERSION"))) {
    // PGlite would make a new database over this one.
    throw cannotOpen(path, "it has no file PG_VERSION");
  }
  try {
    const database = await startEmbeddedPostgres(path);
    rmSync(unfinished, { force: true });
    return database;
  } catch (error) {
    throw cannotOpen(path, `PGlite says: ${(error as Error).message ?? error}`);
  }
}

const cannotOpen = (path: string, reason: string): Error =>
  new Error(
    `the database in ${path} is damaged, or of another version (${reason}). ` +
      `Move ${join(path, "..")} away, and make run begins with an empty one`,
  );
