/**
 * A part of a list as JSON: the UTF-8 text of whole elements with commas between them; empty when it has none. Who keeps
 * the records renders them, since no layer on the way to the client looks into them.
 */
export interface Piece<Position = unknown> {
  /**
   * Its memory may be used again for the next piece, if it has 64 KiB or more: so much makes a stream wait until the
   * operating system has taken it. Who keeps it longer copies it.
   */
  readonly json: Uint8Array;
  /** Where the rest of the list begins; undefined at the end of the list. */
  readonly next: Position | undefined;
}

/** Bytes that are no JSON, in pieces of the same form, between which there is nothing. */
export type ByteList = AsyncIterable<Piece>;

/** A list in pieces, so that its length never decides how much memory it takes. */
export type JsonList<T, Position = unknown> = AsyncIterable<Piece<Position>> & { readonly elements?: T };

const decoder = new TextDecoder();
const comma = Buffer.from(",");

/** The elements of several pieces as those of one. */
export const joinElements = (parts: readonly Uint8Array[]): Uint8Array =>
  Buffer.concat(parts.flatMap(part => (part.length === 0 ? [] : [comma, part])).slice(1));

/** The elements of a piece, for those who do need to look into them. */
export const elementsOf = <T>({ json }: Piece): T[] => JSON.parse(`[${decoder.decode(json)}]`) as T[];
