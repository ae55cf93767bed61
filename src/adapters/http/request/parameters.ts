import type { IncomingHttpHeaders } from "node:http";
import { invalid } from "../../../domain/error.ts";
import { type Fields, readFields, type Values } from "../../../domain/field.ts";
import type { RefusedQuery } from "../api/refused-query.ts";

/** The id that a text means; undefined unless it is a decimal integer. */
export function readId(text: string): number | undefined {
  if (!/^-?\d+$/.test(text)) return undefined;
  // No record has an id below 1 or that large, so what stands for such a number finds nothing either.
  return Math.max(0, Math.min(Number(text), Number.MAX_SAFE_INTEGER));
}

/**
 * Reads the parameters that a route knows, and ignores others; near misses of known ones, and of those that the route refuses,
 * are 400. A repeated parameter is read as an array, which no rule accepts.
 */
export function readQuery<F extends Fields>(fields: F, query: string, refused: RefusedQuery = {}): Values<F> {
  if (query === "") return readFields(fields, {});
  const parameters = new URLSearchParams(query);
  const others = [...new Set(parameters.keys())].filter(name => !Object.hasOwn(fields, name));
  if (others.length > 0) refuseNearMisses(others, fields, refused);
  const sent = Object.keys(fields).map(name => {
    const values = parameters.getAll(name);
    return [name, values.length > 1 ? values : values[0]];
  });
  return readFields(fields, Object.fromEntries(sent));
}

/** If `task_type`, `filter[status][$eq]`, `status.eq` or `amp;status` were ignored, the client would get the unfiltered list. */
function refuseNearMisses(sent: readonly string[], fields: Fields, refused: RefusedQuery): void {
  const byLetters = (names: object) => new Map(Object.keys(names).map(name => [lettersOf(name), name]));
  const [known, others] = [byLetters(fields), byLetters(refused)];
  for (const letters of sent.flatMap(name => [name, ...name.split(/[[\].;]/)]).map(lettersOf)) {
    const meant = known.get(letters);
    if (meant !== undefined) throw invalid(`Misspelled query parameter: write ${meant}`);
    const name = others.get(letters);
    if (name !== undefined) throw invalid(`${name} is no parameter of this list${refused[name]}`);
  }
}

const lettersOf = (name: string): string => name.toLowerCase().replace(/[^\p{L}]/gu, "");

/**
 * Reads the header fields that a route knows. Node has their names in lower case. Where one is missing, its name with `X-` is 400:
 * if `X-Idempotency-Key` were ignored, a request that is sent twice would write two logs.
 */
export function readHeaders<F extends Fields>(fields: F, headers: IncomingHttpHeaders): Values<F> {
  const names = Object.keys(fields);
  const sent = Object.fromEntries(names.map(name => [name, headers[name.toLowerCase()]]));
  const misspelled = names.find(
    name => sent[name] === undefined && headers[`x-${name.toLowerCase()}`] !== undefined,
  );
  if (misspelled !== undefined) throw invalid(`Misspelled header field: write ${misspelled}`);
  return readFields(fields, sent);
}
