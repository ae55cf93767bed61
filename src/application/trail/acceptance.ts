import { type Acceptance, openAcceptance } from "../../domain/trail/acceptance.ts";
import { type Head, inWords } from "../../domain/trail/checkpoint.ts";
import { undefinedIfBroken } from "../../domain/trail/encoding.ts";
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
    try {
      const acceptance = openAcceptance(note, keys);
      if (acceptance.refused !== undefined && inWords(acceptance.refused) === line) return acceptance;
    } catch (error) {
      // The owner of the tables can insert any text.
      undefinedIfBroken(error);
    }
  }
  return undefined;
}

/** Whether a service that remembers this head goes on with a tree: the tree extends the head, or what was accepted in its place. */
export async function isContinued(
  store: Pick<TrailStore, "checkpoints">,
  head: Head,
  keys: readonly VerifierKey[],
  isExtended: (older: Head) => Promise<boolean>,
): Promise<boolean> {
  if (await isExtended(head)) return true;
  const acceptance = await findAcceptance(store, head, keys);
  return acceptance !== undefined && isExtended(acceptance.accepted);
}
