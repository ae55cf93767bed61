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
  /** What an absent value is read as. */
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
 * Reads the declared fields of an object and ignores all others: first whether anything required is missing, then
 * format and length, each in the order of declaration. Null is the same as absent, because clients in Java write the
 * fields that they did not set so.
 */
export function readFields<F extends Fields>(
  fields: F,
  source: Readonly<Record<string, unknown>>,
): Values<F> {
  const sent = (name: string): unknown =>
    Object.hasOwn(source, name) ? (source[name] ?? undefined) : undefined;
  const declared = Object.entries(fields);
  for (const [name, field] of declared) {
    const missing = field.missing(sent(name));
    if (missing !== undefined) throw invalid(missing);
  }
  const values: Record<string, unknown> = {};
  for (const [name, field] of declared) values[name] = field.read(sent(name));
  return values as Values<F>;
}

export const isAbsent = (value: unknown): boolean => value === undefined;
/** White space, controls and characters that show nothing. */
const invisible = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}]*$/u;
const isBlank = (value: unknown): boolean =>
  isAbsent(value) || (typeof value === "string" && invisible.test(value));

/** A value that must be there. With `isAbsent` it may be blank. */
export const required = <T>(message: string, read: Rule<T>, isMissing = isBlank): Field<T> => ({
  schema: read.schema,
  required: true,
  missing: value => (isMissing(value) ? message : undefined),
  read,
});

/** Text that must not be blank. */
export const nonBlank = <T>(label: string, read: Rule<T, string>): Field<T> =>
  required(
    `${label} is required`,
    rule({ type: "string", minLength: 1, ...read.schema }, value => read(text(label, value))),
  );

/** A value that may be absent; it is then read as `fallback`. */
export const optional = <T, Fallback>(read: Rule<T>, fallback: Fallback): Field<T | Fallback> => ({
  schema: read.schema,
  required: false,
  fallback,
  missing: () => undefined,
  read: value => (isAbsent(value) ? fallback : read(value)),
});

/** A field of an update: absent means unchanged (undefined), but what is sent must not be blank. */
export const ifSent = <T>(field: Field<T>): Field<T | undefined> => ({
  ...optional(rule(field.schema, field.read), undefined),
  missing: value => (isAbsent(value) ? undefined : field.missing(value)),
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
