import { invalid } from "./error.ts";

/** A JSON Schema (draft 2020-12). */
export type Schema = Readonly<Record<string, unknown>>;

/** How long a text may be, in characters (code points), as PostgreSQL's char_length counts them. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
  /** Whether white space at the ends is left out of the count. A schema cannot do so, and then has no upper limit. */
  readonly trimmed: boolean;
}

interface Description {
  /** Of a value that is sent and is not null; it says what is accepted as far as a schema can. */
  readonly schema: Schema;
  readonly bounds?: Bounds | undefined;
}

/** Reads one value. Throws INVALID. */
export type Rule<T> = ((value: unknown) => T) & Description;

export const rule = <T>(schema: Schema, read: (value: unknown) => T): Rule<T> =>
  Object.assign((value: unknown) => read(value), { schema });

/** Reads a text, which messages call `label`. */
type TextRule<T = string> = Rule<T> & { readonly label: string };

/** `read` checks what is sent, and returns what is kept of it. */
export const textRule = <T>(
  label: string,
  bounds: Bounds | undefined,
  read: (sent: string) => T,
  schema: Schema = {},
): TextRule<T> =>
  Object.assign((value: unknown) => read(readText(label, value)), {
    label,
    bounds,
    schema: {
      type: "string",
      ...(bounds && { minLength: bounds.min, ...(!bounds.trimmed && { maxLength: bounds.max }) }),
      ...schema,
    },
  });

/** One named value that a client sends. */
export interface Field<T> extends Description {
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
  bounds: read.bounds,
  required: true,
  missing: value => (isMissing(value) ? message : undefined),
  read,
});

/** Text that must not be blank. */
export const nonBlank = <T>(read: TextRule<T>): Field<T> => ({
  ...required(`${read.label} is required`, read),
  schema: { type: "string", minLength: 1, ...read.schema },
});

/** A value that may be absent; it is then read as `fallback`. */
export const optional = <T, Fallback>(read: Rule<T>, fallback: Fallback): Field<T | Fallback> => ({
  schema: read.schema,
  bounds: read.bounds,
  required: false,
  fallback,
  missing: () => undefined,
  read: value => (isAbsent(value) ? fallback : read(value)),
});

/** A field of an update: absent means unchanged (undefined), but what is sent must not be blank. */
export const ifSent = <T>(field: Field<T>): Field<T | undefined> => ({
  ...field,
  required: false,
  missing: value => (isAbsent(value) ? undefined : field.missing(value)),
  read: value => (isAbsent(value) ? undefined : field.read(value)),
});

/** One of a closed set of words, in their exact case. */
export const wordOf = <Word extends string>(words: readonly Word[], refusal: string): Rule<Word> =>
  rule({ type: "string", enum: words }, value => {
    const word = words.find(candidate => candidate === value);
    if (word === undefined) throw invalid(refusal);
    return word;
  });

export function readText(label: string, value: unknown): string {
  if (typeof value !== "string") throw invalid(`${label} must be a string`);
  if (!isStorable(value)) throw invalid(`${label} must not contain NUL characters or lone surrogates`);
  return value;
}

/** PostgreSQL cannot store NUL, and would store any lone surrogate as one and the same replacement character. */
export const isStorable = (value: string): boolean => value.isWellFormed() && !value.includes("\0");

/** Returns the text that was counted, without the white space that does not count. Throws INVALID. */
export function counted(label: string, { min, max, trimmed }: Bounds, sent: string): string {
  const text = trimmed ? sent.trim() : sent;
  const length = [...text].length;
  if (length < min || length > max) throw invalid(`${label} must be between ${min} and ${max} characters`);
  return text;
}

const boundedText = (label: string, bounds: Bounds): TextRule =>
  textRule(label, bounds, sent => counted(label, bounds, sent));

/** Text that is kept trimmed. */
export const trimmedBetween = (label: string, min: number, max: number): TextRule =>
  boundedText(label, { min, max, trimmed: true });

/** Text that is kept as it was sent. */
export const textBetween = (label: string, min: number, max: number): TextRule =>
  boundedText(label, { min, max, trimmed: false });
