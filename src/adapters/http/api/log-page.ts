import { elementsOf, type JsonList } from "../../../application/json-list.ts";
import { invalid } from "../../../domain/error.ts";
import { described, optional, rule, type Values } from "../../../domain/field.ts";
import { readLocalDateTime } from "../../../domain/local-date-time.ts";
import {
  type LogPosition,
  type LogQuery,
  logFilterFields,
  type MaintenanceLog,
  readLimit,
} from "../../../domain/maintenance-log.ts";
import { type Answer, json, list } from "./route.ts";

/** Queries of the log lists that are complete, whatever their length, unless they are asked for in pages. */
export const logQueryFields = {
  ...logFilterFields,
  limit: described(
    "Asks for a page of at most so many logs, 1 to 1000. While there are more logs the answer has a `Link` header with the address of the next page; a page with a link may be shorter than `limit`, even empty. Without `limit` the list is complete, whatever its length. Other values: 400 `Invalid limit value`.",
    optional(readLimit, undefined),
  ),
  before: described(
    "Where the page begins: an opaque cursor. Take it from the `Link` of the page before, as part of that address. Other values: 400 `Invalid before value`.",
    optional(rule({ type: "string" }, readCursor), undefined),
  ),
};

/** A page that gets longer than this ends before its limit, and has a link to the rest. */
const pageBytes = 1024 * 1024;

/**
 * A list of logs, or with `limit` a page of it and a link to the next (RFC 8288). Positions never change, so whoever
 * follows the links gets every log that was there at the start exactly once, whatever is written meanwhile.
 *
 * @param path of the list
 */
export async function listOrPage(
  path: string,
  query: Values<typeof logQueryFields>,
  listPart: (part: LogQuery) => JsonList<MaintenanceLog>,
): Promise<Answer> {
  const { limit } = query;
  if (limit === undefined) return list(listPart(query));
  const logs: MaintenanceLog[] = [];
  let bytes = 0;
  // One more than is wanted tells whether there is a next page.
  for await (const piece of listPart({ ...query, limit: limit + 1 })) {
    logs.push(...elementsOf<MaintenanceLog>(piece));
    bytes += piece.length;
    if (bytes > pageBytes) break;
  }
  const page = logs.slice(0, limit);
  const last = page.at(-1);
  const isLast = logs.length <= limit && bytes <= pageBytes;
  if (last === undefined || isLast) return json(page);
  const next = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, before: cursorOf(last) })) {
    if (value !== undefined) next.set(name, String(value));
  }
  return json(page, ["Link", `<${path}?${next}>; rel="next"`]);
}

/** Opaque to clients, so that it may come to say something else. */
const cursorOf = ({ performedDate, id }: LogPosition): string =>
  Buffer.from(`${performedDate} ${id}`).toString("base64url");

function readCursor(value: unknown): LogPosition {
  const refusal = "Invalid before value";
  const text = typeof value === "string" ? Buffer.from(value, "base64url").toString() : "";
  const [, date, id] = /^(\S+) (\d{1,15})$/.exec(text) ?? [];
  const position = { performedDate: readLocalDateTime(date, refusal), id: Number(id) };
  if (cursorOf(position) !== value) throw invalid(refusal);
  return position;
}
