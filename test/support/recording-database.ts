import type { Database, Statement } from "../../src/adapters/postgres/connection.ts";

/** A statement as it was sent. */
export interface Sent {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

/** Passes statements on, and tells what was sent. */
export function recording(database: Database): { readonly database: Database; readonly sent: Sent[] } {
  const sent: Sent[] = [];
  return {
    sent,
    database: {
      ...database,
      async query<Row extends object>(statement: Statement<Row>) {
        let pending: unknown;
        const rows = await database.query<Row>(sql => {
          const query = statement(sql);
          pending = query;
          return query;
        });
        // Not in the types of postgres.js: what became of the template.
        const { string: text, parameters } = pending as { string: string; parameters: readonly unknown[] };
        sent.push({ text, parameters });
        return rows;
      },
    },
  };
}

/** A parameter as it is written in SQL. */
export const literal = (value: unknown): string =>
  value === null ? "null" : `'${String(value).replaceAll("'", "''")}'`;
