import { type Head, inWords, readTreeHead } from "./checkpoint.ts";
import { TrailError } from "./encoding.ts";
import { openLines, type SignerKey, signNote, type VerifierKey } from "./note.ts";

/** An operator's word that a trail goes on with another history than the one that was signed. */
export interface Acceptance {
  /** The head that is given up; undefined where none was known. */
  readonly refused: Head | undefined;
  /** The head that the trail goes on with. */
  readonly accepted: Head;
  readonly reason: string;
}

/** The second line of the note. In a checkpoint that is a number. */
const mark = "trail acceptance";
const none = "none";

export const acceptanceInWords = ({ refused, accepted, reason }: Acceptance) => ({
  reason,
  refused: refused ? inWords(refused) : none,
  accepted: inWords(accepted),
});

/** The note of an acceptance. Throws TrailError where the reason has control characters. */
export function signAcceptance(acceptance: Acceptance, key: SignerKey): string {
  const { refused, accepted, reason } = acceptanceInWords(acceptance);
  return signNote(`${[key.name, mark, refused, accepted, reason].join("\n")}\n`, key);
}

/** What a note accepts that one of these keys has signed. Throws TrailError. */
export function openAcceptance(note: string, known: readonly VerifierKey[]): Acceptance {
  const [, second, refused = "", accepted = "", ...reason] = openLines(note, known);
  if (second !== mark) throw new TrailError("is not an acceptance");
  const headIn = (words: string): Head => {
    const [size = "", ...root] = words.split(" ");
    return readTreeHead(size, root.join(" "));
  };
  return {
    refused: refused === none ? undefined : headIn(refused),
    accepted: headIn(accepted),
    reason: reason.join("\n"),
  };
}
