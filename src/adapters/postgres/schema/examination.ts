import { UnsuitableDatabase } from "../../../application/unsuitable-database.ts";
import type { Database } from "../connection/database.ts";
import type { SessionCheck } from "../connection/session.ts";
import { type Statement, sql, unionOf, wholeNumber } from "../connection/statement.ts";
import { refuseOtherSchema, type Schema } from "./migrations.ts";
import { type DatabasePromise, databasePromises, type Use } from "./promises.ts";

/** A promise that the database breaks, and how, in words for the operator. */
export interface Finding {
  readonly promise: DatabasePromise;
  readonly words: string;
}

type Asked = keyof typeof databasePromises;

interface Fault {
  /** The index of the promise among those of one statement. */
  readonly promise: number;
  readonly fault: string;
}

/** The promises of one part of the database that matter for this use of it. */
export const promisesOf = (asked: Asked, use: Use): readonly DatabasePromise[] =>
  databasePromises[asked].filter(({ when }) => when?.(use) !== false);
export const allPromises = (use: Use): readonly DatabasePromise[] =>
  (Object.keys(databasePromises) as Asked[]).flatMap(asked => promisesOf(asked, use));

/** One statement that finds the faults of all these promises. */
const questions = (promises: readonly DatabasePromise[], schema: Schema): Statement =>
  unionOf(
    promises.map(
      ({ faults }, at) => sql`
        select ${wholeNumber(at)} as promise, fault
        from (${faults(schema)}) as found (fault)`,
    ),
  );

/** Findings in the order of the promises. */
const findingsOf = (promises: readonly DatabasePromise[], rows: readonly Fault[]): Finding[] =>
  rows
    .toSorted((a, b) => a.promise - b.promise)
    .map(({ promise: at, fault }) => {
      const promise = promises[at] as DatabasePromise;
      return { promise, words: promise.remedy === "" ? fault : `${fault}: ${promise.remedy}` };
    });

const noSchema: Schema = { migrations: [], serviceRole: "", protection: [], rights: [] };

/** Whether `serve` is not ready while the promise is broken. */
export const keepsFromServing = ({ prevents }: DatabasePromise): boolean =>
  prevents === "start" || prevents === "readiness";

/** Throws UnsuitableDatabase if one of the findings keeps `serve` from starting. */
export function refuse(findings: readonly Finding[]): void {
  const [first] = findings.filter(({ promise }) => promise.prevents === "start");
  if (first !== undefined) throw new UnsuitableDatabase(first.words);
}

/** The check of each new connection. */
export function sessionCheck(use: Use, judge: (findings: readonly Finding[]) => void = refuse): SessionCheck {
  const promises = promisesOf("connection", use);
  return {
    statement: questions(promises, noSchema),
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
  asks = (_: DatabasePromise): boolean => true,
) {
  await refuseOtherSchema(database, schema);
  const promises = promisesOf("catalogs", use).filter(asks);
  const findings = findingsOf(promises, await database.query<Fault>(questions(promises, schema)));
  // PostgreSQL refuses a statement on a table that the role may not read.
  if (findings.some(({ promise }) => promise.name === "rights")) return findings;
  const { rows, records } = databasePromises;
  return [...findings, ...(await examineRows(database, [...rows, ...records].filter(asks)))];
}

const examineRows = async ({ query }: Database, promises: readonly DatabasePromise[]): Promise<Finding[]> =>
  findingsOf(promises, await query<Fault>(questions(promises, noSchema)));

/** Finds what is missing of the records that the trail covers. */
export const examineRecords = (database: Database): Promise<Finding[]> =>
  examineRows(database, databasePromises.records);
