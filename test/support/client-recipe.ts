import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { type Mishap, startFlakyProxy } from "./flaky-proxy.ts";
import { makeTemporaryFolder } from "./temporary-folder.ts";
import { api, lifetimeSeconds, openWorld, password, type World } from "./world.ts";

const run = promisify(execFile);

/** The path of a file of docs/. */
export const recipe = (name: string): string => resolve("docs", name);

export const isInstalled = (command: string): boolean =>
  spawnSync(command, ["-version"], { stdio: "ignore" }).error === undefined;

/** A recipe, and how it is run so that its waits take no time and are written to the file `waits` instead. */
export interface Recipe {
  readonly name: string;
  readonly skip: string | false;
  /** Returns a command and its arguments. */
  prepare(folder: string): readonly string[];
}

const html = (status: number): Mishap => ({
  status,
  headers: { "Content-Type": "text/html" },
  body: `<html><body><h1>${status} Service Unavailable</h1>\nNo server is available.</body></html>\n`,
});
const json = (status: number, headers: Record<string, string>): Mishap => ({
  status,
  headers: { "Content-Type": "application/json", ...headers },
  body: JSON.stringify({ status, msg: "Of the service" }),
});

const challenge = (error: string) => ({
  "WWW-Authenticate": `Bearer realm="maintenance-log", error="${error}"`,
});

interface Run {
  /** The ids of the logs that were written. */
  readonly written: readonly number[];
  readonly listed: readonly number[];
  /** The numbers of entries of the trail. */
  readonly entries: readonly number[];
  readonly waits: readonly number[];
  readonly errors: string;
}

/** Runs a recipe among mishaps: it must do what docs/clients.md asks of every client. */
export function testRecipe({ name, skip, prepare }: Recipe): void {
  describe(`docs/${name}`, { skip }, () => {
    let folder: string;
    let world: World;
    let command: readonly string[];
    before(async () => {
      folder = makeTemporaryFolder();
      command = prepare(folder);
      world = await openWorld();
      const token = world.tokens.MANAGER;
      await world.call("POST", `${api}/assets`, { token, body: { name: "Pump 7" } });
      for (const day of [1, 2, 3]) {
        const performedDate = `2026-11-0${day}T08:00`;
        const body = { performedDate, status: "PENDING", taskType: "ERROR", comment: 'Said "},{"id":7' };
        await world.call("POST", `${api}/assets/1/logs`, { token, body });
      }
    });
    after(() => world.close());

    /** Runs the recipe among mishaps, all of which must happen. */
    async function runAmong(
      mishapsOf: (child: () => ChildProcess | undefined) => Record<string, readonly Mishap[]>,
    ): Promise<Run> {
      let child: ChildProcess | undefined;
      const proxy = await startFlakyProxy(
        world.port,
        mishapsOf(() => child),
      );
      const env = {
        PATH: `${folder}${delimiter}${process.env["PATH"]}`,
        ORIGIN: `http://127.0.0.1:${proxy.port}`,
        EMAIL: world.employees.TECHNICIAN.email,
        PASSWORD: password,
      };
      writeFileSync(join(folder, "waits"), "");
      const [program = "", ...args] = command;
      try {
        const running = run(program, args, { cwd: folder, env });
        child = running.child;
        const { stdout, stderr } = await running;
        return {
          ...readOutput(stdout),
          waits: linesOf(readFileSync(join(folder, "waits"), "utf8")).map(Number),
          errors: stderr,
        };
      } finally {
        assert.deepEqual(proxy.ahead(), []);
        await proxy.close();
      }
    }

    test("goes on over lost answers, expired tokens, and errors of the service and of proxies", async () => {
      const expire = () => world.clock.advance(lifetimeSeconds + 1);
      const tomorrow = new Date(Date.now() + 86_400_000).toUTCString();
      const ran = await runAmong(() => ({
        [`POST ${api}/auth/login`]: [html(503)],
        [`POST ${api}/assets/1/logs`]: [
          expire,
          "lose the answer",
          json(503, { "Retry-After": "7" }),
          json(401, challenge("invalid_token")),
          html(502),
        ],
        [`GET ${api}/logs`]: [
          { status: 503 },
          json(503, { "Retry-After": tomorrow }),
          html(504),
          json(408, {}),
        ],
      }));
      assert.deepEqual(ran.written, [4]);
      assert.deepEqual(ran.listed, [4, 3, 2, 1]);
      // Three employees, an asset and four logs.
      assert.deepEqual(ran.entries, [0, 1, 2, 3, 4, 5, 6, 7]);
      const waits = ran.waits.filter(seconds => seconds > 0);
      assert.equal(waits.length, 8);
      for (const [n, least] of [1, 1, 7, 4, 1, 2, 4, 8].entries()) {
        assert.ok(least / 2 <= (waits[n] ?? 0) && (waits[n] ?? 0) <= 2 * least + 2, `${waits}`);
      }
    });

    test("writes a log once that was under way when the recipe was killed", async () => {
      await assert.rejects(
        runAmong(child => ({
          [`POST ${api}/assets/1/logs`]: ["lose the answer", () => child()?.kill("SIGKILL")],
        })),
      );
      const ran = await runAmong(() => ({}));
      assert.deepEqual(ran.written.toSorted(), [5, 6]);
      assert.deepEqual(ran.listed, [6, 5, 4, 3, 2, 1]);
    });

    test("keeps a log when it gives up, puts it aside when it is refused, and goes on", async () => {
      const post = `POST ${api}/assets/1/logs`;
      for (const [start, status, headers] of [
        [post, 403, challenge("insufficient_scope")],
        [post, 500, {}],
        [`POST ${api}/auth/login`, 400, {}],
      ] as const) {
        await assert.rejects(
          runAmong(() => ({ [start]: [json(status, headers)] })),
          ({ stderr }) => stderr.includes(status),
        );
      }
      const ran = await runAmong(() => ({ [post]: [json(400, {}), json(404, {}), json(422, {})] }));
      for (const status of ["400", "404", "422"]) assert.ok(ran.errors.includes(status));
      assert.deepEqual(ran.written, [7]);
      assert.deepEqual((await runAmong(() => ({}))).written, [8]);
    });
  });
}

const linesOf = (text: string): string[] => text.split("\n").filter(line => line !== "");

/** Recipes print either `written 4` and the like, or what the service sent. */
function readOutput(stdout: string): Pick<Run, "written" | "listed" | "entries"> {
  const found = { written: [] as number[], listed: [] as number[], entries: [] as number[] };
  for (const line of linesOf(stdout)) {
    const [, word, number] = /^(written|listed|entry) (\d+)/.exec(line) ?? [];
    if (word !== undefined) {
      found[word === "entry" ? "entries" : (word as "written" | "listed")].push(Number(number));
      continue;
    }
    const sent = JSON.parse(line);
    if (!Array.isArray(sent)) found.written.push(sent.id);
    else for (const { index, id } of sent) found[id === undefined ? "entries" : "listed"].push(index ?? id);
  }
  return found;
}
