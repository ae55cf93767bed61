import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { readEntry } from "../../src/domain/trail/entry.ts";
import { makeSignerKey, signNote } from "../../src/domain/trail/note.ts";
import { proofCases, verifierKey } from "../support/proof-cases.ts";
import { inPython, type RetypedProgram } from "../support/retyped-program.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { answeredLog, logEntry, makeTestTrail, trailOf } from "../support/trail.ts";

const page = readFileSync("docs/trail.md", "utf8");

/** The fenced blocks of a language, in their order. */
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))].map(([, text = ""]) => text);

const [entries = "", checkpoint = "", proof = ""] = blocks("text");
const [log = ""] = blocks("json");
const [, vkey = ""] = /the verifier key `([^`]+)` belongs to it/.exec(page) ?? [];

describe("the examples of docs/trail.md", () => {
  test("are what the service would say of these entries", () => {
    const trail = makeTestTrail("example.com/maintenance");
    for (const line of entries.trimEnd().split("\n")) trail.add(readEntry(Buffer.from(line)));
    assert.deepEqual(
      [trail.export(), trail.checkpoint(), trail.proof(2), trail.vkey],
      [entries, checkpoint, proof, vkey],
    );
  });
});

const folder = makeTemporaryFolder();

const file = (name: string, content: string | Buffer): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

const name = "check_trail.py";
const source = readFileSync(join("docs", name), "utf8");
const skip = spawnSync("python3", ["--version"]).error !== undefined && "there is no python3";

describe(`docs/${name}`, { skip }, () => {
  let program: RetypedProgram;
  before(() => {
    program = inPython(file(name, source));
  });
  after(() => program.close());
  const run = (key: string, first: string | Buffer, second: string | Buffer) =>
    program.run([key, file("first", first), file("second", second)]);
  const accepts = async (said: RegExp, ...given: Parameters<typeof run>) => {
    const { status, stdout } = await run(...given);
    assert.equal(status, 0);
    assert.match(stdout, said);
  };
  const refuses = async (what: string, ...given: Parameters<typeof run>) => {
    assert.deepEqual(await run(...given), { status: 1, stdout: "" }, what);
  };

  test("has at most 80 lines", () => assert.ok(source.split("\n").length - 1 <= 80));

  test("accepts the examples", async () => {
    await accepts(/^The first 3 entries are those that were signed\.\n$/, vkey, checkpoint, entries);
    await accepts(/^The log is as it was recorded at 2026-03-02T08:17:31\.882003Z\.\n$/, vkey, proof, log);
  });

  test("accepts trails, and proofs in them, of every shape", async () => {
    const trail = trailOf(300);
    for (const size of [0, 1, 2, 3, 5, 8, 255, 256, 300]) {
      await accepts(/^The first \d+ entries/, trail.vkey, trail.checkpoint(size), trail.export());
    }
    for (const [index, size] of [2, 5, 256, 300].flatMap(size => [
      [0, size] as const,
      [size - 1, size] as const,
    ])) {
      const answered = JSON.stringify(answeredLog(logEntry(index + 1)));
      await accepts(/^The log is as it was recorded/, trail.vkey, trail.proof(index, size), answered);
    }
    const old = makeTestTrail();
    old.add(logEntry(1, { recordedAt: null, performedByName: null }));
    await accepts(/^The log/, old.vkey, old.proof(0), JSON.stringify(answeredLog(logEntry(1))));
    const hard = makeTestTrail();
    hard.add(logEntry(1, { comment: '":" \\" {"status":"PENDING"}' }));
    await accepts(/^The log/, hard.vkey, hard.proof(0), JSON.stringify(hard.entries[0]));
  });

  // Python reads these forms of the same log and the same proof, too.
  const forms = ["a byte order mark", "UTF-16"];
  const formsOfProof = ["a NUL at the end", "no line break at the end", "white space in base64"];
  const taken = [
    ...forms,
    ...[...formsOfProof, "a signature line that is none"].map(name => `${name}, in the proof`),
  ];
  test("says of each log and proof what the command says, but for forms of the same text", async () => {
    for (const { name, log, proof, holds } of proofCases) {
      const { status } = await run(verifierKey, proof, log);
      assert.equal(status, holds || taken.includes(name) ? 0 : 1, name);
    }
  });

  test("refuses what was tampered with", async () => {
    const trail = trailOf(11);
    const [exported, signed, held] = [trail.export(), trail.checkpoint(), trail.proof(6)];
    const lines = exported.split("\n");
    const answered = answeredLog(logEntry(7));
    const json = JSON.stringify(answered);
    const { vkey } = trail;
    await refuses("a changed entry", vkey, signed, exported.replace("comment 3", "comment 4"));
    await refuses("a missing entry", vkey, signed, lines.toSpliced(4, 1).join("\n"));
    await refuses("an entry twice", vkey, signed, lines.toSpliced(4, 0, lines[4] as string).join("\n"));
    await refuses(
      "an exchange",
      vkey,
      signed,
      lines.toSpliced(4, 2, lines[5] as string, lines[4] as string).join("\n"),
    );
    await refuses("a missing end", vkey, signed, `${lines.slice(0, 10).join("\n")}\n`);
    await refuses("no entries", vkey, signed, "");
    await refuses("another size", vkey, signed.replace("\n11\n", "\n10\n"), exported);
    await refuses("another root", vkey, signed.replace(/\n11\n./, "\n11\nx"), exported);
    await refuses("another key", makeTestTrail("other.example").vkey, signed, exported);
    await refuses("another seed under the same name", vkey, makeOther(signed), exported);
    const ofOther = `${signed.split("\n\n")[0]}\n`.replace(/^.*/, "other.example");
    const signer = makeSignerKey("example.com/log", new Uint8Array(32).fill(3));
    await refuses("the name of another trail", vkey, signNote(ofOther, signer), exported);
    await refuses("no signature", vkey, `${signed.split("\n\n")[0]}\n\n`, exported);
    await refuses("no checkpoint", vkey, "", exported);
    for (const [field, value] of Object.entries({ ...answered, assetName: undefined })) {
      if (value === undefined) continue;
      await refuses(field, vkey, held, JSON.stringify({ ...answered, [field]: "x" }));
    }
    for (const [field, value] of [
      ["comment", undefined],
      ["kind", "employee"],
      ["kind", null],
      ["recordedAt", "2026-01-08T09:00:00.000002Z"],
      ["recordedAt", null],
      ["id", true],
    ] as const) {
      await refuses(field, vkey, held, JSON.stringify({ ...answered, [field]: value }));
    }
    const before = makeTestTrail();
    before.add(logEntry(1, { recordedAt: null }));
    const dated = JSON.stringify({
      ...answeredLog(logEntry(1)),
      recordedAt: "2026-01-08T09:00:00.000001Z",
    });
    await refuses("a moment that was not recorded", before.vkey, before.proof(0), dated);
    await refuses("the proof of another log", vkey, trail.proof(5), json);
    await refuses("a hash less", vkey, held.replace(/(index 6\n)[^\n]*\n/, "$1"), json);
    await refuses("a hash more", vkey, held.replace(/(index 6\n)([^\n]*\n)/, "$1$2$2"), json);
    const forged = Buffer.from(lines[6]?.replace("PENDING", "COMPLETED") ?? "").toString("base64");
    const completed = JSON.stringify({ ...answered, status: "COMPLETED" });
    await refuses("a forged entry", vkey, held.replace(/extra .*/, `extra ${forged}`), completed);
    await refuses("an unsigned checkpoint", vkey, held.replace("\n11\n", "\n12\n"), json);
    const employee = makeTestTrail();
    employee.add({
      kind: "employee",
      id: 7,
      role: "ADMIN",
      active: true,
      changedBy: null,
      recordedAt: null,
    });
    await refuses("an entry of another kind", vkey, employee.proof(0), json);
    await refuses("a log of another kind", vkey, employee.proof(0), JSON.stringify(employee.entries[0]));
  });
});

/** The same text with the signature of the right key over another text. */
function makeOther(signed: string): string {
  const [text = ""] = signed.split("\n\n");
  const [, signature = ""] = trailOf(5).checkpoint().split("\n\n");
  return `${text}\n\n${signature}`;
}
