import type { Database } from "../connection/database.ts";
import { sql } from "../connection/statement.ts";
import { batched } from "./batch.ts";

/**
 * Makes the function that resolves when what has been read is as safe as what has been written. It can be seen before a
 * synchronous standby has it, when waiting for that was cut short; the commit of a row lock waits for all that came before.
 */
export const makeConfirmReads = ({ query }: Pick<Database, "query">): (() => Promise<void>) => {
  const confirm = batched<void, object, void>({
    query,
    statementFor: () => sql`select id from employee order by id limit 1 for key share`,
    resultsOf: (_, calls) => calls,
  });
  return () => confirm();
};
