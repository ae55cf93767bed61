import type { Database, StatementSource } from "../../src/adapters/postgres/connection/database.ts";
import type { Statement } from "../../src/adapters/postgres/connection/statement.ts";

/** Passes statements on, and tells what was sent. */
export function recording(database: Database): { readonly database: Database; readonly sent: Statement[] } {
  const sent: Statement[] = [];
  const noting = (source: StatementSource) => () => {
    const statement = typeof source === "function" ? source() : source;
    sent.push(statement);
    return statement;
  };
  return {
    sent,
    database: {
      ...database,
      query: source => database.query(noting(source)),
      queryBytes: source => database.queryBytes(noting(source)),
    },
  };
}

/** A value as it is written in SQL. */
export const literal = (value: unknown): string =>
  value === null ? "null" : `'${String(value).replaceAll("'", "''")}'`;

/** The plan of `explain (format json)`, which is text where the driver does not read JSON. */
export const planOf = (row: Readonly<Record<string, unknown>> | undefined): unknown => {
  const value = row?.["QUERY PLAN"];
  return typeof value === "string" ? JSON.parse(value) : value;
};
