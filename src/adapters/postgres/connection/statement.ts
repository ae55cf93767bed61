/** What is sent apart from the text of a statement. */
export type Value = string | number | boolean | null;

/**
 * A statement of SQL, or a part of one, and its values apart from it. Only the functions below make one, so that no text
 * of a client can become SQL.
 */
export class Statement {
  /** The text around the values: one piece more than there are values. */
  readonly pieces: readonly string[];
  readonly values: readonly Value[];

  constructor(pieces: readonly string[], values: readonly Value[]) {
    this.pieces = pieces;
    this.values = values;
  }

  /** As PostgreSQL reads it: `$1` stands for the first value. */
  get text(): string {
    return this.pieces.reduce((text, piece, at) => `${text}$${at}${piece}`);
  }
}

/** A template of SQL. What is filled in is a value, unless it is SQL itself. */
export function sql(template: TemplateStringsArray, ...parts: readonly (Value | Statement)[]): Statement {
  const pieces = [template[0] as string];
  const values: Value[] = [];
  for (const [at, part] of parts.entries()) {
    const { pieces: inner, values: more } =
      part instanceof Statement ? part : new Statement(["", ""], [part]);
    pieces.push(pieces.pop() + (inner[0] as string), ...inner.slice(1));
    pieces.push(pieces.pop() + (template[at + 1] as string));
    values.push(...more);
  }
  return new Statement(pieces, values);
}

/** The schema of the program's tables, as PostgreSQL's catalogs refer to it. */
export const ownSchema = sql`quote_ident(current_schema())::regnamespace`;

/** A whole number as part of the text, for a statement that takes no values. */
export const wholeNumber = (value: number): Statement => new Statement([String(Math.trunc(value))], []);

/** A word of ours as part of the text, which is cheaper than a value in a statement that compares it with each row. */
export const knownWord = (text: string): Statement => new Statement([`'${text}'`], []);

/** The column of a property: that of `performedDate` is performed_date. */
export const columnOf = (property: string): Statement =>
  new Statement([property.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)], []);

/** A name for a column of the result, as it is. */
export const resultName = (name: string): Statement => new Statement([`"${name}"`], []);

export const listOf = (parts: readonly Statement[]): Statement =>
  parts.reduce((all, next) => sql`${all}, ${next}`);

export const unionOf = (statements: readonly Statement[]): Statement =>
  statements.map(each => sql`(${each})`).reduce((all, next) => sql`${all} union all ${next}`);

/** Ids as one value. */
export const idArray = (ids: Iterable<number>): Statement => sql`${`{${[...ids].join()}}`}::text::bigint[]`;

/** Ends a lateral subquery that is to be looked up for each row: otherwise the planner would render all rows of a small table for a hash join. */
export const asLookup = sql`offset 0`;

/** Part of a statement where there is nothing to say. */
export const nothing = sql``;

/** The text of a file: statements without values, which are one transaction together. */
export const script = (text: string): Statement => new Statement([text], []);
