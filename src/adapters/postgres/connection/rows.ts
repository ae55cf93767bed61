import { type Part, type Properties, partOf, type RecordOf } from "../../../domain/record.ts";
import { columnOf, listOf, resultName, type Statement, sql, type Value } from "./statement.ts";

/** The columns of properties in their own table. */
export const columnsOf = (properties: Properties): Statement =>
  listOf(Object.keys(partOf(properties, "recorded", "stored")).map(columnOf));

/**
 * What a statement selects to read records, by the names of their properties.
 *
 * @param computed an expression for each property that no column has
 * @param table the name by which the statement knows the table, if it joins others
 */
export function selectionOf<P extends Properties>(
  properties: P,
  computed: { readonly [Name in keyof Part<P, "computed">]: Statement },
  table?: Statement,
): Statement {
  const expressions: Readonly<Record<string, Statement>> = computed;
  const ownColumn = (name: string) => (table ? sql`${table}.${columnOf(name)}` : columnOf(name));
  return listOf(
    Object.keys(properties).map(name => sql`${expressions[name] ?? ownColumn(name)} as ${resultName(name)}`),
  );
}

/** What a statement inserts of these properties: their columns, and the values in the same order. */
export function insertionOf<Name extends string>(
  properties: Readonly<Record<Name, unknown>>,
  record: Readonly<Record<NoInfer<Name>, Value>>,
) {
  const names = Object.keys(properties) as Name[];
  // In a `select`, PostgreSQL would take a value without a type for a text.
  const typed = (value: Value) => (typeof value === "boolean" ? sql`${value}::boolean` : sql`${value}`);
  return { columns: listOf(names.map(columnOf)), values: listOf(names.map(name => typed(record[name]))) };
}

/** What an update assigns of these properties: a column stays as it is where the value is undefined. */
export const assignmentsOf = <Name extends string>(
  properties: Readonly<Record<Name, unknown>>,
  changes: Readonly<Record<NoInfer<Name>, Value | undefined>>,
): Statement =>
  listOf(
    (Object.keys(properties) as Name[]).map(
      name => sql`${columnOf(name)} = coalesce(${changes[name] ?? null}, ${columnOf(name)})`,
    ),
  );

/** Makes what reads a row of that selection. It throws where a value is not of its type: the row may be of another statement. */
export function readerOf<P extends Properties>(properties: P): (row: object) => RecordOf<P> {
  const declared = Object.entries(properties);
  return row => {
    for (const [name, { is }] of declared)
      if (!is((row as Readonly<Record<string, unknown>>)[name]))
        throw new RangeError(`a row has a wrong ${name}`);
    return row as RecordOf<P>;
  };
}
