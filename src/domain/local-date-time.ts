import { invalid } from "./error.ts";
import { type Rule, rule } from "./field.ts";

const format =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?$/;

/** What a refusal says after the name of the field. */
const form = "write YYYY-MM-DDTHH:MM[:SS[.ffffff]], without a zone";

/**
 * Reads an ISO 8601 local date-time, `YYYY-MM-DDTHH:MM[:SS[.f{1,9}]]`, of a real calendar day and without a zone.
 * Digits after the sixth are cut: PostgreSQL stores microseconds, and would round. Works on the text alone, because a `Date` would apply the time zone of the process.
 *
 * @param refusal the message for any other value
 * @returns the form that clients see: with seconds, the fraction only when it is not zero and without trailing zeros
 * @throws INVALID
 */
export function readLocalDateTime(value: unknown, refusal: string): string {
  const parts = typeof value === "string" ? format.exec(value) : null;
  if (parts === null) throw invalid(refusal);
  const [, year = "", month = "", day = "", hour = "", minute = "", second = "00", fraction = ""] = parts;
  if (Number(year) === 0 || Number(day) > daysIn(Number(year), Number(month))) throw invalid(refusal);
  const significant = fraction.slice(0, 6).replace(/0+$/, "");
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${significant === "" ? "" : `.${significant}`}`;
}

/** A rule for local date-times, with a refusal that names the field. */
export const localDateTime = (refusal: string): Rule<string> =>
  rule({ type: "string", pattern: format.source }, value => readLocalDateTime(value, `${refusal}: ${form}`));

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
const monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The number of days of a month from 1 to 12. */
const daysIn = (year: number, month: number): number =>
  month === 2 && isLeap(year) ? 29 : (monthLengths[month - 1] ?? 0);
