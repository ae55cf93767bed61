import { openCheckpoint } from "../domain/trail/checkpoint.ts";
import { differences, provenLog, unprovenFields } from "../domain/trail/comparison.ts";
import { TrailError } from "../domain/trail/encoding.ts";
import { comparedFields, type LogEntry } from "../domain/trail/entry.ts";
import { readProof } from "../domain/trail/proof.ts";
import { type CommandContext, CommandError, exitCodes } from "./command.ts";
import { readInput, type TrustedKeys } from "./verify-input.ts";

/** Verifies the proof of one log, and compares the log with what is proven. */
export async function verifyProof(
  { print }: CommandContext,
  { keys, witnesses }: TrustedKeys,
  proofPath: string,
  logPath: string,
): Promise<void> {
  const { entry, place } = await readInput(proofPath, text => {
    const proof = readProof(text);
    const checkpoint = openCheckpoint(proof.checkpoint, keys, witnesses);
    const entry = provenLog(proof, checkpoint);
    return { entry, place: placeOf(entry, proof.index, checkpoint.origin, checkpoint.size) };
  });
  const log = await readInput(logPath, readObject);
  const found = differences(log, entry);
  if (found.length > 0) {
    // Also on standard output, for a reader of that alone.
    const fields = found.map(({ field }) => field).join(", ");
    const verb = found.length === 1 ? "differs" : "differ";
    print(`the log is NOT what the trail has: ${fields} ${verb} from log ${entry.id}, ${place}`);
    throw new CommandError(exitCodes.failure, ...found.map(lineOf));
  }
  const unproven = unprovenFields(log, entry);
  print(`the proof holds: log ${entry.id} is ${place}`);
  if (unproven.length > 0) print(`not part of the entry, so not proven: ${unproven.map(named).join(", ")}`);
}

const placeOf = ({ recordedAt }: LogEntry, index: number, origin: string, size: number): string =>
  `entry ${index} of the ${size} that a checkpoint of ${origin} covers, recorded ${
    recordedAt === null ? "before the trail began" : `at ${recordedAt}`
  }`;

function lineOf({ field, shown, recorded }: ReturnType<typeof differences>[number]): string {
  const remark = field === "performedByName" ? " (the performer's name when the log was written)" : "";
  if (shown === undefined) return `${field} is missing, the entry has ${JSON.stringify(recorded)}${remark}`;
  return `${field} differs: the log has ${JSON.stringify(shown)}, the entry has ${JSON.stringify(recorded)}${remark}`;
}

/** A name in the log's file can be any text. */
const named = (field: string): string => (/^\w+$/.test(field) ? field : JSON.stringify(field));

function readObject(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  // The reviver is called for each member that JSON.parse keeps, and at the end once more, for the value itself.
  let members = -1;
  try {
    value = JSON.parse(text, function (_, member) {
      if (!Array.isArray(this)) members += 1;
      return member;
    });
  } catch {
    throw new TrailError("is not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new TrailError("is not a JSON object");
  // Matches every string, so that no match begins inside one. A match longer than its string is the name of a member, with its number
  // if it has one. More names than members: a name comes twice, JSON.parse has kept one of them, and other programs may show the other.
  const names = [...text.matchAll(/("(?:[^"\\]|\\.)*")(?:\s*:\s*(-?\d[\d.eE+-]*)?)?/gs)].filter(
    ([whole, quoted]) => whole !== quoted,
  );
  if (names.length !== members) throw new TrailError("has a name that comes twice");
  for (const [, quoted = "", number] of names) {
    const isSame = number === undefined || String(Number(number)) === number;
    if (!isSame && comparedFields.includes(JSON.parse(quoted)))
      throw new TrailError(`has ${quoted} in digits that programs read in different ways: ${number}`);
  }
  return value as Readonly<Record<string, unknown>>;
}
