import { type Acceptance, openAcceptance } from "../../domain/trail/acceptance.ts";
import { type Head, inWords } from "../../domain/trail/checkpoint.ts";
import { rethrowUnlessTrailError, undefinedIfTrailError } from "../../domain/trail/encoding.ts";
import type { VerifierKey } from "../../domain/trail/note.ts";
import type { TrailStore } from "./ports.ts";

/** The newest acceptance by which this head, and no other, is given up, of those that one of the keys has signed. */
export async function findAcceptance(
  { checkpoints }: Pick<TrailStore, "checkpoints">,
  head: Head,
  keys: readonly VerifierKey[],
): Promise<Acceptance | undefined> {
  const line = inWords(head);
  for (const note of await checkpoints.acceptancesWith(line)) {
    // The owner of the tables can insert any text.
    const acceptance = undefinedIfTrailError(() => openAcceptance(note, keys));
    if (acceptance?.refused !== undefined && inWords(acceptance.refused) === line) return acceptance;
  }
  return undefined;
}

/**
 * Decides whether a trail continues a head that was signed before: it extends that head, or the one that was accepted in its place.
 *
 * @param requireExtended throws TrailError unless the trail extends a head
 * @returns the acceptance if the trail does not extend the head itself
 * @throws TrailError as for the head, or as for the accepted one
 */
export async function requireContinued(
  store: Pick<TrailStore, "checkpoints">,
  head: Head,
  keys: readonly VerifierKey[],
  requireExtended: (older: Head) => Promise<void>,
): Promise<Acceptance | undefined> {
  try {
    await requireExtended(head);
    return undefined;
  } catch (fault) {
    rethrowUnlessTrailError(fault);
    const acceptance = await findAcceptance(store, head, keys);
    if (acceptance === undefined) throw fault;
    await requireExtended(acceptance.accepted);
    return acceptance;
  }
}
