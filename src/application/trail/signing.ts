import { type Acceptance, acceptanceInWords, signAcceptance } from "../../domain/trail/acceptance.ts";
import { type Head, inWords, signCheckpoint } from "../../domain/trail/checkpoint.ts";
import { TrailError, undefinedIfBroken } from "../../domain/trail/encoding.ts";
import type { SignerKey } from "../../domain/trail/note.ts";
import { findAcceptance } from "./acceptance.ts";
import { TrailObstacleError } from "./condition.ts";
import { type TrailPorts, windowSize } from "./ports.ts";
import { headIn } from "./remembered.ts";
import { makeStoredTree } from "./tree.ts";

/** A head that was signed, or would have been if there were a key; when, in elapsed milliseconds. */
export interface NewestHead extends Head {
  readonly note: string | undefined;
  readonly at: number;
}

/** A tree, and the size up to which its entries were read from the database: this process has added the later ones itself. */
export interface KnownHead extends Head {
  readonly readSize: number;
}

const announceMilliseconds = 60_000;
/** The database keeps one checkpoint for this many entries, or for this time, so that checkpoints take little space. */
const storedEntries = 1_000;
const storedMilliseconds = 3_600_000;

/** A head that was signed, and where it is kept. */
interface Signed {
  readonly where: string;
  readonly head: Head;
  /** Undefined for the memory of this process. */
  readonly note?: string;
}

const signedIn = (where: string, note: string | undefined): Signed | undefined => {
  const head = headIn(where, note);
  return head && note !== undefined ? { where, head, note } : undefined;
};

/**
 * What was signed before, inside the database and outside of it. Outside counts only the state file: if it is missing although the
 * database has a checkpoint, the trail waits for the operator. Without a state file, it is what this process has signed last.
 */
async function signedBefore(
  { checkpoints, remembered }: Pick<TrailPorts, "checkpoints" | "remembered">,
  own: Head | undefined,
): Promise<{ readonly inside: Signed | undefined; readonly outside: Signed | undefined }> {
  const inside = signedIn("database", await checkpoints.last());
  if (remembered === undefined) return { inside, outside: own && { where: "memory", head: own } };
  const { place } = remembered;
  const outside = signedIn(place, await remembered.read());
  // A new machine, a second process, or a file that was lost: only the operator knows which.
  if (inside !== undefined && outside === undefined)
    throw new TrailObstacleError(
      `for the operator, since ${place} is missing: copy that of another process or a backup, or run accept-trail`,
      "waiting",
    );
  return { inside, outside };
}

/** A tree that may be signed, and the operator's word by which it may, if it does not extend what this process remembers. */
interface WholeTree {
  readonly tree: KnownHead;
  readonly acceptance: Acceptance | undefined;
}

/**
 * The tree, which extends what any process has signed before, or what an operator has accepted in place of that. The tree is
 * read last, so that it has at least what others have signed. Throws TrailError if it does not extend that or the stored trail
 * is not whole, and TrailObstacleError as `signedBefore` does.
 *
 * @param own what this process has signed last
 */
async function readWhole(
  ports: Pick<TrailPorts, "ledger" | "checkpoints" | "remembered" | "key">,
  readTree: () => Promise<KnownHead>,
  own?: Head,
): Promise<WholeTree> {
  const { ledger, key } = ports;
  const { inside, outside } = await signedBefore(ports, own);
  const tree = await readTree();
  const requireExtended = async ({ where, head, note }: Signed): Promise<void> => {
    if (!(await makeStoredTree(ledger).extends(head, tree)))
      throw new TrailError(`${where} ${inWords(head)}`);
    // Two keys of two names would each sign one half of the history.
    const origin = note?.split("\n", 1)[0];
    if (origin !== undefined && key !== undefined && origin !== key.name)
      throw new TrailError(`${where} has a checkpoint of ${origin}, and not of ${key.name}`);
  };
  /** The acceptance that gives up what this process remembers. Throws what was found if there is none, or it is not extended. */
  const acceptedInstead = async (head: Head, found: unknown): Promise<Acceptance> => {
    const acceptance = key && found instanceof TrailError && (await findAcceptance(ports, head, [key]));
    if (!acceptance) throw found;
    await requireExtended({ where: "trail_acceptance", head: acceptance.accepted });
    return acceptance;
  };
  const acceptance =
    outside &&
    (await requireExtended(outside).then(
      () => undefined,
      found => acceptedInstead(outside.head, found),
    ));
  // Up to the size outside no record had two entries; the owner of the database can write any size inside.
  for (
    let from = (acceptance?.accepted ?? outside?.head)?.size ?? 0;
    from < tree.readSize;
    from += windowSize
  ) {
    const repeated = await ledger.firstRepeated(from, Math.min(tree.readSize, from + windowSize));
    if (repeated !== undefined) throw new TrailError(`another entry than ${repeated}`);
  }
  if (inside !== undefined) await requireExtended(inside);
  return { tree, acceptance };
}

