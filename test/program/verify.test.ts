import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { runCommand } from "../support/command.ts";
import { programCommand } from "../support/compiled.ts";
import { runProgram } from "../support/program.ts";
import { proofCases, verifierKey } from "../support/proof-cases.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { answeredLog, logEntry, makeTestTrail } from "../support/trail.ts";

const folder = makeTemporaryFolder();

const file = (name: string, content: string | Buffer): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

/** Runs `verify`; paths in what it says become file names. */
const verify = async (...args: string[]) => {
  const { code, stdout, stderr } = await runCommand("verify", args);
  const named = (text: string) => text.replaceAll(`${folder}/`, "");
  return { code, stdout: named(stdout), stderr: named(stderr) };
};

const trail = makeTestTrail();
for (let id = 1; id <= 300; id += 1) trail.add(logEntry(id));
const key = ["--key", trail.vkey];
const exported = trail.export();

const verifyEntries = (entries: string, ...checkpoints: readonly string[]) =>
  verify(...key, ...checkpoints.flatMap(path => ["--checkpoint", path]), "--entries", entries);
const verifyLog = (proof: string, log: string) => verify(...key, "--proof", proof, "--log", log);

describe("trail-key", () => {
  test("prints the signer key to standard output and the verifier key to standard error", async () => {
    const { code, stdout, stderr } = await runProgram(["trail-key", "example.com/log"]);
    assert.equal(code, 0);
    assert.match(stdout, /^PRIVATE\+KEY\+example\.com\/log\+[\da-f]{8}\+[A-Za-z\d+/]{44}\n$/);
    assert.match(stderr, /^example\.com\/log\+[\da-f]{8}\+[A-Za-z\d+/]{44}\n$/);
    assert.equal(stdout.split("+")[3], stderr.split("+")[1]);
    const other = await runProgram(["trail-key", "example.com/log"]);
    assert.notEqual(other.stdout, stdout);
  });

  test("--public prints the verifier key of the one that is kept", async () => {
    const made = await runProgram(["trail-key", "example.com/log"]);
    const path = file("kept-key", made.stdout);
    for (const settings of [{ TRAIL_KEY_FILE: path }, { TRAIL_KEY: made.stdout.trim() }]) {
      const { code, stdout, stderr } = await runProgram(["trail-key", "--public"], settings);
      assert.deepEqual([code, stdout, stderr], [0, made.stderr, ""]);
    }
    const none = await runProgram(["trail-key", "--public"]);
    assert.deepEqual([none.code, none.stderr.split(";")[0]], [78, "trail-key: TRAIL_KEY is missing"]);
  });

  test("refuses any other arguments with 64", async () => {
    for (const args of [
      [],
      ["a", "b"],
      ["a b"],
      ["a+b"],
      [""],
      ["--force"],
      ["a", "--public"],
      ["a", "--out", "x"],
    ]) {
      const { code, stdout, stderr } = await runCommand("trail-key", args);
      assert.deepEqual([code, stdout], [64, ""], args.join());
      assert.match(stderr, /^[^\n]+\n$/);
    }
  });
});

