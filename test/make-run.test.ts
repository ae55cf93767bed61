import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { makeClient } from "./support/client.ts";
import { freePort } from "./support/native-postgres.ts";

const credentials = /password {2}(\S+)[\s\S]+Ctrl-C stops/;

describe("make run", () => {
  let folder: string;
  let port: number;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "maintenance-log-run-"));
    port = await freePort();
  });
  after(() => rmSync(folder, { recursive: true }));

  /** What `make run` runs once everything is installed. */
  function start(settings: Readonly<Record<string, string>> = {}) {
    const env = { PATH: process.env["PATH"], DATA_FOLDER: folder, PORT: String(port), ...settings };
    const run = spawn(process.execPath, ["--import", "tsx", "dev/run.ts"], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [run.stdout, run.stderr]) {
      stream.setEncoding("utf8").on("data", chunk => {
        output += chunk;
      });
    }
    const ended = once(run, "close").then(([code]) => ({ code: code as number | null, output }));
    const password = new Promise<string>((resolve, reject) => {
      run.stdout.on("data", () => {
        const found = credentials.exec(output)?.[1];
        if (found !== undefined) resolve(found);
      });
      ended.then(({ output }) => reject(new Error(output)));
    });
    password.catch(() => {});
    return { run, password, ended };
  }

  async function stop(run: ChildProcess, ended: Promise<{ code: number | null }>) {
    run.kill("SIGINT");
    assert.equal((await ended).code, 0);
  }

  let written: unknown;
  let first: string;

  test("serves from nothing, with an ADMIN whose password it prints", async () => {
    const { run, password, ended } = start();
    first = await password;
    const call = makeClient(port);
    const body = { email: "admin@example.com", password: first };
    const { token, authUser } = (await call("POST", "/api/v1/auth/login", { body })).json;
    assert.equal(authUser.role, "ADMIN");
    const asset = (await call("POST", "/api/v1/assets", { token, body: { name: "Pump" } })).json;
    const log = {
      performedDate: "2026-05-04T08:30",
      status: "COMPLETED",
      taskType: "MAINTENANCE",
      comment: "Oil",
    };
    written = (await call("POST", `/api/v1/assets/${asset.id}/logs`, { token, body: log })).json;

    const another = await start({ PORT: "0" }).ended;
    assert.equal(another.code, 1);
    assert.match(another.output, /^run: another one is running here already \(process \d+\)\n$/);
    await stop(run, ended);
  });

  test("after a restart the records, the password and the tokens' secret are the same", async () => {
    const { run, password, ended } = start();
    assert.equal(await password, first);
    const call = makeClient(port);
    const body = { email: "admin@example.com", password: first };
    const { token } = (await call("POST", "/api/v1/auth/login", { body })).json;
    assert.deepEqual((await call("GET", "/api/v1/logs", { token })).json, [written]);
    await stop(run, ended);
  });

  test("a busy port, a wrong setting and a broken database are one clear line", async () => {
    const holder = createServer().listen(port, "127.0.0.1");
    await once(holder, "listening");
    const nobody = await freePort();
    for (const [settings, line] of [
      [
        {},
        new RegExp(
          `serve: cannot listen on HOST 127\\.0\\.0\\.1, PORT ${port}: another process is listening there\\n$`,
        ),
      ],
      [
        { TOKEN_EXPIRE_TIME: "soon" },
        /\nserve: TOKEN_EXPIRE_TIME is not a length of time; for example: .*\n$/,
      ],
      [
        { DATABASE_URL: "nonsense" },
        /^migrate: DATABASE_URL is not a PostgreSQL connection URL; for example: .*\n$/,
      ],
      [
        { DATABASE_URL: `postgres://u@127.0.0.1:${nobody}/x` },
        /^migrate: The database is not available: .*ECONNREFUSED.*\n$/,
      ],
    ] as const) {
      const { code, output } = await start(settings).ended;
      assert.notEqual(code, 0);
      assert.match(output, line);
      assert.doesNotMatch(output, /\n {4}at /);
    }
    holder.close();
  });
});
