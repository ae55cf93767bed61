/** What is sent apart from the text of a statement. */
export type Value = string | number | boolean | null;

/**
 * A statement of SQL, or a part of one, and its values apart from it. Only `sql` and `script` make one, so that no text
 * of a client can become SQL.
 */
export class Statement {
  /** The text around the values: one piece more than there are values. */
  readonly pieces: readonly string[];
  readonly values: readonly Value[];
  /** Whether it may be several statements, which PostgreSQL cannot prepare. */
  readonly isScript: boolean;

  constructor(pieces: readonly string[], values: readonly Value[], isScript = false) {
    this.pieces = pieces;
    this.values = values;
    this.isScript = isScript;
  }

  /** As PostgreSQL reads it: `$1` stands for the first value. */
  get text(): string {
    return this.pieces.reduce((text, piece, at) => `${text}$${at}${piece}`);
  }
}

/** A template of SQL. What is filled in is a value, unless it is SQL itself. */
export function sql(template: TemplateStringsArray, ...parts: readonly (Value | Statement)[]): Statement {
  const pieces: string[] = [];
  const values: Value[] = [];
  let piece = template[0] as string;
  for (const [at, part] of parts.entries()) {
    if (part instanceof Statement) {
      const last = part.pieces.length - 1;
      for (const inner of part.pieces.slice(0, last)) {
        pieces.push(piece + inner);
        piece = "";
      }
      piece += part.pieces[last];
      values.push(...part.values);
    } else {
      pieces.push(piece);
      piece = "";
      values.push(part);
    }
    piece += template[at + 1];
  }
  return new Statement([...pieces, piece], values);
}

/** Part of a statement where there is nothing to say. */
export const nothing = sql``;

/** The text of a file: statements without values, which are one transaction together. */
export const script = (text: string): Statement => new Statement([text], [], true);
