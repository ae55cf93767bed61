import { type Head, signCheckpoint } from "../../domain/trail/checkpoint.ts";
import { TrailError } from "../../domain/trail/encoding.ts";
import type { SignerKey } from "../../domain/trail/note.ts";
import { refuseContradiction, rememberedHead, type SigningPorts } from "./signing.ts";
import { readFrontier } from "./tree.ts";

type AcceptancePorts = Pick<SigningPorts, "ledger" | "checkpoints" | "hasher" | "ed25519" | "remembered"> & {
  readonly key: SignerKey;
};

/**
 * Goes on with the history that is stored, where that contradicts what was signed before: signs it, and puts it in the
 * place of what is remembered. Returns both heads, or undefined where nothing contradicts it. Throws TrailError where the
 * right edge of the stored tree is not whole.
 */
export async function acceptTrail(
  ports: AcceptancePorts,
  reason: string,
): Promise<{ readonly refused: Head | undefined; readonly accepted: Head } | undefined> {
  const { ledger, checkpoints, hasher, ed25519, remembered, key } = ports;
  const before = { stored: await checkpoints.last(), note: await remembered?.read() };
  const { size } = await ledger.end();
  const accepted = { size, root: (await readFrontier(ledger, hasher, size)).root() };
  let refused: Head | undefined = before.stored;
  try {
    refused = rememberedHead(before.note, remembered?.place) ?? refused;
    await refuseContradiction(ports, { ...accepted, read: size }, before);
    return undefined;
  } catch (error) {
    if (!(error instanceof TrailError)) throw error;
  }
  const note = signCheckpoint(accepted, key, ed25519);
  await checkpoints.accept({ reason, refused, accepted: { ...accepted, note } });
  await remembered?.write(note);
  return { refused, accepted };
}
