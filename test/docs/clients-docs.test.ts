import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { noCurl } from "../support/curl.ts";
import { type Mishap, startFlakyProxy } from "../support/flaky-proxy.ts";
import { api, lifetimeSeconds, openWorld, password, type World } from "../support/world.ts";

const page = readFileSync("docs/clients.md", "utf8");
const blocksOf = (language: string): string =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))]
    .map(([, code]) => code)
    .join("\n");

const run = promisify(execFile);

describe("the recipes of docs/clients.md", () => {
  let folder: string;
  let world: World;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "maintenance-log-clients-"));
    world = await openWorld();
    const token = world.tokens.MANAGER;
    await world.call("POST", `${api}/assets`, { token, body: { name: "Pump 7" } });
    for (const day of [1, 2, 3]) {
      const performedDate = `2026-11-0${day}T08:00`;
      const body = { performedDate, status: "PENDING", taskType: "ERROR", comment: 'Said "},{"id":7' };
      await world.call("POST", `${api}/assets/1/logs`, { token, body });
    }
  });
  after(async () => {
    await world.close();
    rmSync(folder, { recursive: true });
  });

  /** Runs a command while the token expires, then the answer of a log that was written is lost, then the service is busy. */
  async function runAmongMishaps(command: string, args: readonly string[]): Promise<string> {
    const expire = () => world.clock.advance(lifetimeSeconds + 1);
    const mishaps: Mishap[] = [expire, "lose the answer", "be busy"];
    const proxy = await startFlakyProxy(world.port, `POST ${api}/assets/1/logs`, mishaps);
    const env = {
      PATH: process.env["PATH"],
      ORIGIN: `http://127.0.0.1:${proxy.port}`,
      EMAIL: world.employees.TECHNICIAN.email,
      PASSWORD: password,
    };
    try {
      const { stdout } = await run(command, args, { cwd: folder, env });
      assert.deepEqual(proxy.ahead, []);
      return stdout.trimEnd();
    } finally {
      await proxy.close();
    }
  }

  const indexesOf = (entries: readonly { index: number }[]) => entries.map(({ index }) => index);
  const idsOf = (text: string) =>
    [...text.matchAll(/\{"id":(\d+),"performedDate"/g)].map(([, id]) => Number(id));

  test("in the shell: log in again, write once, walk pages and follow the trail", {
    skip: noCurl,
  }, async () => {
    await world.cover();
    const file = join(folder, "client.sh");
    writeFileSync(file, blocksOf("sh"));
    const [written = "", ...rest] = (await runAmongMishaps("sh", [file])).split("\n");
    // Three employees, an asset and three logs, and nothing the second time.
    const followed = JSON.parse(rest.splice(2).join("\n"));
    assert.deepEqual(idsOf(written), [4]);
    assert.deepEqual(rest.map(idsOf), [
      [4, 3],
      [2, 1],
    ]);
    assert.deepEqual(indexesOf(followed), [0, 1, 2, 3, 4, 5, 6]);
  });

  test("in TypeScript: log in again, write once, walk pages and follow the trail", async () => {
    await world.cover();
    copyFileSync(join("docs", "api.d.ts"), join(folder, "api.d.ts"));
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "client.ts"), blocksOf("ts"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const lines = await runAmongMishaps(process.execPath, ["--import", "tsx", "client.ts"]);
    assert.deepEqual(lines.split("\n"), [
      "written 5",
      ...[5, 4, 3, 2, 1].map(id => `listed ${id}`),
      ...["employee", "employee", "employee", "asset", "log", "log", "log", "log"].map(
        (kind, index) => `entry ${index} ${kind}`,
      ),
    ]);
  });

  test("in TypeScript compile, with the compiler's strictest settings", async () => {
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
