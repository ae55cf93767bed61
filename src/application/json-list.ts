/**
 * A whole list as JSON, in pieces, so that its length never decides how much memory it takes: each piece is the UTF-8
 * text of one or more elements, with commas between them. Who keeps the records renders them, since nobody on their way
 * to the client needs to look into them.
 */
export type JsonList<T> = AsyncIterable<Uint8Array> & { readonly elements?: T };

const decoder = new TextDecoder();

/** The elements of a piece, for those who do need to look into them. */
export const elementsOf = <T>(piece: Uint8Array): T[] => JSON.parse(`[${decoder.decode(piece)}]`) as T[];