describe("verify --entries", () => {
  const entries = file("entries", exported);
  const newest = file("newest", trail.checkpoint());
  const older = file("older", trail.checkpoint(200));

  test("accepts an export that gives the roots of all checkpoints", async () => {
    assert.deepEqual(await verifyEntries(entries, newest, older), {
      code: 0,
      stdout:
        "newest of example.com/log matches entries 0 to 299\n" +
        "older of example.com/log matches entries 0 to 199\n" +
        "entries has 300 entries, of which the first 300 are proven\n",
      stderr: "",
    });
    const { code, stdout } = await verifyEntries(entries, older);
    assert.equal(code, 0);
    assert.match(stdout, /has 300 entries, of which the first 200 are proven\n$/);
  });

  test("accepts the empty trail", async () => {
    const checkpoint = file("nothing", makeTestTrail().checkpoint());
    const { code, stdout } = await verifyEntries(file("none", ""), checkpoint);
    assert.deepEqual(
      [code, stdout],
      [
        0,
        "nothing of example.com/log matches 0 entries\nnone has 0 entries, of which the first 0 are proven\n",
      ],
    );
  });

  const lines = exported.trimEnd().split("\n");
  const joined = (lines: readonly string[]) => `${lines.join("\n")}\n`;
  const moved = (from: number, to: number) => {
    const rest = lines.toSpliced(from, 1);
    return joined(rest.toSpliced(to, 0, lines[from] as string));
  };
  for (const [what, tampered, said] of [
    [
      "a changed comment",
      exported.replace("comment 251:", "comment 999:"),
      /^newest does not match: at least one of the entries 200 to 299 is not as it was, or not there\n$/,
    ],
    [
      "a changed first entry",
      exported.replace("comment 1:", "comment x:"),
      /entries 0 to 199 .*\n.*0 to 299/,
    ],
    ["an exchange", moved(210, 220), /entries 200 to 299/],
    ["an insertion", joined(lines.toSpliced(250, 0, lines[250] as string)), /entries 200 to 299/],
    [
      "a removal",
      joined(lines.toSpliced(250, 1)),
      /covers 300 entries, but tampered has only 299: the end is missing/,
    ],
    ["a missing end", joined(lines.slice(0, 250)), /covers 300 entries, but tampered has only 250/],
    ["an end within an entry", exported.slice(0, -1), /^tampered is cut off within entry 299\n$/],
    ["other line ends", exported.replaceAll("\n", "\r\n"), /entries 0 to 199/],
    ["another file", "x".repeat(600_000), /^tampered is not an export: entry 0 is too long\n$/],
    ["line ends alone", "\n".repeat(600_000), /^tampered is not an export: entry 0 is empty\n$/],
    ["an empty line", exported.replace(/\n/, "\n\n"), /^tampered is not an export: entry 1 is empty\n$/],
  ] as const) {
    test(`refuses ${what}`, async () => {
      const { code, stderr } = await verifyEntries(file("tampered", tampered), older, newest);
      assert.equal(code, 1);
      assert.match(stderr, said);
    });
  }

  test("refuses a checkpoint of another history, of another key, and what is none", async () => {
    const other = makeTestTrail();
    other.add(logEntry(7));
    const forked = file("forked", other.checkpoint());
    const { code, stdout, stderr } = await verifyEntries(entries, newest, forked);
    assert.deepEqual([code, stderr], [1, "forked is of another history than newest, which matches\n"]);
    assert.match(stdout, /^newest of example\.com\/log matches/);
    for (const [content, said] of [
      [makeTestTrail("other.example").checkpoint(), "is not signed by this key"],
      [trail.checkpoint().replace("300", "301"), "has a wrong signature of example.com/log"],
      ["", "is not a signed note"],
    ] as const) {
      const { code, stderr } = await verifyEntries(entries, file("wrong", content));
      assert.deepEqual([code, stderr], [1, `wrong ${said}\n`]);
    }
  });

  test("takes more than one key", async () => {
    const next = makeTestTrail("next.example");
    next.add(...trail.entries);
    const checkpoint = file("next", next.checkpoint());
    const args = ["--checkpoint", older, "--checkpoint", checkpoint, "--entries", entries];
    assert.equal((await verify(...key, "--key", next.vkey, ...args)).code, 0);
    assert.equal((await verify(...key, ...args)).code, 1);
  });

  test("ends with 74 when its output cannot be written whole", t => {
    const command = `${programCommand} verify --key ${trail.vkey} --checkpoint ${newest} --entries ${entries} > /dev/full`;
    if (process.platform !== "linux") return t.skip("only Linux has /dev/full");
    const { status, stderr } = spawnSync("sh", ["-c", command], { encoding: "utf8" });
    assert.equal(status, 74);
    assert.match(stderr, /^verify: the output cannot be written whole: [^\n]*ENOSPC[^\n]*\n$/);
  });
});