const never = { at: Number.NEGATIVE_INFINITY, size: -1 };

/** Signs the tree as it grows, as long as it extends what was signed before. */
export class Signing {
  readonly #ports: Omit<TrailPorts, "records">;
  newest: NewestHead | undefined;
  #announced = never;
  #stored = never;

  constructor(ports: Omit<TrailPorts, "records">) {
    this.#ports = ports;
  }

  /** Throws as `readWhole`. */
  async sign(readTree: () => Promise<KnownHead>): Promise<void> {
    const { checkpoints, key, remembered, clock, events } = this.#ports;
    const whole: WholeTree = key
      ? await readWhole(this.#ports, readTree, this.newest)
      : { tree: await readTree(), acceptance: undefined };
    const { size, root } = whole.tree;
    const note = key && signCheckpoint({ size, root }, key);
    const head = { size, root, note, at: clock.elapsed() };
    if (note !== undefined) {
      // A standby that is promoted without these entries would contradict what was signed.
      await checkpoints.confirm();
      // A crash after this leaves a state file that is ahead of the database, which is what it is for.
      await remembered?.write(note);
      if (whole.acceptance !== undefined) events.warn("trail accepted", acceptanceInWords(whole.acceptance));
      await this.#publish(head, false);
    }
    this.newest = head;
  }

  /** At the stop: writes the last checkpoint to the database and to the log. */
  async close(): Promise<void> {
    if (this.newest !== undefined) await this.#publish(this.newest, true);
  }

  /** Writes the newest checkpoint to the log and to the database: to each when it is time, or to both if it is the last. */
  async #publish({ size, note, at }: NewestHead, isLast: boolean): Promise<void> {
    if (note === undefined) return;
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

/**
 * Goes on with the stored history although it contradicts what was signed before: signs it and the word of the operator, by
 * which every process that remembers the same head goes on too, and replaces the state file.
 * Returns undefined if nothing contradicts it. Throws TrailError if the right edge of the stored tree is not whole, or if the
 * signed history has more entries and the operator has not said how many may be given up.
 */
export async function acceptTrail(
  ports: Omit<TrailPorts, "records" | "events" | "clock"> & { readonly key: SignerKey },
  { reason, givesUp }: { readonly reason: string; readonly givesUp: number },
): Promise<Acceptance | undefined> {
  const { ledger, checkpoints, remembered, key } = ports;
  const readTree = async () => {
    const { size } = await ledger.end();
    return { ...(await makeStoredTree(ledger).head(size)), readSize: size };
  };
  if (await readWhole(ports, readTree).catch(undefinedIfBroken)) return undefined;
  const headOf = (where: string, note: Promise<string | undefined>) =>
    note.then(text => headIn(where, text)).catch(undefinedIfBroken);
  const kept = remembered && (await headOf(remembered.place, remembered.read()));
  const refused = kept ?? (await headOf("database", checkpoints.last()));
  const accepted = await readTree();
  const lost = Math.max(0, (refused?.size ?? 0) - accepted.size);
  if (lost !== givesUp) {
    throw new TrailError(
      `${lost} of the ${refused?.size ?? 0} entries that were signed would be given up: to confirm that, add --gives-up ${lost}`,
    );
  }
  const note = signCheckpoint(accepted, key);
  const acceptance = { reason, refused, accepted };
  await checkpoints.accept(signAcceptance(acceptance, key), note);
  await remembered?.write(note);
  return acceptance;
}
