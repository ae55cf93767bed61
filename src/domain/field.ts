import { invalid } from "./error.ts";

/** A JSON Schema (draft 2020-12). */
export type Schema = Readonly<Record<string, unknown>>;

/** Reads one value, and describes in a schema what it accepts, as far as a schema can. Throws INVALID. */
export type Rule<T, Sent = unknown> = ((value: Sent) => T) & { readonly schema: Schema };

export const rule = <T, Sent = unknown>(schema: Schema, read: (value: Sent) => T): Rule<T, Sent> =>
  Object.assign((value: Sent) => read(value), { schema });

/** One named value that a client sends. */
export interface Field<T> {
  /** For a value that is sent and is not null. */
  readonly schema: Schema;
  readonly required: boolean;
  /** Whether null means the same as absent; `fallback` is the value in both cases. */
  readonly nullable: boolean;
  readonly fallback?: unknown;
  /** The message when a required value is missing, undefined when nothing is. */
  missing(value: unknown): string | undefined;
  /** Checks type, format and length. Throws INVALID with a message that names the field. */
  read(value: unknown): T;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;
export type Values<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends Field<infer T> ? T : never;
};

/**
 * Reads the declared fields of an object and ignores all others: first whether anything required is missing,
 * then format and length (specification, section 7), each in the order of declaration.
 */
export function readFields<F extends Fields>(
  fields: F,
  source: Readonly<Record<string, unknown>>,
): Values<F> {
  const sent = (name: string): unknown => (Object.hasOwn(source, name) ? source[name] : undefined);
  const declared = Object.entries(fields);
  for (const [name, field] of declared) {
    const missing = field.missing(sent(name));
    if (missing !== undefined) throw invalid(missing);
  }
  const values: Record<string, unknown> = {};
  for (const [name, field] of declared) values[name] = field.read(sent(name));
  return values as Values<F>;
}

const isNull = (value: unknown): boolean => value === undefined || value === null;
const isBlank = (value: unknown): boolean =>
  isNull(value) || (typeof value === "string" && value.trim() === "");

/** A value that must not be null. */
export const nonNull = <T>(message: string, read: Rule<T>): Field<T> => ({
  schema: read.schema,
  required: true,
  nullable: false,
  missing: value => (isNull(value) ? message : undefined),
  read,
});

/** Text that must not be blank. */
export const nonBlank = (label: string, read: Rule<string, string>): Field<string> => ({
  schema: { type: "string", minLength: 1, ...read.schema },
  required: true,
  nullable: false,
  missing: value => (isBlank(value) ? `${label} is required` : undefined),
  read: value => read(text(label, value)),
});

/** A value that may be absent or null; it is then read as `fallback`. */
export const optional = <T, Fallback>(read: Rule<T>, fallback: Fallback): Field<T | Fallback> => ({
  schema: read.schema,
  required: false,
  nullable: true,
  fallback,
  missing: () => undefined,
  read: value => (isNull(value) ? fallback : read(value)),
});

/** A field of an update: absent means unchanged (undefined), but what is sent must not be null or blank. */
export const ifSent = <T>(field: Field<T>): Field<T | undefined> => ({
  schema: field.schema,
  required: false,
  nullable: false,
  missing: value => (value !== undefined && isBlank(value) ? field.missing(null) : undefined),
  read: value => (value === undefined ? undefined : field.read(value)),
});

/** One of a closed set of words, in their exact case. */
export const wordOf = <Word extends string>(words: readonly Word[], refusal: string): Rule<Word> =>
  rule({ type: "string", enum: words }, value => {
    const word = words.find(candidate => candidate === value);
    if (word === undefined) throw invalid(refusal);
    return word;
  });

export function text(label: string, value: unknown): string {
  if (typeof value !== "string") throw invalid(`${label} must be a string`);
  if (!isStorable(value)) throw invalid(`${label} must not contain NUL characters or lone surrogates`);
  return value;
}

/** PostgreSQL cannot store NUL, and would store any lone surrogate as one and the same replacement character. */
export const isStorable = (value: string): boolean => value.isWellFormed() && !value.includes("\0");

/** The length in characters (code points), as PostgreSQL's char_length counts them. */
export function between(label: string, min: number, max: number, value: string): string {
  const length = [...value].length;
  if (length < min || length > max) throw invalid(`${label} must be between ${min} and ${max} characters`);
  return value;
}

/**
 * The length rule applies to the trimmed text, and the trimmed text is kept. A schema counts what is trimmed too, so it
 * cannot say the upper limit.
 */
export const trimmedBetween = (label: string, min: number, max: number): Rule<string, string> =>
  rule({ minLength: min }, value => between(label, min, max, value.trim()));

/** Text that is kept as it was sent. */
export const textBetween = (label: string, min: number, max: number): Rule<string> =>
  rule({ type: "string", minLength: min, maxLength: max }, value =>
    between(label, min, max, text(label, value)),
  );
