import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { makeTrailClient } from "../../src/adapters/trail-client.ts";
import { runCommand } from "../support/command.ts";
import { freePort } from "../support/native-postgres.ts";
import { runProgram } from "../support/program.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { makeTestTrail, trailOf } from "../support/trail.ts";
import { auditor, startTrailServer, type TrailServer } from "../support/trail-server.ts";

const environment = { AUDIT_EMAIL: auditor.email, AUDIT_PASSWORD: auditor.password };

describe("audit", () => {
  let folder: string;
  let state: string;
  let server: TrailServer;
  beforeEach(async () => {
    folder = makeTemporaryFolder();
    state = join(folder, "state");
    server = await startTrailServer();
  });
  afterEach(() => server.close());

  const trail = trailOf(1_000);
  const audit = (url = server.url, given: Readonly<Record<string, string>> = environment) =>
    runCommand("audit", ["--url", url, "--key", trail.vkey, "--state", state], given);
  const holds = (stdout: string) => ({ code: 0, stdout: `example.com/log: ${stdout}\n`, stderr: "" });

  const recorded = "2026-01-08T09:00:00.000001Z";
  const said = (size: number, added: number) => {
    const since = size === added ? "" : `, and continue the ${size - added} of the last audit`;
    const newest = size === 0 ? "" : `; the newest was recorded at ${recorded}`;
    return `the checkpoint of ${size} entries holds: ${added} are new${since}${newest}`;
  };

  /** Nothing holds: says so in one line, and remembers what it remembered before. */
  const refuses = async (said: RegExp) => {
    const before = existsSync(state) ? readFileSync(state, "utf8") : undefined;
    const { code, stdout, stderr } = await audit();
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, said);
    assert.match(stderr, /^[^\n]+\n$/);
    assert.equal(existsSync(state) ? readFileSync(state, "utf8") : undefined, before);
  };

  test("reads what is new as the trail grows, and the last bundle again each time", async () => {
    let added = 0;
    for (const size of [0, 1, 255, 256, 257, 257, 700, 1_000, 1_000]) {
      server.serve(trail, size);
      server.asked.length = 0;
      assert.deepEqual(await audit(), holds(said(size, size - added)));
      const bundles = server.asked.filter(path => path.includes("/entries/"));
      const first = Math.floor(Math.max(0, added - 1) / 256);
      assert.equal(bundles.length, Math.ceil(size / 256) - first, `${added} to ${size}`);
      added = size;
    }
    assert.deepEqual(readdirSync(folder), ["state"]);
  });

  test("refuses a trail that was rewritten, whatever is signed", async () => {
    server.serve(trail, 600);
    assert.equal((await audit()).code, 0);
    const changed = (id: number, count: number) =>
      trailOf(count, one => (one === id ? { comment: "rewritten" } : {}));
    for (const [rewritten, said] of [
      // Before what is read again: the newest root gives it away.
      [changed(300, 1_000), /^the trail has entries that are not those of its checkpoint of 1000\n/],
      [changed(600, 600), /^the trail does not have the 600 entries of the last audit: /],
      [changed(520, 1_000), /^the trail does not have the 600 entries of the last audit: /],
    ] as const) {
      server.serve(rewritten);
      await refuses(said);
    }
    server.serve(trail, 500);
    await refuses(/^the trail has 500 entries, fewer than the 600 that it had before\n/);
    server.serve(trail);
    assert.deepEqual(await audit(), holds(said(1000, 400)));
  });

  test("finds a database that was set back behind its checkpoint, though nothing is new", async () => {
    server.serve(trail, 600);
    assert.equal((await audit()).code, 0);
    server.serve(trail, 600, 590);
    await refuses(/^the trail has no entry bundle 2, which its checkpoint covers\n/);
    server.serve(trail, 600);
    const changed = (body: Buffer) =>
      Buffer.from(body.toString("latin1").replace("comment 599", "comment 000"), "latin1");
    server.tamper((path, body) => (path.includes("/entries/") ? changed(body) : body));
    await refuses(/^the trail does not have the 600 entries of the last audit: its history was rewritten\n/);
  });

  test("says when the newest entry was recorded, in words for one from before the trail", async () => {
    server.serve(trailOf(3, () => ({ recordedAt: null })));
    assert.match((await audit()).stdout, /; the newest was recorded before the trail began\n$/);
  });

  test("refuses entries that are not those of the checkpoint", async () => {
    server.serve(trail, 600);
    assert.equal((await audit()).code, 0);
    server.serve(trail);
    const inBundles = (change: (body: Buffer) => Buffer) =>
      server.tamper((path, body) => (path.includes("/entries/") ? change(body) : body));
    inBundles(body => Buffer.from(body.toString("latin1").replace("comment 9", "comment 8"), "latin1"));
    await refuses(/entries that are not those of its checkpoint of 1000/);
    inBundles(body => body.subarray(0, -1));
    await refuses(/is a bundle that is cut off/);
    inBundles(body => body.subarray(0, body.length - 2 - body.readUInt16BE(0)));
    await refuses(/cut off|of 255 entries, not 256/);
    inBundles(() => Buffer.alloc(0));
    await refuses(/has an entry bundle 2 of 0 entries, not 256/);
    server.tamper((_, body) => body);
    assert.equal((await audit()).code, 0);
  });

  test("refuses a checkpoint of another key, and none", async () => {
    await refuses(/^the trail has no checkpoint\n/);
    const other = makeTestTrail("other.example");
    server.serve(other);
    await refuses(/^the trail is not signed by this key\n/);
    server.serve(trail);
    server.tamper((path, body) => (path.endsWith("checkpoint") ? Buffer.from("<html>") : body));
    await refuses(/^the trail is not a signed note\n/);
  });

  test("refuses to go on from a state that is not its own", async () => {
    server.serve(trail, 700);
    assert.equal((await audit()).code, 0);
    const good = JSON.parse(readFileSync(state, "utf8"));
    for (const [content, said] of [
      ["", /cannot be read: /],
      ["{}", /cannot be read: it is not a state of audit$/m],
      ["null", /cannot be read: it is not a state of audit$/m],
      [JSON.stringify({ ...good, hashes: good.hashes.slice(1) }), /remembered wrongly/],
      [
        JSON.stringify({ ...good, hashes: [good.checkpoint.split("\n")[2]] }),
        /does not have the 700 entries/,
      ],
      [JSON.stringify({ ...good, checkpoint: trail.checkpoint(200) }), /remembered wrongly/],
      [
        JSON.stringify({ ...good, checkpoint: makeTestTrail("other.example").checkpoint() }),
        /cannot be read: its checkpoint is not signed by this key$/m,
      ],
      [JSON.stringify({ ...good, checkpoint: good.checkpoint.replace("700", "300") }), /wrong signature/],
    ] as const) {
      writeFileSync(state, content);
      await refuses(said);
    }
  });

  test("makes the folder of its state, and fails when it cannot remember what held", async () => {
    server.serve(trail, 700);
    const file = join(folder, "a", "b", "state");
    state = file;
    assert.equal((await audit()).code, 0);
    state = join(file, "state");
    await refuses(/^\S+\/state cannot be written: E(EXIST|NOTDIR): /);
  });

  test("logs in again when the token has expired, and follows no redirect", async () => {
    server.serve(trail);
    const reader = makeTrailClient(new URL(server.url), auditor, []);
    await reader.checkpoint();
    server.fail.push(401);
    assert.equal(await reader.checkpoint(), trail.checkpoint());
    server.fail.push(403);
    assert.equal(await reader.checkpoint(), trail.checkpoint());
    server.fail.push(302);
    await assert.rejects(reader.checkpoint(), /cannot be read/);
    assert.equal(server.asked.includes("/elsewhere"), false);
  });

  test("asks again when the service is overloaded or restarts, and gives up in the end", async () => {
    server.serve(trail);
    const reader = makeTrailClient(new URL(`${server.url}/`), auditor, [1, 1]);
    server.fail.push(503, 429);
    assert.equal(await reader.checkpoint(), trail.checkpoint());
    server.fail.push(503, 503, 503);
    await assert.rejects(reader.checkpoint(), /trail\/checkpoint got status 503/);
    const gone = makeTrailClient(new URL(`http://127.0.0.1:${await freePort()}`), auditor, [1]);
    await assert.rejects(gone.checkpoint(), /ECONNREFUSED/);
  });

  test("says when it could not log in", async () => {
    server.serve(trail);
    const { code, stderr } = await audit(server.url, { ...environment, AUDIT_PASSWORD: "wrong" });
    assert.deepEqual([code, stderr], [1, "nothing was audited: the login was refused with status 401\n"]);
    for (const body of ["<html>", "", "null", "7", "{}", '{"token":7}']) {
      server.tamper(() => Buffer.from(body));
      const noToken = await audit();
      assert.deepEqual([noToken.code, noToken.stderr], [1, "nothing was audited: the login gave no token\n"]);
    }
  });

  test("takes its settings from files, and refuses wrong ones with 78 and wrong arguments with 64", async () => {
    server.serve(trail, 10);
    const file = join(folder, "password");
    writeFileSync(file, `${auditor.password}\n`);
    const args = ["audit", "--url", server.url, "--key", trail.vkey, "--state", state];
    const fromFile = await runProgram(args, { AUDIT_EMAIL: auditor.email, AUDIT_PASSWORD_FILE: file });
    assert.deepEqual(fromFile, holds(said(10, 10)));
    assert.equal((await runProgram(args, { AUDIT_EMAIL: auditor.email })).code, 78);
    const url = server.url.replace("://", "://auditor:planted@");
    const named = await runCommand(
      "audit",
      ["--url", url, "--key", trail.vkey, "--state", state],
      environment,
    );
    assert.equal(named.code, 64);
    assert.doesNotMatch(named.stdout + named.stderr, /planted/);
    for (const wrong of [
      [],
      ["--url", server.url, "--key", trail.vkey],
      ["--url", server.url, "--state", state],
      ["--url", "localhost:7070", "--key", trail.vkey, "--state", state],
      ["--url", server.url, "--key", "x", "--state", state],
      ["--url", server.url, "--key", trail.vkey, "--state", state, "more"],
    ]) {
      assert.equal((await runCommand("audit", wrong, environment)).code, 64, wrong.join(" "));
    }
  });
});
