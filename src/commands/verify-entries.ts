import { createReadStream } from "node:fs";
import { trailCrypto } from "../adapters/trail-crypto.ts";
import { type Checkpoint, openCheckpoint } from "../domain/trail/checkpoint.ts";
import { makeTreeHasher } from "../domain/trail/merkle.ts";
import type { VerifierKey } from "../domain/trail/note.ts";
import { makePrefixCheck, type PrefixCheck } from "../domain/trail/verification.ts";
import { CommandError, exitCodes, type Surroundings } from "./command.ts";
import { writeWhole } from "./output.ts";
import { readInput, unreadable } from "./verify-input.ts";

/** An entry has at most as many bytes as an entry bundle can say. */
const longestEntry = 0xffff;
const lineEnd = 0x0a;

interface Judged extends Checkpoint {
  readonly path: string;
}

/** Recomputes the tree from an export, and holds it against each checkpoint. */
export async function verifyEntries(
  { stdout }: Surroundings,
  keys: readonly VerifierKey[],
  paths: readonly string[],
  entriesPath: string,
): Promise<void> {
  const checkpoints = paths.map(path => ({
    path,
    ...readInput(path, note => openCheckpoint(note, keys, trailCrypto)),
  }));
  const check = makePrefixCheck(makeTreeHasher(trailCrypto.sha256), checkpoints);
  for await (const lines of linesOf(entriesPath)) {
    for (const line of lines) {
      if (line.length === 0) throw notExport(entriesPath, check.size, "empty");
      check.add(line);
    }
  }

  const matching = checkpoints.filter(checkpoint => check.matches(checkpoint) === true);
  const covered = Math.max(0, ...matching.map(({ size }) => size));
  const lines = matching.map(({ path, origin, size }) => {
    const what = size === 0 ? "0 entries" : `entries 0 to ${size - 1}`;
    return `${path} of ${origin} matches ${what}`;
  });
  lines.push(`${entriesPath} has ${check.size} entries, of which the first ${covered} are proven`);
  await writeWhole(stdout, `${lines.join("\n")}\n`);

  const faults = checkpoints
    .filter(checkpoint => !matching.includes(checkpoint))
    .map(checkpoint => faultOf(checkpoint, matching, check, entriesPath));
  if (faults.length > 0) throw new CommandError(exitCodes.failure, ...faults);
}

/** What is wrong, and where, as far as the checkpoints that match say so. */
function faultOf(
  { path, size }: Judged,
  matching: readonly Judged[],
  check: PrefixCheck,
  entriesPath: string,
): string {
  if (check.size < size) {
    return `${path} covers ${size} entries, but ${entriesPath} has only ${check.size}: the end is missing`;
  }
  const later = matching.find(other => other.size >= size);
  if (later !== undefined) return `${path} is of another history than ${later.path}, which matches`;
  const intact = Math.max(0, ...matching.map(other => other.size));
  return `${path} does not match: at least one of the entries ${intact} to ${size - 1} is not as it was, or not there`;
}

/** The lines of a file without their ends, as many at a time as there are in a part of it. */
async function* linesOf(path: string): AsyncGenerator<readonly Uint8Array[]> {
  let rest: Buffer = Buffer.alloc(0);
  let count = 0;
  try {
    for await (const part of createReadStream(path, { highWaterMark: 1 << 18 }) as AsyncIterable<Buffer>) {
      const bytes = rest.length === 0 ? part : Buffer.concat([rest, part]);
      const lines: Uint8Array[] = [];
      let start = 0;
      for (let end = bytes.indexOf(lineEnd); end >= 0; end = bytes.indexOf(lineEnd, start)) {
        lines.push(bytes.subarray(start, end));
        start = end + 1;
      }
      yield lines;
      count += lines.length;
      rest = bytes.subarray(start);
      if (rest.length > longestEntry) break;
    }
  } catch (error) {
    throw unreadable(path, error);
  }
  if (rest.length > longestEntry) {
    throw notExport(path, count, "too long");
  }
  if (rest.length > 0) throw new CommandError(exitCodes.failure, `${path} is cut off within entry ${count}`);
}

const notExport = (path: string, index: number, what: string): CommandError =>
  new CommandError(exitCodes.failure, `${path} is not an export: entry ${index} is ${what}`);
