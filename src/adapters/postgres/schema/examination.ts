import { UnsuitableDatabase } from "../../../application/unsuitable-database.ts";
import type { Database } from "../connection/database.ts";
import type { SessionCheck } from "../connection/session.ts";
import { type Statement, sql, unionOf, wholeNumber } from "../connection/statement.ts";
import { refuseOtherSchema, type Schema } from "./migrations.ts";
import {
  type DatabasePromise,
  ofCatalogs,
  ofConnections,
  ofRecords,
  ofTables,
  promisesFor,
  type Use,
} from "./promises.ts";

/** A promise that the database breaks, and how, in words for the operator. */
export type Finding = ReturnType<typeof findingsOf>[number];

interface Fault {
  /** The index of the promise among those of one statement. */
  readonly promise: number;
  readonly fault: string;
}

/** One statement that finds the faults of all these promises. */
const questions = (promises: readonly DatabasePromise[]): Statement =>
  unionOf(
    promises.map(
      ({ faults }, at) => sql`
        select ${wholeNumber(at)} as promise, fault
        from (${faults}) as found (fault)`,
    ),
  );

/** Findings in the order of the promises. */
const findingsOf = (promises: readonly DatabasePromise[], rows: readonly Fault[]) =>
  rows
    .toSorted((a, b) => a.promise - b.promise)
    .map(({ promise: at, fault }) => {
      const promise = promises[at] as DatabasePromise;
      return { promise, words: promise.remedy === "" ? fault : `${fault}: ${promise.remedy}` };
    });

/** Whether `serve` is not ready while the promise is broken. */
export const keepsFromServing = ({ prevents }: DatabasePromise): boolean =>
  prevents === "start" || prevents === "readiness";

/** Throws UnsuitableDatabase if one of the findings keeps `serve` from starting. */
export function refuseToStart(findings: readonly Finding[]): void {
  const [first] = findings.filter(({ promise }) => promise.prevents === "start");
  if (first !== undefined) throw new UnsuitableDatabase(first.words);
}

/** The check of each new connection. */
export function sessionCheck(use: Use, judge = refuseToStart): SessionCheck {
  const promises = promisesFor(use, ofConnections);
  return {
    statement: questions(promises),
    refuse: rows => judge(findingsOf(promises, rows as readonly Fault[])),
  };
}

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
  isAsked = (_: DatabasePromise): boolean => true,
) {
  await refuseOtherSchema(database, schema);
  const findings = await ask(database, promisesFor(use, ofCatalogs(schema)).filter(isAsked));
  // PostgreSQL refuses a statement on a table that the role may not read.
  if (findings.some(({ promise }) => promise.name === "rights")) return findings;
  return [...findings, ...(await ask(database, ofTables.filter(isAsked)))];
}

/** Finds what is missing of the records that the trail covers. */
export const examineRecords = (database: Database): Promise<Finding[]> => ask(database, ofRecords);

const ask = async ({ query }: Database, promises: readonly DatabasePromise[]): Promise<Finding[]> =>
  findingsOf(promises, await query<Fault>(questions(promises)));
