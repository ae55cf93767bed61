import { makePrefixCheck, type PrefixCheck } from "../domain/trail/comparison.ts";
import { leafHash, makeFrontier } from "../domain/trail/merkle.ts";
import { mostEntryBytes } from "../domain/trail/tile.ts";
import { type CommandContext, CommandError, exitCodes } from "./command.ts";
import { partsOf, readCheckpoints, type TrustedKeys } from "./verify-input.ts";

const lineEnd = 0x0a;

/** Recomputes the tree from an export, and compares it with each checkpoint. */
export async function verifyEntries(
  { print }: CommandContext,
  { keys, witnesses }: TrustedKeys,
  paths: readonly string[],
  entriesPath: string,
): Promise<void> {
  const checkpoints = await readCheckpoints(paths, keys, witnesses);
  const check = makePrefixCheck(checkpoints, makeFrontier());
  await readEntries(entriesPath, check);

  const matching = checkpoints.filter(check.matches);
  const covered = Math.max(0, ...matching.map(({ size }) => size));
  for (const { path, origin, size } of matching)
    print(`${path} of ${origin} matches ${size === 0 ? "0 entries" : `entries 0 to ${size - 1}`}`);
  print(`${entriesPath} has ${check.size} entries, of which the first ${covered} are proven`);

  const faults = checkpoints
    .filter(checkpoint => !matching.includes(checkpoint))
    .map(({ path, size }) => {
      if (check.size < size)
        return `${path} covers ${size} entries, but ${entriesPath} has only ${check.size}: the end is missing`;
      const later = matching.find(other => other.size >= size);
      if (later !== undefined) return `${path} is of another history than ${later.path}, which matches`;
      return `${path} does not match: at least one of the entries ${covered} to ${size - 1} is not as it was, or not there`;
    });
  if (faults.length > 0) throw new CommandError(exitCodes.failure, ...faults);
}

/** Adds the lines of an export, without their ends. */
async function readEntries(path: string, check: PrefixCheck): Promise<void> {
  const failed = (what: string) => new CommandError(exitCodes.failure, `${path} ${what}`);
  let rest: Buffer = Buffer.alloc(0);
  for await (const part of partsOf(path)) {
    const bytes = rest.length === 0 ? part : Buffer.concat([rest, part]);
    let start = 0;
    for (let end = bytes.indexOf(lineEnd); end >= 0; end = bytes.indexOf(lineEnd, start)) {
      if (end === start) throw failed(`is not an export: entry ${check.size} is empty`);
      check.add(leafHash(bytes.subarray(start, end)));
      start = end + 1;
    }
    rest = bytes.subarray(start);
    if (rest.length > mostEntryBytes) throw failed(`is not an export: entry ${check.size} is too long`);
  }
  if (rest.length > 0) throw failed(`is cut off within entry ${check.size}`);
}
