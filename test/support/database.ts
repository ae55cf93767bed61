import { randomBytes } from "node:crypto";
import { appendFileSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { startEmbeddedPostgres } from "../../dev/embedded-postgres.ts";
import { commandLimits, type Database } from "../../src/adapters/postgres/connection/database.ts";
import { migrate, readSchema } from "../../src/adapters/postgres/schema/migrations.ts";
import { connectTo, type Further } from "./connect-to.ts";
import { assertGivenBack } from "./given-back.ts";
import { closeAtEnd } from "./left-open.ts";
import { urlOf } from "./native-postgres.ts";
import { until } from "./until.ts";

export const schema = readSchema();

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  /** Its own, as SQL writes it. */
  readonly name: string;
  /** Roles and users are real here; the embedded database has one user for everybody. */
  readonly hasUsers: boolean;
  /** As the service connects, until the end of the database. */
  connect(...limits: Further): Database;
  /** One session of its owner by the driver itself, until then too. */
  session(options?: Parameters<typeof postgres>[1]): postgres.Sql;
  /** Fails where another connection to it stays open. */
  assertUnconnected(): Promise<void>;
  /** Fails there, too. */
  drop(): Promise<void>;
}

/** A database of its own for one test file, without any tables. */
export async function openEmptyDatabase(template?: string): Promise<TestDatabase> {
  const serverUrl = process.env["TEST_SERVER_URL"];
  const evidence = process.env["TEST_EVIDENCE"];
  if (evidence !== undefined) appendFileSync(evidence, "a database was opened\n");
  return serverUrl === undefined ? openEmbedded() : openOnServer(serverUrl, template);
}

/**
 * A database of its own for one test file, with the present schema: a copy of the one that the run has migrated, which
 * takes a third of the time. There is none where a fault is planted in a migration.
 */
export async function openDatabase(): Promise<TestDatabase> {
  const template = process.env["TEST_TEMPLATE"];
  if (template !== undefined) return openEmptyDatabase(template);
  // One after the other: an embedded one takes up the process that it starts in, and others would miss their deadlines.
  const opening = lastOpening.then(async () => migrated(await openEmptyDatabase()));
  lastOpening = opening.catch(() => {});
  // Of this call alone: by its promise node:test knows the suite that goes on with it.
  return await opening;
}
let lastOpening: Promise<unknown> = Promise.resolve();

/** The database that TEST_TEMPLATE of the files of a run names. */
export const openTemplate = async (serverUrl: string): Promise<TestDatabase> =>
  migrated(await openOnServer(serverUrl));

/** As the migrations make it: nothing is put back from sql/protection.ndjson, which would hide what they do otherwise. */
async function migrated(database: TestDatabase): Promise<TestDatabase> {
  const owner = connectTo(database.url, commandLimits);
  await migrate(owner, { ...schema, protection: [] });
  await owner.close();
  return database;
}

/** Waits until so many sessions wait for a lock in the database of this one, which may have a transaction open. */
export const untilWaiting = (session: postgres.Sql, count = 1) =>
  until(async () => {
    // Other tests have databases on the same server.
    const waiting = await session`
      select distinct pid from pg_locks where not granted and pid in (
        select pid from pg_locks where database = (select oid from pg_database where datname = current_database()))`;
    return waiting.length === count;
  });

/** A copy of a cluster that was made beforehand starts ten times as fast as a new one. */
async function openEmbedded(): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), "maintenance-log-embedded-"));
  const template = process.env["TEST_EMBEDDED_TEMPLATE"];
  if (template !== undefined) cpSync(template, folder, { recursive: true });
  const { url, close } = await startEmbeddedPostgres(folder);
  const end = async () => {
    await close();
    rmSync(folder, { recursive: true });
  };
  return testDatabase({ url, hasUsers: false, assertUnconnected: async () => {} }, end);
}

async function openOnServer(serverUrl: string, template?: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  const server = postgres(serverUrl, { max: 1, fetch_types: false, onnotice: () => {} });
  await server.unsafe(`create database ${name}${template === undefined ? "" : ` template ${template}`}`);
  const end = async () => {
    await server.unsafe(`drop database ${name} with (force)`);
    await server.end();
  };
  const assertUnconnected = () =>
    assertGivenBack(
      "connections to a database that is done with",
      () => server`select application_name, state, query from pg_stat_activity where datname = ${name}`,
    );
  return testDatabase({ url: urlOf(serverUrl, name), hasUsers: true, assertUnconnected }, end);
}

/** With connections that end before the database does. */
function testDatabase(
  { url, ...own }: Pick<TestDatabase, "url" | "hasUsers" | "assertUnconnected">,
  end: () => Promise<void>,
): TestDatabase {
  const connections: (() => Promise<void>)[] = [];
  const disconnect = () => Promise.all(connections.map(close => close()));
  const ended = closeAtEnd(() => disconnect().then(end));
  const drop = async () => {
    ended();
    await disconnect();
    await own.assertUnconnected().finally(end);
  };
  return {
    ...own,
    url,
    name: new URL(url).pathname.slice(1),
    connect(...limits) {
      const database = connectTo(url, ...limits);
      connections.push(() => database.close());
      return database;
    },
    session(options) {
      const sql = postgres(url, { max: 1, onnotice: () => {}, ...options });
      connections.push(() => sql.end({ timeout: 1 }));
      return sql;
    },
    drop,
    [Symbol.asyncDispose]: drop,
  };
}
