import type { Field, Fields, Schema } from "./field.ts";

/** The type of a value in a record. Bounds and forms are for what a client sends: an older record may have others. */
export interface Type<T> {
  readonly schema: Schema;
  is(value: unknown): value is T;
}

/**
 * Where a property is kept: `recorded` in the table and, with every change, in the trail; `stored` in the table alone;
 * `computed` nowhere, since a statement computes it.
 */
type Kept = "recorded" | "stored" | "computed";

/** One property of a record, declared once: types, columns, entries of the trail and documents follow. */
interface Property<T = unknown, K extends Kept = Kept> extends Type<T> {
  readonly kept: K;
  /** What a client sends for it, if a client may. */
  readonly field?: Field<T> | undefined;
}
/** By name, in the order in which clients read them. */
export type Properties = Readonly<Record<string, Property>>;

type ValueOf<P> = P extends Property<infer T> ? T : never;
export type RecordOf<P extends Properties> = { readonly [Name in keyof P]: ValueOf<P[Name]> };

type NamesOf<P extends Properties, K extends Kept> = {
  [Name in keyof P]: P[Name] extends Property<unknown, K> ? Name : never;
}[keyof P];
/** The properties of a record that are kept so. */
export type Part<P extends Properties, K extends Kept> = Pick<P, NamesOf<P, K>>;

export const partOf = <P extends Properties, K extends Kept>(properties: P, ...kept: readonly K[]) =>
  Object.fromEntries(
    Object.entries(properties).filter(([, property]) => kept.some(each => each === property.kept)),
  ) as Part<P, K>;

export function without<P extends object, Name extends keyof P>(properties: P, name: Name): Omit<P, Name> {
  const { [name]: _, ...rest } = properties;
  return rest;
}

const isOfType: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: value => typeof value === "string" && value.isWellFormed(),
  boolean: value => typeof value === "boolean",
  integer: value => Number.isSafeInteger(value),
  null: value => value === null,
};

/** The type that a schema describes by its `type`, `enum` and `minimum`. */
function typeOf<T>(schema: Schema): Type<T> {
  const checks = [schema["type"]].flat().map(type => isOfType[String(type)]);
  const words = schema["enum"] as readonly unknown[] | undefined;
  const minimum = Number(schema["minimum"] ?? Number.NEGATIVE_INFINITY);
  const is = (value: unknown): value is T =>
    checks.some(isOf => isOf?.(value)) &&
    (typeof value !== "string" || words === undefined || words.includes(value)) &&
    (typeof value !== "number" || value >= minimum);
  return { schema, is };
}

export const id = typeOf<number>({ type: "integer", format: "int64", minimum: 1 });
export const integer = typeOf<number>({ type: "integer" });
export const text = typeOf<string>({ type: "string" });
export const flag = typeOf<boolean>({ type: "boolean" });
export const oneOf = <const Word extends string>(...words: readonly Word[]) =>
  typeOf<Word>({ type: "string", enum: words });

type Declared<T> = Field<T> | Type<T>;
const typeFor = <T>(declared: Declared<T>): Type<T> =>
  "is" in declared ? declared : typeOf(declared.schema);

export function orNull<T>(declared: Declared<T>): Type<T | null> {
  const { schema, is } = typeFor(declared);
  return {
    schema: { ...schema, type: [schema["type"], "null"] },
    is: (value): value is T | null => value === null || is(value),
  };
}

const property =
  <K extends Kept>(kept: K) =>
  <T>(declared: Declared<T>): Property<T, K> => {
    if ("is" in declared) return { ...declared, kept };
    // A field that is read as null where it is absent.
    const type = declared.fallback === null ? orNull(declared) : typeFor(declared);
    return { ...(type as Type<T>), kept, field: declared };
  };

/** Makes a property of what a client sends, or of the type of what no client sends. */
export const recorded = property("recorded");
export const stored = property("stored");
export const computed = property("computed");

/** A property of each thing that a client sends. */
export const allRecorded = <F extends Fields>(fields: F) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, recorded(field)])) as {
    readonly [Name in keyof F]: Property<F[Name] extends Field<infer T> ? T : never, "recorded">;
  };
