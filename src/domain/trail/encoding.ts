/** A document of the trail cannot be read, or contradicts another one. The message is for the person who verifies. */
export class TrailError extends Error {
  override readonly name = "TrailError";
}

/** The message of a TrailError. Throws any other error again. */
export function faultOrRethrow(error: unknown): string {
  if (error instanceof TrailError) return error.message;
  throw error;
}

/** Returns undefined for a TrailError, for callers to whom a contradiction is a result. Throws any other error again. */
export const rethrowUnlessTrailError = (error: unknown): undefined => void faultOrRethrow(error);

/** What is read; undefined where that throws a TrailError. */
export function undefinedIfTrailError<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    return rethrowUnlessTrailError(error);
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export const toUtf8 = (text: string): Uint8Array => encoder.encode(text);

/** Throws TrailError for bytes that are no UTF-8. */
export function fromUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new TrailError("is not UTF-8");
  }
}

/** RFC 4648, section 4. */
export const toBase64 = ({ buffer, byteOffset, length }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, length).toString("base64");

/** Takes the one canonical form only: each document then has one text. Throws TrailError. */
export function fromBase64(text: string): Uint8Array {
  const bytes = Uint8Array.from(Buffer.from(text, "base64"));
  if (toBase64(bytes) !== text) throw new TrailError("has malformed base64");
  return bytes;
}

export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, at) => byte === b[at]);

/** A number of entries, or the index of one: decimal, without leading zeros. Throws TrailError. */
export function readCount(what: string, text: string): number {
  const count = /^(?:0|[1-9]\d{0,15})$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(count)) throw new TrailError(`has a malformed ${what}`);
  return count;
}
