import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openEmptyDatabase, type TestDatabase } from "../support/database.ts";
import { listenLocally } from "../support/listen.ts";
import { startMakeRun } from "../support/make-run.ts";
import { freePort, nowhere } from "../support/native-postgres.ts";
import type { Settings } from "../support/program.ts";

describe("make run says in one line why it cannot", () => {
  let folder: string;
  let database: TestDatabase;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "maintenance-log-run-"));
    database = await openEmptyDatabase();
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await database.drop();
  });

  async function assertRefuses(settings: Settings, lines: RegExp): Promise<void> {
    const { code, output } = await startMakeRun({ DATA_FOLDER: folder, PORT: "0", ...settings }).ended;
    assert.notEqual(code, 0);
    assert.match(output, lines);
    assert.doesNotMatch(output, /\n {4}at /);
  }

  test("a busy port, with the remedy", async () => {
    const holder = createServer();
    const busy = await listenLocally(holder);
    const free = await freePort();
    const remedy = (port: number) =>
      new RegExp(
        `^run: port ${busy} is in use by another process\\. ` +
          `PORT=${port + 10} make run takes port ${port + 10}, and ${port + 11} for the operations page\n$`,
      );
    await assertRefuses({ PORT: String(busy) }, remedy(busy));
    await assertRefuses({ PORT: String(free), OPS_PORT: String(busy) }, remedy(free));
    holder.close();
  });

  test("a wrong setting", async () => {
    const line = "is not [^\n]+; for example: [^\n]+\n";
    await assertRefuses(
      { DATABASE_URL: database.url, TOKEN_EXPIRE_TIME: "soon", LOG_LEVEL: "loud" },
      new RegExp(`^serve: TOKEN_EXPIRE_TIME ${line}serve: LOG_LEVEL ${line}$`),
    );
    await assertRefuses({ DATABASE_URL: "nonsense" }, new RegExp(`^migrate: DATABASE_URL ${line}$`));
  });

  test("a database that is not there", async () => {
    await assertRefuses(
      { DATABASE_URL: await nowhere() },
      /^migrate: The database is not available: .*ECONNREFUSED.*\n$/,
    );
  });

  test("a data folder that is broken or of another version, with its path and what to do", async () => {
    const broken = join(folder, "embedded");
    const postgres = join(broken, "postgres");
    mkdirSync(postgres, { recursive: true });
    const cannotOpen = (reason: string) =>
      new RegExp(
        `^run: the database in ${postgres} is damaged, or of another version \\(${reason}\\)\\. ` +
          `Move ${broken} away, and make run begins with an empty one\n$`,
      );
    await assertRefuses({}, cannotOpen("it has no file PG_VERSION"));
    writeFileSync(join(postgres, "PG_VERSION"), "9\n");
    await assertRefuses({}, cannotOpen("PGlite says: .+"));
    writeFileSync(join(broken, "secret-key"), "");
    await assertRefuses(
      {},
      new RegExp(`^run: ${broken}/secret-key is empty. Remove it, and a new one is made\n$`),
    );
  });
});
