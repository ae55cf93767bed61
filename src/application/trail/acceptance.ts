import { signCheckpoint } from "../../domain/trail/checkpoint.ts";
import type { TreeHasher } from "../../domain/trail/merkle.ts";
import type { SignerKey } from "../../domain/trail/note.ts";
import { headOf, type SigningPorts } from "./signing.ts";
import { type Head, readTree } from "./tree.ts";

interface AcceptancePorts extends Pick<SigningPorts, "trail" | "ed25519" | "remembered"> {
  readonly hasher: TreeHasher;
  readonly key: SignerKey;
}

/**
 * Goes on with the history that is stored, whatever was signed before: signs it, and puts it in the place of what is
 * remembered. Answers both heads. Throws TrailError where the stored trail is not whole.
 */
export async function acceptTrail(
  { trail, hasher, ed25519, remembered, key }: AcceptancePorts,
  reason: string,
): Promise<{ readonly refused: Head | undefined; readonly accepted: Head }> {
  const kept = await remembered?.read();
  const refused = kept === undefined ? await trail.lastCheckpoint() : headOf(kept);
  const tree = await readTree(trail, hasher, (await trail.end()).size);
  const accepted = { size: tree.size, root: tree.root() };
  const note = signCheckpoint(accepted, key, ed25519);
  await trail.accept({ reason, refused, accepted: { ...accepted, note } });
  await remembered?.write(note);
  return { refused, accepted };
}
