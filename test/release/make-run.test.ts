import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openRunDatabase } from "../../dev/run/database.ts";
import { readable } from "../../dev/run/log-lines.ts";
import { makeClient } from "../support/client.ts";
import { runFirstSession } from "../support/first-session.ts";
import { passwordIn, runPasted, startMakeRun } from "../support/make-run.ts";
import { freePort } from "../support/native-postgres.ts";
import type { Settings } from "../support/program.ts";
import { until } from "../support/until.ts";

const email = "admin@example.com";

test("make run says where the database of DATABASE_URL is, without its password", async () => {
  for (const [url, place] of [
    ["postgres://ada:p%40ss@db.example.com:5433/logs", "db.example.com:5433/logs"],
    ["postgres://db.example.com/logs?sslmode=require", "db.example.com/logs?sslmode=require"],
    ["postgres://ada:p%3Fss@/logs?host=/run/postgresql", "/logs?host=/run/postgresql"],
  ] as const) {
    const database = await openRunDatabase({ DATABASE_URL: url }, "");
    assert.equal(database.place, `the database of DATABASE_URL: ${place}`);
  }
});

describe("make run", () => {
  let folder: string;
  let port: number;
  let opsPort: number;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "maintenance-log-run-"));
    port = await freePort();
    opsPort = await freePort();
  });
  after(() => rmSync(folder, { recursive: true }));

  const start = (settings: Settings = {}) =>
    startMakeRun({
      DATA_FOLDER: join(folder, ".data"),
      PORT: String(port),
      OPS_PORT: String(opsPort),
      ...settings,
    });

  /** The process of `make run` itself, and that of its service. */
  const childrenOf = (pid: number | undefined): number[] =>
    execFileSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" })
      .trim()
      .split(/\s+/)
      .map(Number);
  const isRunning = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  let written: unknown;
  let first: string;
  let firstToken: string;

  test("serves from nothing, with a page and an ADMIN; ends when its terminal is closed", async t => {
    const { shell, introduced, ended } = start();
    t.after(() => shell.kill("SIGKILL"));
    const block = await introduced;
    assert.match(block, new RegExp(`^ {2}API +http://127.0.0.1:${port}/api/v1$`, "m"));
    assert.match(block, new RegExp(`^ {2}page +http://127.0.0.1:${opsPort}/ `, "m"));
    assert.match(block, new RegExp(`^ {2}records +${join(folder, ".data/embedded/postgres")}$`, "m"));
    assert.equal((await fetch(`http://127.0.0.1:${opsPort}/readyz`)).status, 200);
    first = passwordIn(block);
    const call = makeClient(port);
    const body = { email, password: first };
    const { token, authUser } = (await call("POST", "/api/v1/auth/login", { body })).json;
    assert.equal(authUser.role, "ADMIN");
    firstToken = token;
    const session = runFirstSession(folder, port);
    assert.equal(session.status, 0, session.stderr);
    const [asset, log, logs, refusal, proof, _unproven, ...rest] = session.stdout.trimEnd().split("\n");
    assert.deepEqual([session.stderr, rest], ["", []]);
    assert.equal(JSON.parse(asset ?? "").name, "Pump 7");
    assert.equal(readFileSync(join(folder, ".data/log.json"), "utf8"), log);
    assert.equal(logs, `[${log}]`);
    assert.equal(JSON.parse(refusal ?? "").status, 405);
    assert.match(proof ?? "", /^the proof holds: log 1 is entry \d+ of the \d+ that /);
    // As soon as a checkpoint covers the log of the session.
    const proven = await until(() => {
      const pasted = runPasted(block);
      return pasted.status === 0 ? pasted : undefined;
    });
    assert.match(proven.lines[0] ?? "", /^the proof holds: log \d+ is entry \d+ of the \d+ that /);
    written = (await call("GET", "/api/v1/logs", { token })).json;

    const another = await start({ PORT: "0" }).ended;
    assert.equal(another.code, 1);
    assert.match(
      another.output,
      /^run: \S+embedded is in use by process \d+, which serves http:\S+\. Stop that one, .*DATA_FOLDER.*lock\n$/,
    );

    for (const run of childrenOf(shell.pid)) process.kill(run, "SIGHUP");
    assert.equal((await ended).code, 0);
    assert.ok(!existsSync(join(folder, ".data/embedded/lock")));
  });

  test("a restart shows the same records and password; LOG_LEVEL holds; nothing outlives a killed parent", async t => {
    const { shell, introduced, ended } = start({ LOG_LEVEL: "warn" });
    t.after(() => shell.kill("SIGKILL"));
    assert.equal(passwordIn(await introduced), first);
    const call = makeClient(port);
    // The password was not set again, which would end the sessions.
    assert.deepEqual((await call("GET", "/api/v1/logs", { token: firstToken })).json, written);
    assert.equal(
      (await call("POST", "/api/v1/auth/login", { body: { email, password: first } })).status,
      200,
    );
    await call("POST", "/api/v1/auth/login", { body: { email, password: "wrong" } });

    const runs = childrenOf(shell.pid);
    const family = [...runs, ...runs.flatMap(childrenOf)];
    assert.equal(family.length, 2);
    shell.kill("SIGKILL");
    const { output } = await ended;
    const levels = [...output.matchAll(/"level":"(\w+)"/g)].map(([, level]) => level);
    assert.deepEqual(levels, ["warn"]);
    // The pipes of the output are closed: whatever held them has ended, or is about to.
    await until(() => !family.some(isRunning));
  });

  test("ends when its terminal is gone, of which only make is told", async t => {
    if (process.platform !== "linux") return t.skip("script takes other options elsewhere");
    const file = join(folder, "stopped");
    const program = `import { writeFileSync } from "node:fs";
      import { stopSignal } from "./dev/run/stop.ts";
      stopSignal().addEventListener("abort", () => {
        writeFileSync("${file}", "");
        process.exit();
      });
      setInterval(() => {}, 1_000);
      console.log("ready");`;
    const command = `trap "" HUP; ${process.execPath} --import tsx --input-type=module -e '${program}'; true`;
    const terminal = spawn("script", ["-qfec", command, "/dev/null"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    await once(terminal.stdout, "data");
    terminal.kill("SIGKILL");
    await until(() => existsSync(file));
  });

  test("the first session says loudly that nothing listens", async () => {
    mkdirSync(join(folder, "empty/.data"), { recursive: true });
    const { status, stderr } = runFirstSession(join(folder, "empty"), await freePort());
    assert.notEqual(status, 0);
    assert.match(stderr, /curl: \(7\) /);
  });

  test("on a terminal the log is text", () => {
    const time = new Date(2026, 4, 4, 8, 30, 5).toISOString();
    assert.equal(
      readable({ time, level: "info", event: "listening", port: 7070 }),
      "08:30:05 info  listening (port 7070)",
    );
    const request = {
      requestId: "x",
      method: "GET",
      address: "::1",
      route: "/logs/{id}",
      id: 7,
      employeeId: 2,
    };
    assert.equal(
      readable({ time, level: "info", event: "request", ...request, status: 200, milliseconds: 1.3 }),
      "08:30:05 info  GET /logs/{id} 200 in 1.3 ms (id 7, employeeId 2)",
    );
    assert.equal(
      readable({ time, level: "warn", event: "login failed", method: "POST" }),
      "08:30:05 warn  login failed (method POST)",
    );
  });
});
