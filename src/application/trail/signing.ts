import { type Acceptance, acceptanceInWords, signAcceptance } from "../../domain/trail/acceptance.ts";
import { type Head, inWords, signCheckpoint } from "../../domain/trail/checkpoint.ts";
import { rethrowUnlessTrailError, TrailError } from "../../domain/trail/encoding.ts";
import type { SignerKey } from "../../domain/trail/note.ts";
import { TrailObstacleError } from "./condition.ts";
import { requireContinued } from "./continuation.ts";
import type { KnownTree } from "./numbering.ts";
import { type Checkpoints, type Ledger, type TrailPorts, windowSize } from "./ports.ts";
import { headIn, type OlderHead, rememberedHead } from "./remembered.ts";
import { makeStoredTree } from "./tree.ts";

/** A head with the note that signs it; when, in elapsed milliseconds. */
export interface SignedHead extends Head {
  readonly note: string;
  readonly at: number;
}

const announceMilliseconds = 60_000;
/** The database keeps one checkpoint for this many entries, or for this time, so that checkpoints take little space. */
const storedEntries = 1_000;
const storedMilliseconds = 3_600_000;

type SigningPorts = Omit<TrailPorts, "records"> & { readonly key: SignerKey };
type TreePorts = Omit<SigningPorts, "events" | "clock">;

async function storedHead({ newest }: Checkpoints): Promise<OlderHead | undefined> {
  const [note] = await newest(1);
  return headIn("database", note);
}

/**
 * What was signed before: what the database has, and what its owner cannot change, which is the state file, or without one what
 * this process has signed last. Throws TrailObstacleError if the file is missing although the database has a checkpoint: this may
 * be a new machine, a second process, or a file that was lost, and only the operator knows which.
 */
async function signedBefore({ checkpoints, stateFile, key }: TreePorts, memory: Head | undefined) {
  const stored = await storedHead(checkpoints);
  if (stateFile === undefined)
    return { stored, remembered: memory && { ...memory, place: "memory", origin: key.name } };
  const remembered = await rememberedHead(stateFile);
  if (stored !== undefined && remembered === undefined)
    throw new TrailObstacleError(
      `for the operator, since ${stateFile.place} is missing: copy that of another process or a backup, or run accept-trail`,
      "waiting",
    );
  return { stored, remembered };
}

/** Throws TrailError, whose message names what is contradicted, unless the tree extends the head and the head has the name of our key. */
async function requireExtended({ ledger, key }: TreePorts, tree: Head, signed: OlderHead): Promise<void> {
  const { place, origin } = signed;
  if (!(await makeStoredTree(ledger).extends(signed, tree)))
    throw new TrailError(`${place} ${inWords(signed)}`);
  if (origin !== key.name)
    throw new TrailError(`${place} has a checkpoint of ${origin}, and not of ${key.name}`);
}

/** Throws TrailError where a record of these entries has another entry. */
async function requireNoneRepeated(ledger: Ledger, start: number, end: number): Promise<void> {
  for (let from = start; from < end; from += windowSize) {
    const repeated = await ledger.firstRepeated(from, Math.min(end, from + windowSize));
    if (repeated !== undefined) throw new TrailError(`another entry than ${repeated}`);
  }
}

/**
 * The tree if it may be signed: it extends what any process has signed before, or what the operator has accepted in place of
 * that, and no record has two entries. Throws TrailError otherwise, and TrailObstacleError as `signedBefore`.
 *
 * @param memory what this process has signed last
 */
async function readSignableTree(ports: TreePorts, readTree: () => Promise<KnownTree>, memory?: Head) {
  const { key } = ports;
  const { stored, remembered } = await signedBefore(ports, memory);
  // The tree is read last, so that it has at least what others have signed.
  const { tree, readSize } = await readTree();
  // A remembered head has a place and an origin of its own. An accepted head has neither.
  const extended = (head: Head & Partial<OlderHead>) =>
    requireExtended(ports, tree, { place: "trail_acceptance", origin: key.name, ...head });
  const acceptance = remembered && (await requireContinued(ports, remembered, [key], extended));
  // What this process has added cannot be repeated, nor what was signed. The checkpoint in the database is no bound: its owner can write
  // any size.
  const signedSize = (acceptance?.accepted ?? remembered)?.size ?? 0;
  await requireNoneRepeated(ports.ledger, signedSize, readSize);
  if (stored !== undefined) await requireExtended(ports, tree, stored);
  return { tree, acceptance };
}

