import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { makeTrailClient } from "../../src/adapters/trail-client.ts";
import { runCommand } from "../support/command.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { logEntry, trailOf } from "../support/trail.ts";
import { auditor, startTrailServer, type TrailServer } from "../support/trail-server.ts";
import { makeWitness } from "../support/witness.ts";

const environment = { AUDIT_EMAIL: auditor.email, AUDIT_PASSWORD: auditor.password };

describe("audit against what others have kept", () => {
  const trail = trailOf(1_500);
  let folder: string;
  let server: TrailServer;
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  beforeEach(async () => {
    folder = makeTemporaryFolder();
    server = await startTrailServer();
    server.serve(trail);
  });
  afterEach(() => server.close());
  const audit = (...args: readonly string[]) =>
    runCommand(
      "audit",
      ["--url", server.url, "--key", trail.vkey, "--state", join(folder, "state"), ...args],
      environment,
    );
  const refuses = async (said: RegExp, ...args: readonly string[]) => {
    const { code, stdout, stderr } = await audit(...args);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, said);
    assert.equal(existsSync(join(folder, "state")), false, "nothing is remembered unless all of it holds");
  };
  const checkpoints = (...files: readonly string[]) => files.flatMap(path => ["--checkpoint", path]);

  test("holds where the trail continues every kept checkpoint, of whatever size", async () => {
    const kept = [0, 1, 15, 16, 255, 256, 257, 700, 1_024, 1_279, 1_280, 1_499, 1_500].map(size =>
      file(`kept-${size}`, trail.checkpoint(size)),
    );
    for (let time = 0; time < 2; time += 1) assert.equal((await audit(...checkpoints(...kept))).code, 0);
  });

  test("names the file whose history is another one, also where only an old entry differs", async () => {
    for (const changed of [1, 300, 700]) {
      const forked = trailOf(700, id => (id === changed ? { comment: "another" } : {}));
      const path = file("forked", forked.checkpoint());
      const good = file("good", trail.checkpoint(700));
      await refuses(/^\S+\/forked is of another history than the trail\n$/, ...checkpoints(good, path));
    }
  });

  test("names the file that is larger than the trail, and of another key, and that is no checkpoint", async () => {
    const larger = file("larger", trail.checkpoint());
    server.serve(trail, 1_400);
    await refuses(
      /^\S+\/larger covers 100 entries more than the 1400 of the trail\n$/,
      ...checkpoints(larger),
    );
    const foreign = file("foreign", trailOf(3, undefined, "other.example").checkpoint());
    await refuses(/^\S+\/foreign is not signed by this key\n$/, ...checkpoints(foreign));
    await refuses(/^\S+\/none is not a signed note\n$/, ...checkpoints(file("none", "nothing")));
  });

  test("trusts no tile: one that is wrong, or not there, is no consistency", async () => {
    const kept = file("kept", trail.checkpoint(300));
    server.tamper((path, body) =>
      path.includes("/tile/0/") ? Buffer.from(body.map(byte => byte ^ 1)) : body,
    );
    await refuses(/^\S+\/kept is of another history than the trail\n$/, ...checkpoints(kept));
    server.tamper((path, body) => (path.includes("/tile/0/") ? body.subarray(0, 32) : body));
    await refuses(
      /^\S+\/kept cannot be compared with the trail: its tile 0\/\d{3}(\.p\/\d+)? is not of its length\n$/,
      ...checkpoints(kept),
    );
  });

  test("asks for a tile once for each kept checkpoint", async () => {
    const kept = file("kept", trail.checkpoint(700));
    assert.equal((await audit(...checkpoints(kept))).code, 0);
    const tiles = server.asked.filter(path => /\/tile\/\d/.test(path));
    assert.deepEqual(tiles, [...new Set(tiles)]);
  });

  test("says that nothing was audited where the logs are not what they should be", async () => {
    for (const body of ["x", "{}", "null"]) {
      server.tamper((path, sent) => (path.includes("/logs?") ? Buffer.from(body) : sent));
      await refuses(/^nothing was audited: the newest logs cannot be read\n$/, "--newest-within", "1h");
    }
  });

  test("fails where the newest entry is too old, and says whether logs wait for the trail", async () => {
    const clock = "and the clock of this machine says \\d{4}-\\d\\d-\\d\\dT\\S+Z";
    const none = new RegExp(
      `^the newest entry is older than 1h: no log was written since \\(recorded \\S+Z, ${clock}\\)\\n$`,
    );
    await refuses(none, "--newest-within", "1h");
    server.serveLog(1_500, true);
    await refuses(none, "--newest-within", "1h");
    server.serveLog(1_501, false);
    const proofs = () => server.asked.filter(path => path.endsWith("/logs/1501/proof")).length;
    const before = proofs();
    await refuses(/: logs were written that are not in the trail \(recorded /, "--newest-within", "1h");
    assert.equal(proofs() - before, 6);
    const now = trailOf(3, () => ({
      recordedAt: new Date(Date.now() - 60_000).toISOString().replace("Z", "000Z"),
    }));
    server.serve(now);
    await refuses(/^the newest entry is older than 30s: /, "--newest-within", "30s");
    assert.equal((await audit("--newest-within", "1h")).code, 0);
    const wrong = await audit("--newest-within", "soon");
    assert.deepEqual(
      [wrong.code, wrong.stderr.split("\n")[0]],
      [64, "--newest-within is not a length of time"],
    );
  });

  test("reads no response that is longer than any of a trail", async () => {
    server.tamper((_, body) => Buffer.concat([body, Buffer.alloc(17 * 2 ** 20)]));
    const client = makeTrailClient(new URL(server.url), auditor, []);
    await assert.rejects(client.checkpoint(), {
      message: /cannot be read: a response is longer than 16777472 bytes$/,
    });
  });

  test("counts an entry that is dated ahead by more than this as none of this time", async () => {
    const ahead = (milliseconds: number) =>
      trailOf(3, () => ({
        recordedAt: new Date(Date.now() + milliseconds).toISOString().replace("Z", "000Z"),
      }));
    server.serve(ahead(7_200_000));
    await refuses(/^the newest entry is not within 1h of now: /, "--newest-within", "1h");
    // Clocks of two machines differ.
    server.serve(ahead(60_000));
    assert.equal((await audit("--newest-within", "1h")).code, 0);
  });

  test("counts no entry, and one without a time, as too old", async () => {
    server.serve(trailOf(2, () => ({ recordedAt: null })));
    await refuses(/^the newest entry is older than 3650d: /, "--newest-within", "3650d");
    server.serve(trail, 0);
    await refuses(/^the newest entry is older than 3650d: /, "--newest-within", "3650d");
  });

  test("wants the cosignature of each witness on the newest checkpoint", async () => {
    const [one, other] = [makeWitness("one.example"), makeWitness("other.example")];
    await refuses(/^the trail is not cosigned by one\.example\n$/, "--witness", one.vkey);
    server.tamper((path, body) =>
      path.endsWith("/checkpoint") ? Buffer.from(body + one.cosign(body.toString())) : body,
    );
    const both = ["--witness", one.vkey, "--witness", other.vkey];
    await refuses(/^the trail is not cosigned by other\.example\n$/, ...both);
    assert.equal((await audit("--witness", one.vkey)).code, 0);
    const { code, stderr } = await audit("--witness", trail.vkey);
    assert.deepEqual([code, stderr.split("\n")[0]], [64, "--witness is the key of a log, not of a witness"]);
    const asKey = await runCommand(
      "audit",
      ["--url", server.url, "--key", one.vkey, "--state", "x"],
      environment,
    );
    assert.deepEqual(
      [asKey.code, asKey.stderr.split("\n")[0]],
      [64, "--key is the key of a witness, not of a log"],
    );
  });

  test("verify wants them too: of checkpoints and of proofs, and not with --database", async () => {
    const witness = makeWitness("one.example");
    const note = trail.checkpoint(10);
    const entries = file("entries", trail.export());
    const verify = (...args: readonly string[]) =>
      runCommand("verify", ["--key", trail.vkey, "--witness", witness.vkey, ...args], {});
    const export_ = (checkpoint: string) =>
      verify("--entries", entries, "--checkpoint", file("note", checkpoint));
    assert.match((await export_(note)).stderr, /note is not cosigned by one\.example\n$/);
    assert.equal((await export_(note + witness.cosign(note))).code, 0);
    const proof = trail.proof(3, 10);
    const { kind: _, recordedAt: __, ...log } = logEntry(4);
    const answered = file("log", JSON.stringify({ ...log, assetName: "Pump" }));
    const proven = (text: string) => verify("--proof", file("proof", text), "--log", answered);
    assert.match((await proven(proof)).stderr, /proof is not cosigned by one\.example\n$/);
    assert.equal((await proven(proof + witness.cosign(note))).code, 0);
    const database = await verify("--database");
    assert.deepEqual(
      [database.code, /--witness does not go with --database/.test(database.stderr)],
      [64, true],
    );
  });
});
