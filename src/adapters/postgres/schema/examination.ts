import { UnsuitableDatabase } from "../../../application/unsuitable-database.ts";
import type { Database } from "../connection/database.ts";
import type { SessionCheck } from "../connection/session.ts";
import { type Statement, sql, wholeNumber } from "../connection/statement.ts";
import { unionOf } from "../trail/entries.ts";
import { refuseOtherSchema, type Schema } from "./migrations.ts";
import { type DatabasePromise, databasePromises, type Use } from "./promises.ts";

/** A promise that the database breaks, and how, in words for the operator. */
export interface Finding {
  readonly promise: DatabasePromise;
  readonly words: string;
}

interface Fault {
  readonly promise: number;
  readonly fault: string;
}

/** Those that matter with this use of the database, and of them those that are asked of this. */
export const allPromises = (use: Use): readonly DatabasePromise[] =>
  databasePromises.filter(({ when }) => when?.(use) !== false);
export const promisesOf = (asked: DatabasePromise["asked"], use: Use): readonly DatabasePromise[] =>
  allPromises(use).filter(promise => promise.asked === asked);

/** One statement for all of them. A promise is a number, its place among all. */
const questions = (promises: readonly DatabasePromise[], schema: Schema): Statement =>
  unionOf(
    promises.map(
      promise => sql`
        select ${wholeNumber(databasePromises.indexOf(promise))} as promise, fault
        from (${promise.faults(schema)}) as found (fault)`,
    ),
  );

function findingOf({ promise: at, fault }: Fault): Finding {
  const promise = databasePromises[at] as DatabasePromise;
  return { promise, words: promise.remedy === "" ? fault : `${fault}: ${promise.remedy}` };
}

const noSchema: Schema = { migrations: [], serviceRole: "", protection: [] };

/** Whether `serve` is not ready where the promise is broken. */
export const keepsFromServing = ({ broken }: DatabasePromise): boolean =>
  broken === "refuses" || broken === "not ready";

/** Throws UnsuitableDatabase where one of the findings keeps `serve` from starting. */
export function refuse(findings: readonly Finding[]): void {
  const [first] = findings.filter(({ promise }) => promise.broken === "refuses");
  if (first !== undefined) throw new UnsuitableDatabase(first.words);
}

/** What each new connection is asked. */
export const sessionCheck = (
  use: Use,
  judge: (findings: readonly Finding[]) => void = refuse,
): SessionCheck => ({
  statement: questions(promisesOf("connection", use), noSchema),
  refuse: rows => judge((rows as readonly Fault[]).map(findingOf)),
});

/**
 * Finds what does not hold of all that is asked, with three statements that cost the same whatever the tables hold. What is asked of each
 * connection is not part of it.
 *
 * @throws UnsuitableDatabase where the migrations are not those of the program
 */
export async function examine(
  database: Database,
  schema: Schema,
  use: Use,
  asks: (promise: DatabasePromise) => boolean = () => true,
): Promise<Finding[]> {
  await refuseOtherSchema(database, schema);
  const promises = promisesOf("catalogs", use).filter(asks);
  const found = await database.query<Fault>(questions(promises, schema));
  const findings = found.toSorted((a, b) => a.promise - b.promise).map(findingOf);
  // PostgreSQL refuses a statement on a table that the role may not read.
  if (findings.some(({ promise }) => promise.name === "rights")) return findings;
  return [...findings, ...(await examineRecords(database, asks))];
}

/** Finds what is missing of the records that the trail covers. */
export async function examineRecords(
  { query }: Database,
  asks: (promise: DatabasePromise) => boolean = () => true,
): Promise<Finding[]> {
  const promises = databasePromises.filter(promise => promise.asked === "records" && asks(promise));
  return (await query<Fault>(questions(promises, noSchema))).map(findingOf);
}
