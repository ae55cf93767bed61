import type { Asked, Database } from "../../src/adapters/postgres/connection/database.ts";
import type { Statement } from "../../src/adapters/postgres/connection/statement.ts";

/** Passes statements on, and tells what was sent. */
export function recording(database: Database): { readonly database: Database; readonly sent: Statement[] } {
  const sent: Statement[] = [];
  const noting = (asked: Asked) => () => {
    const statement = typeof asked === "function" ? asked() : asked;
    sent.push(statement);
    return statement;
  };
  return {
    sent,
    database: {
      ...database,
      query: asked => database.query(noting(asked)),
      queryBytes: asked => database.queryBytes(noting(asked)),
    },
  };
}

/** A value as it is written in SQL. */
export const literal = (value: unknown): string =>
  value === null ? "null" : `'${String(value).replaceAll("'", "''")}'`;
