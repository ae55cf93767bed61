import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { exampleRequests, openExampleWorld } from "./example-requests.ts";
import { type Mishap, startFlakyProxy } from "./flaky-proxy.ts";
import { makeTemporaryFolder } from "./temporary-folder.ts";
import { aLog, aRegistration } from "./test-records.ts";
import { api, lifetimeSeconds, openWorld, password, type World } from "./world.ts";

const run = promisify(execFile);

/** The path of a file of docs/. */
export const recipe = (name: string): string => resolve("docs", name);

export const isInstalled = (command: string): boolean =>
  spawnSync(command, ["-version"], { stdio: "ignore" }).error === undefined;

/** A program and its arguments. */
type Command = readonly string[];

/** A recipe, and how it is run so that its waits take no time and are written to the file `waits` instead. */
export interface Recipe {
  readonly name: string;
  readonly skip: string | false;
  /**
   * Returns what runs its example, and what uses its functions for the requests of standard input: one a line, with method, path,
   * body and a header field between characters 0x1F. Of each, the second prints the status, 0 without a response, and the body in base64.
   */
  prepare(folder: string): { readonly example: Command; readonly requests: Command };
}

/** A recipe up to its example. */
export const withoutExample = (source: string): string =>
  source.slice(0, source.search(/^(#|\/\/) An example: put your own here\.$/m));

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

interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string | undefined;
  /** One field, `Name: value`. */
  readonly header?: string | undefined;
}

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
    let commands: ReturnType<Recipe["prepare"]>;
    before(async () => {
      folder = makeTemporaryFolder();
      commands = prepare(folder);
      // What a user may have there, and a recipe must not read.
      writeFileSync(join(folder, ".curlrc"), "include\nfail\n");
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

    const environmentOf = (port: number, email: string, password: string, timeoutSeconds: number) => ({
      PATH: `${folder}${delimiter}${process.env["PATH"]}`,
      HOME: folder,
      // A JVM reads the environment by the locale.
      LANG: "C.UTF-8",
      ORIGIN: `http://127.0.0.1:${port}`,
      EMAIL: email,
      PASSWORD: password,
      TIMEOUT: String(timeoutSeconds),
    });

    /** Sends requests with the recipe's functions. Resolves to the status and the body of each response. */
    async function sendAll(
      requests: readonly SentRequest[],
      port: number,
      login: { readonly email: string; readonly password: string },
    ): Promise<readonly { readonly status: number; readonly body: Buffer }[]> {
      const [program = "", ...args] = commands.requests;
      const running = run(program, args, {
        cwd: folder,
        env: environmentOf(port, login.email, login.password, 10),
        maxBuffer: 64 * 1024 * 1024,
      });
      const lines = requests.map(({ method, path, body = "", header = "" }) =>
        [method, path, body, header].join("\x1f"),
      );
      running.child.stdin?.end(`${lines.join("\n")}\n`);
      const { stdout, stderr } = await running;
      assert.equal(stderr, "");
      const received = linesOf(stdout).map(line => {
        const [status, body = ""] = line.split(" ");
        return { status: Number(status), body: Buffer.from(body, "base64") };
      });
      assert.equal(received.length, requests.length, stdout);
      return received;
    }

    /** Runs the recipe among mishaps, all of which must happen. */
    async function runAmong(
      mishapsOf: (child: () => ChildProcess | undefined) => Record<string, readonly Mishap[]>,
      timeoutSeconds = 10,
    ): Promise<Run> {
      let child: ChildProcess | undefined;
      const proxy = await startFlakyProxy(
        world.port,
        mishapsOf(() => child),
      );
      const env = environmentOf(proxy.port, world.employees.TECHNICIAN.email, password, timeoutSeconds);
      writeFileSync(join(folder, "waits"), "");
      // Where the shell's goes on in the trail: all of them begin anew.
      rmSync(join(folder, "followed"), { force: true });
      const [program = "", ...args] = commands.example;
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

    test("goes on when the service is silent, and when a body is cut or stalls", async () => {
      const ran = await runAmong(
        () => ({
          [`POST ${api}/auth/login`]: ["say nothing", "cut the body"],
          [`POST ${api}/assets/1/logs`]: ["cut the body", "stall in the body"],
          [`GET ${api}/logs`]: ["cut the body", "stall in the body"],
        }),
        3,
      );
      assert.deepEqual(ran.written, [9]);
      assert.deepEqual(ran.listed, [9, 8, 7, 6, 5, 4, 3, 2, 1]);
    });

    test("keeps a log that something else than the service has taken", async () => {
      for (const status of [200, 307]) {
        const stranger = { status, headers: { Location: "/elsewhere" } };
        // A page of a proxy is asked again. Who follows a redirection gets 404, and puts the log aside.
        await assert.rejects(runAmong(() => ({ [`POST ${api}/assets/1/logs`]: [html(200), stranger] })));
      }
      const kept = readdirSync(join(folder, "queue")).filter(name => name.endsWith(".json"));
      assert.equal(kept.length, 2);
      // Not as escapes of JSON, which are up to three times as long: a long comment would be refused.
      for (const name of kept) assert.match(readFileSync(join(folder, "queue", name), "utf8"), /°/);
    });

    test("puts aside what was half written when the power failed, and sends nothing that was being stored", async () => {
      const queue = join(folder, "queue");
      const half = JSON.stringify({ performedDate: "2026-11-21T09:30", comment: "Oil" }).slice(0, -5);
      writeFileSync(join(queue, "1-5f1f3f9c.json"), half);
      writeFileSync(join(queue, "1-6f2e4f4e.json"), "");
      writeFileSync(join(queue, "1-7a3b5c5d.new"), half);
      const ran = await runAmong(() => ({}));
      assert.equal(ran.written.length, 3);
      assert.equal(ran.errors.match(/Request body/g)?.length, 2, ran.errors);
      const left = readdirSync(queue);
      assert.deepEqual(
        left.filter(name => name.endsWith(".json")),
        [],
      );
      for (const name of ["1-5f1f3f9c", "1-6f2e4f4e"])
        assert.ok(left.some(each => each.startsWith(name) && each.endsWith(".refused")));
      assert.ok(left.includes("1-7a3b5c5d.new"));
    });

    test("writes the queue in the order in which it was stored", async () => {
      const log = { performedDate: "2026-11-21T09:30", status: "COMPLETED", taskType: "MAINTENANCE" };
      const stored = ["1-b", "1-d", "1-a", "1-c"];
      for (const [at, name] of stored.entries()) {
        const file = join(folder, "queue", `${name}.json`);
        writeFileSync(file, JSON.stringify({ ...log, comment: name }));
        utimesSync(file, 1_000 + at, 1_000 + at);
      }
      // As one that was renamed after the folder had been read.
      symlinkSync(join(folder, "gone"), join(folder, "queue", "1-e.new"));
      const { written } = await runAmong(() => ({}));
      const { email } = world.employees.TECHNICIAN;
      const { json } = await world.call("POST", `${api}/auth/login`, { body: { email, password } });
      const read = written.map(id => world.call("GET", `${api}/logs/${id}`, { token: json.token }));
      const comments = (await Promise.all(read)).map(each => each.json.comment);
      assert.deepEqual(comments.slice(0, 4), stored);
      assert.deepEqual(
        written,
        written.toSorted((one, other) => one - other),
      );
    });

    test("begins again where the trail has another history, or ends before", async () => {
      const pass = () => {};
      const { entries } = await runAmong(() => ({
        [`GET ${api}/trail/entries?`]: [pass, json(404, {}), pass, json(409, {})],
      }));
      const once = entries.slice(0, entries.length / 3);
      assert.ok(once.length > 0);
      assert.deepEqual(entries, [...once, ...once, ...once]);
    });

    test("stops at any other status, which it prints, and keeps the log", async () => {
      const post = `POST ${api}/assets/1/logs`;
      const refusals = [
        [post, 417],
        [post, 501],
        [post, 505],
        [`GET ${api}/trail/entries?`, 410],
      ] as const;
      for (const [start, status] of refusals) {
        await assert.rejects(
          runAmong(() => ({ [start]: [json(status, {})] })),
          ({ stderr }) => stderr.includes(status),
        );
      }
      // The run that failed at the trail has written the logs that were kept.
      assert.equal((await runAmong(() => ({}))).written.length, 1);
    });

    test("sends each request of the API, and reads each response", async () => {
      await using examples = await openExampleWorld();
      // What JSON and shells give a meaning to.
      const login = { email: "root@example.com", password: `p"a\\s $s%w'\u00e9` };
      const token = examples.tokens.ADMIN;
      const root = { ...aRegistration(login), role: "ADMIN" };
      const { json: employee } = await examples.call("POST", `${api}/auth/register`, { token, body: root });
      const own = { oldPassword: login.password, newPassword: "battery staple" };
      const expected: { request: SentRequest; status: number }[] = [];
      const expect = (status: number, method: string, path: string, body?: object, header?: string) =>
        expected.push({
          request: { method, path, header, body: body === undefined ? undefined : JSON.stringify(body) },
          status,
        });
      // Of each operation the request with all parameters.
      const requests = new Map((await exampleRequests()).map(request => [request.operationId, request]));
      for (const [id, { method, path, headers, body, success }] of requests) {
        const header = Object.entries(headers)[0]?.join(": ");
        if (id === "changePassword") expect(success, method, `${api}/employees/${employee.id}/password`, own);
        else expect(success, method, path, id === "logIn" ? login : body, header);
      }
      expect(200, "HEAD", `${api}/logs/42`);
      expect(304, "GET", `${api}/logs/42`, undefined, "If-None-Match: *");
      expect(400, "GET", `${api}/logs?limit=0`);
      const wrong = { email: "nobody@example.com", password: "wrong" };
      for (let n = 0; n < 5; n += 1) expect(401, "POST", `${api}/auth/login`, wrong);
      expect(429, "POST", `${api}/auth/login`, wrong);
      expect(403, "PATCH", `${api}/employees/1/password`, own);
      expect(404, "GET", `${api}/assets/999`);
      expect(405, "PUT", `${api}/logs/42`, {});
      expect(409, "POST", `${api}/auth/register`, { ...root, role: "TECHNICIAN" });
      expect(412, "PUT", `${api}/employees/3`, {}, 'If-Match: "old"');
      expect(413, "POST", `${api}/assets`, { name: "Pump 8", description: "x".repeat(70_000) });
      expect(415, "POST", `${api}/assets`, { name: "Pump 8" }, "Content-Type: text/plain");
      const key = "Idempotency-Key: 0b9fb5a1-6f2e-4f4e-9d5c-5f1f3f9c1a11";
      expect(422, "POST", `${api}/assets/7/logs`, { ...aLog(), comment: "another" }, key);
      expect(431, "GET", `${api}/logs/42`, undefined, `X-Long: ${"x".repeat(20_000)}`);
      const sent = expected.map(({ request }) => request);
      const received = await sendAll(sent, examples.port, login);
      const password = own.newPassword;
      const { json: again } = await examples.call("POST", `${api}/auth/login`, {
        body: { ...login, password },
      });
      for (const [n, { request, status }] of expected.entries()) {
        const { method, path } = request;
        assert.equal(received[n]?.status, status, `${method} ${path}: ${received[n]?.body}`);
        if (method !== "GET" || !/\/(checkpoint|tile|proof)\b/.test(path)) continue;
        const { text } = await examples.call("GET", path, { token: again.token });
        assert.equal(String(received[n]?.body), text, path);
      }
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
