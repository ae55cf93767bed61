/** A chunk of a list. Who keeps the records renders them, since no layer on the way to the client looks into them. */
export interface Chunk<Position = unknown> {
  /**
   * Of a list of JSON, the UTF-8 text of whole elements with commas between them; empty when it has none. The next chunk may overwrite
   * content of 64 KiB or more: a stream asks for that chunk only when the operating system has taken this one. To keep content longer,
   * copy it.
   */
  readonly content: Uint8Array;
  /** Where the rest of the list begins; undefined at the end of the list. */
  readonly next: Position | undefined;
}

/** A list in chunks, so that its memory does not depend on its length. */
export type ChunkedList<Position = unknown> = AsyncIterable<Chunk<Position>>;

/** A chunked list of JSON. `elements` is for the type alone: no list has it. */
export type JsonList<T, Position = unknown> = ChunkedList<Position> & { readonly elements?: T };

const decoder = new TextDecoder();
const comma = Buffer.from(",");

/** The elements of several chunks as those of one. */
export const joinElements = (chunks: readonly Uint8Array[]): Uint8Array =>
  Buffer.concat(chunks.flatMap(chunk => (chunk.length === 0 ? [] : [comma, chunk])).slice(1));

/** The elements of a chunk, for those who do need to look into them. */
export const elementsOf = <T>({ content }: Pick<Chunk, "content">): T[] =>
  JSON.parse(`[${decoder.decode(content)}]`) as T[];
