/**
 * A part of a list as JSON: the UTF-8 text of its elements, each after a comma. It may be empty. Who keeps the records
 * renders them, since no layer on the way to the client looks into them.
 */
export interface Piece<Position = unknown> {
  /** The reader's, to change as well, until it asks for the next piece. */
  readonly json: Uint8Array;
  /** Where the rest of the list begins; undefined at the end of the list. */
  readonly next: Position | undefined;
}

/** Bytes that are no JSON, in pieces of the same form, between which there is nothing. */
export type ByteList = AsyncIterable<Piece>;

/** A list in pieces, so that its length never decides how much memory it takes. */
export type JsonList<T, Position = unknown> = AsyncIterable<Piece<Position>> & { readonly elements?: T };

const decoder = new TextDecoder();

/** The elements of a piece, for those who do need to look into them. */
export const elementsOf = <T>({ json }: Piece): T[] =>
  JSON.parse(`[${decoder.decode(json.subarray(1))}]`) as T[];
