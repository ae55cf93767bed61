import { answeredLog, logEntry, makeTestTrail } from "./trail.ts";

/** Files of a log and a proof, and whether the log is as it was recorded. The page and the command have to say the same of each. */
export interface ProofCase {
  readonly name: string;
  readonly log: Buffer;
  readonly proof: Buffer;
  readonly holds: boolean;
}

const trail = makeTestTrail();
for (let id = 1; id <= 11; id += 1) trail.add(logEntry(id, { comment: "\ufffd" }));
/** The first whole number that another one is rounded to. */
const rounded = 2 ** 53;
trail.add(logEntry(12, { id: rounded }));

export const verifierKey = trail.vkey;

const log = JSON.stringify(answeredLog(logEntry(7, { comment: "\ufffd" })));
const proof = trail.proof(6);
const alone = makeTestTrail();
alone.add(logEntry(7, { comment: "\ufffd" }));
const bytes = (text: string, encoding: BufferEncoding = "utf8") => Buffer.from(text, encoding);
const utf16 = (text: string) => Buffer.concat([Buffer.of(0xff, 0xfe), bytes(text, "utf16le")]);
/** The replacement character as a byte that is no UTF-8. */
const invalid = (text: string) => bytes(bytes(text).toString("hex").replaceAll("efbfbd", "ff"), "hex");
const members = (sent: string) => log.replace("{", `{${sent},`);
const id = (digits: string) => log.replace('"id":7', `"id":${digits}`);

const logs: readonly (readonly [name: string, log: string | Buffer, holds: boolean])[] = [
  ["the log", log, true],
  ["a log with white space", JSON.stringify(JSON.parse(log), null, 2), true],
  ["a field that is not recorded", members('"hours":2.0'), true],
  ["an object within", members('"more":{"a":[{"b":1e5}],"c":"\\"d\\":"}'), true],
  ["another comment", log.replace("\ufffd", "?"), false],
  ["a digit after the sixteenth", id("7.0000000000000000001"), false],
  ["a number in another form", id("7.0"), false],
  ["a number as a text", id('"7"'), false],
  ["an escaped name of a number", log.replace('"id":7', '"\\u0069d":7.0'), false],
  ["a byte that is no UTF-8", invalid(log), false],
  ["a byte order mark", `\ufeff${log}`, false],
  ["UTF-16", utf16(log), false],
  ["a NUL at the end", `${log}\0`, false],
  ["a name that comes twice", members('"status":"COMPLETED"'), false],
  ["a name that comes twice, escaped", members('"st\\u0061tus":"COMPLETED"'), false],
  ["a name that comes twice within", members('"more":{"a":1,"a":2}'), false],
  ["a name that looks like another", log.replace('"status"', '"st\u0430tus"'), false],
  ["a list", `[${log}]`, false],
  ["half a log", log.slice(0, -9), false],
];

const proofs: readonly (readonly [name: string, proof: string | Buffer])[] = [
  ["another index", proof.replace("index 6", "index 7")],
  ["an index past the end of one entry", alone.proof(0).replace("index 0", "index 1")],
  ["a byte order mark", `\ufeff${proof}`],
  ["UTF-16", utf16(proof)],
  ["a NUL at the end", `${proof}\0`],
  ["a line more at the end", `${proof}\n`],
  ["no line break at the end", proof.slice(0, -1)],
  ["carriage returns", proof.replaceAll("\n", "\r\n")],
  ["white space in base64", proof.replace(/^(extra .{9})/m, "$1 ")],
  ["base64 that is not padded", proof.replace(/^(extra [^\n=]*)=*$/m, "$1*")],
  ["a signature line that is none", `${proof}example\n`],
  ["a dash that looks like another", proof.replace("—", "–")],
];

export const proofCases: readonly ProofCase[] = [
  ...logs.map(([name, log, holds]) => ({ name, log: Buffer.from(log), proof: bytes(proof), holds })),
  {
    name: "an id that is rounded",
    log: bytes(
      JSON.stringify(answeredLog(logEntry(12, { id: rounded }))).replace(`${rounded}`, "9007199254740993"),
    ),
    proof: bytes(trail.proof(11)),
    holds: false,
  },
  ...proofs.map(([name, proof]) => ({
    name: `${name}, in the proof`,
    log: bytes(log),
    proof: Buffer.from(proof),
    holds: false,
  })),
];