const never = { at: Number.NEGATIVE_INFINITY, size: -1 };

/** Signs the tree as it grows, as long as it extends what was signed before. */
export class Signing {
  readonly #ports: SigningPorts;
  newest: SignedHead | undefined;
  #announced = never;
  #stored = never;

  constructor(ports: SigningPorts) {
    this.#ports = ports;
  }

  /** Throws as `readSignableTree`. */
  async sign(readTree: () => Promise<KnownTree>): Promise<void> {
    const { checkpoints, key, stateFile, clock, events } = this.#ports;
    const { tree, acceptance } = await readSignableTree(this.#ports, readTree, this.newest);
    const note = signCheckpoint(tree, key);
    const newest = { size: tree.size, root: tree.root, note, at: clock.elapsed() };
    // A standby that is promoted without these entries would contradict what was signed.
    await checkpoints.confirm();
    // A crash after this leaves a state file that is ahead of the database, which is what it is for.
    await stateFile?.write(note);
    if (acceptance !== undefined) events.warn("trail accepted", acceptanceInWords(acceptance));
    await this.#publish(newest, false);
    this.newest = newest;
  }

  /** At the stop of a whole trail: writes the last checkpoint to the database and to the log. A database that may contradict it does not get it. */
  async close(): Promise<void> {
    if (this.newest !== undefined) await this.#publish(this.newest, true);
  }

  /** Writes the newest checkpoint to the log and to the database: to each when it is time, or to both if it is the last. */
  async #publish({ size, note, at }: SignedHead, isLast: boolean): Promise<void> {
    const { events, checkpoints } = this.#ports;
    const [announced, stored] = [this.#announced, this.#stored];
    if (announced.size !== size && (isLast || at - announced.at >= announceMilliseconds)) {
      events.info("checkpoint", { size, note });
      this.#announced = { at, size };
    }
    const isMany = size - stored.size >= storedEntries;
    if (stored.size !== size && (isLast || isMany || at - stored.at >= storedMilliseconds)) {
      await checkpoints.add(note);
      this.#stored = { at, size };
    }
  }
}

/** For a contradiction or a missing state file. Throws again if the file cannot be read: its checkpoint may be newer than that of the database. */
function undefinedIfAcceptable(error: unknown): undefined {
  if (error instanceof TrailObstacleError && error.kind === "failing") throw error;
  return rethrowUnlessTrailError(error);
}

/**
 * Goes on with the stored history although it contradicts what was signed, or the state file is missing: signs it and an
 * acceptance, by which every process that remembers the same head goes on too, and replaces the state file.
 * Returns undefined if the history may be signed anyway. Throws TrailError if the right edge of the stored tree is not whole, if the
 * state file cannot be read, or if `givesUp` is not exactly how many of the signed entries the stored history lacks.
 */
export async function acceptTrail(
  ports: TreePorts,
  { reason, givesUp }: { readonly reason: string; readonly givesUp: number },
): Promise<Acceptance | undefined> {
  const { ledger, checkpoints, stateFile, key } = ports;
  const readTree = async () => {
    const { size } = await ledger.end();
    return { tree: await makeStoredTree(ledger).frontier(size), readSize: size };
  };
  if (await readSignableTree(ports, readTree).catch(undefinedIfAcceptable)) return undefined;
  const remembered = stateFile && (await rememberedHead(stateFile).catch(undefinedIfAcceptable));
  const refused = remembered ?? (await storedHead(checkpoints).catch(undefinedIfAcceptable));
  const { tree: accepted } = await readTree();
  const lost = Math.max(0, (refused?.size ?? 0) - accepted.size);
  if (lost !== givesUp) {
    throw new TrailError(
      `${lost} of the ${refused?.size ?? 0} entries that were signed would be given up: to confirm that, add --gives-up ${lost}`,
    );
  }
  const note = signCheckpoint(accepted, key);
  const acceptance = { reason, refused, accepted };
  await checkpoints.accept(signAcceptance(acceptance, key), note);
  await stateFile?.write(note);
  return acceptance;
}