describe("verify --proof", () => {
  const proof = file("proof", trail.proof(16));
  const answered = answeredLog(logEntry(17));
  const log = file("log.json", JSON.stringify(answered));

  test("accepts a log that is as it was recorded", async () => {
    assert.deepEqual(await verifyLog(proof, log), {
      code: 0,
      stdout:
        "the proof holds: log 17 is entry 16 of the 300 that a checkpoint of example.com/log covers, " +
        "recorded at 2026-01-08T09:00:00.000001Z\n" +
        "not part of the entry, so not proven: assetName\n",
      stderr: "",
    });
  });

  test("names the fields that differ", async () => {
    const { comment: _, ...rest } = {
      ...answered,
      id: "17",
      status: "COMPLETED",
      performedByName: "Ada\u202eKing",
    };
    const changed = file("changed.json", JSON.stringify(rest));
    const { code, stdout, stderr } = await verifyLog(proof, changed);
    assert.equal(code, 1);
    assert.equal(
      stdout,
      "the log is NOT what the trail has: id, status, comment, performedByName differ from log 17, " +
        "entry 16 of the 300 that a checkpoint of example.com/log covers, recorded at 2026-01-08T09:00:00.000001Z\n",
    );
    assert.deepEqual(stderr.trimEnd().split("\n"), [
      'id differs: the log has "17", the entry has 17',
      'status differs: the log has "COMPLETED", the entry has "PENDING"',
      String.raw`comment is missing, the entry has "comment 17: 漢 😀 \"é\""`,
      String.raw`performedByName differs: the log has "Ada\u{202e}King", the entry has "Ada Lovelace" (the performer's name when the log was written)`,
    ]);
  });

  test("compares each field that is recorded", async () => {
    const { assetName: _, ...recorded } = answered;
    for (const [field, value] of Object.entries(recorded)) {
      const other = typeof value === "number" ? value + 1 : `${value} `;
      const changed = file("changed.json", JSON.stringify({ ...answered, [field]: other }));
      const { code, stderr } = await verifyLog(proof, changed);
      assert.equal(code, 1);
      assert.match(stderr, new RegExp(`^${field} differs: [^\n]*\n$`));
      const without = file("without.json", JSON.stringify({ ...answered, [field]: undefined }));
      const missing = await verifyLog(proof, without);
      assert.equal(missing.code, 1);
      assert.match(missing.stderr, new RegExp(`^${field} is missing, the entry has [^\n]*\n$`));
    }
  });

  test("says what is not known of a log from before the trail", async () => {
    const old = makeTestTrail();
    const entry = logEntry(1, { recordedAt: null, performedByName: null });
    old.add(entry);
    const answered = { ...answeredLog(entry), performedByName: "Ada King" };
    const { code, stdout } = await verifyLog(
      file("old-proof", old.proof(0)),
      file("old.json", JSON.stringify(answered)),
    );
    assert.equal(code, 0);
    assert.match(
      stdout,
      /recorded before the trail began\nnot part of the entry, so not proven: performedByName, assetName\n$/,
    );
  });

  test("refuses a proof that does not hold", async () => {
    const good = trail.proof(16);
    const withEntry = (entry: string) =>
      good.replace(/^extra .*$/m, `extra ${Buffer.from(entry).toString("base64")}`);
    const employee = makeTestTrail();
    employee.add({ kind: "employee", id: 1, role: "ADMIN", active: true, changedBy: null, recordedAt: null });
    const notHeld = "does not hold: its entry is not in the tree of its checkpoint";
    for (const [content, said] of [
      [withEntry(exported.split("\n")[17] as string), notHeld],
      [withEntry("{}"), notHeld],
      [good.replace("index 16", "index 17"), notHeld],
      [good.replace("index 16", "index 300"), notHeld],
      [good.replace(/index 16\n.*\n/, "index 16\n"), notHeld],
      [good.replace("\n300\n", "\n299\n"), "has a wrong signature of example.com/log"],
      [employee.proof(0), "is of an entry that is not a log"],
      ["", "does not begin with c2sp.org/tlog-proof@v1"],
    ] as const) {
      const { code, stdout, stderr } = await verifyLog(file("tampered", content), log);
      assert.deepEqual([code, stdout, stderr], [1, "", `tampered ${said}\n`]);
    }
  });

  test("compares what the API does not answer where the log has it", async () => {
    const whole = logEntry(17);
    const good = file("whole.json", JSON.stringify(whole));
    assert.equal((await verifyLog(proof, good)).code, 0);
    for (const [field, value] of [
      ["recordedAt", "2020-01-08T09:00:00.000001Z"],
      ["kind", "asset"],
    ]) {
      const changed = file("changed.json", JSON.stringify({ ...whole, [field as string]: value }));
      const { code, stderr } = await verifyLog(proof, changed);
      assert.equal(code, 1);
      assert.match(stderr, new RegExp(`^${field} differs: [^\n]*\n$`));
    }
  });

  test("refuses a log that other programs may read in another way", async () => {
    const text = JSON.stringify(answered);
    const quoting = { ...answered, more: ['"a":', { a: '\\"b":', c: [{ a: 1 }] }] };
    assert.equal((await verifyLog(proof, file("quoting.json", JSON.stringify(quoting)))).code, 0);
    // As other programs write numbers.
    for (const number of ["2.0", "12.50", "1e5", "-0", "12345678901234567890"]) {
      const other = file("number.json", text.replace("{", `{"hours":${number},`));
      assert.equal((await verifyLog(proof, other)).code, 0, number);
    }
    for (const [content, said] of [
      [text.replace("{", '{"status":"COMPLETED",'), "has a name that comes twice"],
      [text.replace("{", '{"st\\u0061tus" : "COMPLETED",'), "has a name that comes twice"],
      [text.replace("{", '{"more":{"a":1,"a":2},'), "has a name that comes twice"],
      [
        Buffer.concat([Buffer.from('{"more":"'), Buffer.of(0xff), Buffer.from(`",${text.slice(1)}`)]),
        "is not UTF-8",
      ],
    ] as const) {
      const { code, stderr } = await verifyLog(proof, file("wrong.json", content));
      assert.deepEqual([code, stderr], [1, `wrong.json ${said}\n`]);
    }
  });

  for (const { name, log, proof, holds } of proofCases) {
    test(`says of ${name} what the page says`, async () => {
      const files = ["--proof", file("case.proof", proof), "--log", file("case.json", log)];
      const { code, stderr } = await verify("--key", verifierKey, ...files);
      assert.equal(code, holds ? 0 : 1, stderr);
    });
  }

  test("refuses a log that is no JSON object", async () => {
    for (const content of ["", "[]", "7", "null"]) {
      const { code } = await verifyLog(proof, file("wrong.json", content));
      assert.equal(code, 1);
    }
  });

  test("reads no more of a file than a log, a proof or a checkpoint can have", async () => {
    const endless = "/dev/zero";
    const long = file("long", Buffer.alloc(1_000_001, " "));
    const said = (path: string) => [1, `${path} is longer than 1000000 bytes\n`];
    const entries = file("entries", exported);
    for (const path of [endless, long]) {
      for (const args of [
        ["--proof", path, "--log", log],
        ["--proof", proof, "--log", path],
        ["--checkpoint", path, "--entries", entries],
      ]) {
        const { code, stderr } = await verify(...key, ...args);
        assert.deepEqual([code, stderr], said(path.replace(`${folder}/`, "")));
      }
    }
    const text = Buffer.from(JSON.stringify(answered));
    const longest = file("longest", Buffer.concat([text, Buffer.alloc(1_000_000 - text.length, " ")]));
    assert.equal((await verifyLog(proof, longest)).code, 0);
  });

  test("refuses wrong arguments with 64, and what cannot be read with 66", async () => {
    for (const args of [
      [],
      key,
      ["--proof", proof, "--log", log],
      ["--key", `${trail.vkey}x`, "--proof", proof, "--log", log],
      [...key, "--proof", proof],
      [...key, "--log", log],
      [...key, "--checkpoint", proof],
      [...key, "--proof", proof, "--log", log, "--entries", log],
      [...key, "--proof", proof, "--log", log, "--nonsense"],
      [...key, "--proof", proof, "--log", log, "more"],
    ]) {
      const { code, stdout, stderr } = await verify(...args);
      assert.deepEqual([code, stdout], [64, ""], stderr);
    }
    assert.match((await verify("--database")).stderr, /--key is missing/);
    const both = await verify(...key, "--database", "--proof", proof);
    assert.deepEqual([both.code, both.stdout], [64, ""]);
    assert.match(both.stderr, /^takes --checkpoint and --entries, or /);
    const gone = join(folder, "gone");
    const checkpoint = file("newest", trail.checkpoint());
    for (const args of [
      ["--proof", gone, "--log", log],
      ["--proof", proof, "--log", gone],
      ["--checkpoint", gone, "--entries", gone],
      ["--checkpoint", checkpoint, "--entries", gone],
      ["--checkpoint", checkpoint, "--entries", folder],
    ]) {
      const { code, stderr } = await verify(...key, ...args);
      assert.equal(code, 66, stderr);
      assert.match(stderr, /cannot be read: /);
    }
  });
});
