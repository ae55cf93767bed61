import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { noCurl } from "../support/curl.ts";
import { type Mishap, startFlakyProxy } from "../support/flaky-proxy.ts";
import { api, lifetimeSeconds, openWorld, password, type World } from "../support/world.ts";

const run = promisify(execFile);
const recipe = (name: string): string => resolve("docs", name);
const there = (command: string): boolean =>
  spawnSync(command, ["-version"], { stdio: "ignore" }).error === undefined;

/** A recipe, and how it is run so that its waits take no time and are written to the file `waits` instead. */
interface Language {
  readonly name: string;
  readonly skip: string | false;
  /** Returns a command and its arguments. */
  prepare(folder: string): readonly string[];
}

const languages: readonly Language[] = [
  {
    name: "client.sh",
    skip: noCurl,
    prepare(folder) {
      writeFileSync(join(folder, "sleep"), '#!/bin/sh\necho "$1" >>waits\n');
      chmodSync(join(folder, "sleep"), 0o700);
      return ["sh", recipe("client.sh")];
    },
  },
  {
    name: "client.py",
    skip: there("python3") ? false : "there is no python3",
    prepare(folder) {
      writeFileSync(
        join(folder, "run.py"),
        `import runpy, time
def sleep(seconds):
    with open("waits", "a") as waits:
        print(seconds, file=waits)
time.sleep = sleep
runpy.run_path("${recipe("client.py")}")
`,
      );
      return ["python3", join(folder, "run.py")];
    },
  },
  {
    name: "client.kt",
    skip: there("kotlinc") ? false : "there is no kotlinc (Debian package kotlin)",
    prepare(folder) {
      const source = readFileSync(recipe("client.kt"), "utf8");
      const waits = 'File("waits").appendText("" + ($1) / 1_000 + "\\n")';
      writeFileSync(join(folder, "client.kt"), source.replace(/Thread\.sleep\((.*)\)$/m, waits));
      const jar = join(folder, "client.jar");
      spawnSync("kotlinc", [join(folder, "client.kt"), "-include-runtime", "-d", jar]);
      // So that the recipe, and not the JVM, repeats what got no response.
      return ["java", "-Dsun.net.http.retryPost=false", "-jar", jar];
    },
  },
  {
    name: "client.ts",
    skip: false,
    prepare(folder) {
      writeFileSync(
        join(folder, "waits.mjs"),
        `import { appendFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";
timers.setTimeout = async ms => appendFileSync("waits", ms / 1_000 + "\\n");
syncBuiltinESMExports();
`,
      );
      const imports = [join(folder, "waits.mjs"), import.meta.resolve("tsx")];
      return [process.execPath, ...imports.flatMap(path => ["--import", path]), recipe("client.ts")];
    },
  },
];

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

interface Run {
  /** The ids of the logs that were written. */
  readonly written: readonly number[];
  readonly listed: readonly number[];
  /** The numbers of entries of the trail. */
  readonly entries: readonly number[];
  readonly waits: readonly number[];
}

for (const { name, skip, prepare } of languages) {
  describe(`docs/${name}`, { skip }, () => {
    let folder: string;
    let world: World;
    let command: readonly string[];
    before(async () => {
      folder = mkdtempSync(join(tmpdir(), "maintenance-log-clients-"));
      command = prepare(folder);
      world = await openWorld();
      const token = world.tokens.MANAGER;
      await world.call("POST", `${api}/assets`, { token, body: { name: "Pump 7" } });
      for (const day of [1, 2, 3]) {
        const performedDate = `2026-11-0${day}T08:00`;
        const body = { performedDate, status: "PENDING", taskType: "ERROR", comment: 'Said "},{"id":7' };
        await world.call("POST", `${api}/assets/1/logs`, { token, body });
      }
      await world.cover();
    });
    after(async () => {
      await world.close();
      rmSync(folder, { recursive: true });
    });

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
        const { stdout } = await running;
        return {
          ...readOutput(stdout),
          waits: linesOf(readFileSync(join(folder, "waits"), "utf8")).map(Number),
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
      // Three employees, an asset and three logs.
      assert.deepEqual(ran.entries, [0, 1, 2, 3, 4, 5, 6]);
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

    test("gives up on what no repetition helps", async () => {
      await assert.rejects(
        runAmong(() => ({ [`POST ${api}/assets/1/logs`]: [json(422, {})] })),
        ({ stderr }) => /422/.test(stderr),
      );
    });
  });
}

const linesOf = (text: string): string[] => text.split("\n").filter(line => line !== "");

/** Recipes print either `written 4` and the like, or what the service sent. */
function readOutput(stdout: string): Omit<Run, "waits"> {
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

describe("docs/client.ts", () => {
  test("compiles, with the compiler's strictest settings", async t => {
    const folder = mkdtempSync(join(tmpdir(), "maintenance-log-clients-"));
    t.after(() => rmSync(folder, { recursive: true }));
    for (const name of ["client.ts", "api.d.ts"]) copyFileSync(recipe(name), join(folder, name));
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const { compilerOptions } = JSON.parse(
      readFileSync("tsconfig.json", "utf8").replace(/^\s*\/\/.*$/gm, ""),
    );
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["client.ts"] }));
    const compiler = resolve("node_modules/.bin/tsc");
    await run(compiler, ["--noEmit", "-p", folder]).catch(({ stdout }) => assert.fail(stdout));
    const file = join(folder, "client.ts");
    writeFileSync(file, readFileSync(file, "utf8").replace('status: "COMPLETED"', 'status: "DONE"'));
    await assert.rejects(run(compiler, ["--noEmit", "-p", folder]), ({ stdout }) => /DONE/.test(stdout));
  });
});
