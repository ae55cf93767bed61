import { signCheckpoint } from "../../domain/trail/checkpoint.ts";
import { TrailError } from "../../domain/trail/encoding.ts";
import type { TreeHasher } from "../../domain/trail/merkle.ts";
import type { SignerKey } from "../../domain/trail/note.ts";
import { rememberedHead, type SigningPorts } from "./signing.ts";
import { extendsHead, type Head, readTree } from "./tree.ts";

interface AcceptancePorts extends Pick<SigningPorts, "trail" | "ed25519" | "remembered"> {
  readonly hasher: TreeHasher;
  readonly key: SignerKey;
}

/**
 * Goes on with the history that is stored, where that contradicts what was signed before: signs it, and puts it in the
 * place of what is remembered. Answers both heads, or undefined where nothing contradicts it. Throws TrailError where the
 * stored trail is not whole.
 */
export async function acceptTrail(
  { trail, hasher, ed25519, remembered, key }: AcceptancePorts,
  reason: string,
): Promise<{ readonly refused: Head | undefined; readonly accepted: Head } | undefined> {
  const tree = await readTree(trail, hasher, (await trail.end()).size);
  const last = await trail.lastCheckpoint();
  const kept = await rememberedHead(remembered).catch((error: unknown) => {
    if (error instanceof TrailError) return "unreadable" as const;
    throw error;
  });
  const isExtended = async (head: Head | undefined) =>
    head === undefined || (await extendsHead(trail, hasher, head, tree));
  if (kept !== "unreadable" && (await isExtended(kept)) && (await isExtended(last))) return undefined;
  const refused = kept === "unreadable" ? last : (kept ?? last);
  const accepted = { size: tree.size, root: tree.root() };
  const note = signCheckpoint(accepted, key, ed25519);
  await trail.accept({ reason, refused, accepted: { ...accepted, note } });
  await remembered?.write(note);
  return { refused, accepted };
}
