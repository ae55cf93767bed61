import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { formatSignerKey, formatVerifierKey, makeSignerKey } from "../../src/domain/trail/note.ts";
import { programCommand } from "../support/compiled.ts";
import { noCurl } from "../support/curl.ts";
import { openDatabase } from "../support/database.ts";
import { runProgram, startService } from "../support/program.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { aLog } from "../support/test-records.ts";
import { until } from "../support/until.ts";
import { makeWitness } from "../support/witness.ts";

const blocks = [...readFileSync("docs/trail.md", "utf8").matchAll(/^```sh\n(.*?)^```$/gms)].map(
  ([, text = ""]) => text,
);
const key = makeSignerKey("trail.example.com", new Uint8Array(32).fill(5));
const witness = makeWitness("witness.example.com");
const [email, password] = ["auditor@example.com", "a password"];
const loggedId = 17;

test("the commands of docs/trail.md, pasted in their order, verify a log, an export and a service", {
  skip: noCurl,
}, async t => {
  const folder = makeTemporaryFolder();
  const database = await openDatabase();
  const settings = {
    DATABASE_URL: database.url,
    DATABASE_DURABILITY: "any",
    SECRET_KEY: "a secret of the tests, of more than thirty-two bytes",
    TRAIL_KEY: formatSignerKey(key),
    ADMIN_PASSWORD: password,
  };
  assert.equal((await runProgram(["create-admin", "--email", email], settings)).code, 0);
  const service = await startService(settings);
  t.after(async () => {
    await service.stop();
    await database.drop();
  });
  const { token } = (await service.call("POST", "/api/v1/auth/login", { body: { email, password } })).json;
  await service.call("POST", "/api/v1/assets", { token, body: { name: "Pump 7" } });
  for (let id = 1; id <= loggedId; id += 1) {
    await service.call("POST", "/api/v1/assets/1/logs", { token, body: aLog() });
  }
  const path = `/api/v1/logs/${loggedId}/proof`;
  await until(async () => (await service.call("GET", path, { token })).status === 200);
  const { text } = await service.call("GET", "/api/v1/trail/checkpoint", { token });
  writeFileSync(join(folder, "checkpoint-of-january"), text);
  writeFileSync(join(folder, "cosigned"), text + witness.cosign(text));
  writeFileSync(join(folder, "password"), password);

  const input = blocks
    .join("\n")
    .replaceAll("https://maintenance.example.com", `http://127.0.0.1:${service.port}`)
    .replaceAll('"password":"…"', `"password":"${password}"`)
    .replaceAll("/etc/maintenance-log-audit/", `${folder}/`)
    .replaceAll("/var/lib/maintenance-log-audit/", `${folder}/`)
    .replaceAll("node dist/main.js", programCommand)
    .replaceAll("docs/", `${resolve("docs")}/`);
  const { stdout, stderr } = spawnSync("sh", {
    cwd: folder,
    input,
    encoding: "utf8",
    env: {
      PATH: process.env["PATH"],
      DATABASE_URL: database.url,
      API: `http://127.0.0.1:${service.port}/api/v1`,
      KEY: formatVerifierKey(key),
      WITNESS: witness.vkey,
    },
  });
  assert.equal(stderr, "");
  for (const line of [
    /^the proof holds: log 17 is entry \d+ of the \d+ /m,
    /^The first \d+ entries are those that were signed\.$/m,
    /^The log is as it was recorded at /m,
  ]) {
    assert.match(stdout, line);
  }
});
