import { joinElements } from "../../../application/json-list.ts";
import type { LogList } from "../../../application/ports.ts";
import { invalid } from "../../../domain/error.ts";
import { optional, rule, type Values } from "../../../domain/field.ts";
import { readLocalDateTime } from "../../../domain/local-date-time.ts";
import { type LogPosition, logFilterFields, readLimit } from "../../../domain/maintenance-log.ts";
import { WithHeaders } from "./result.ts";

/** Query of the log lists that come whole, whatever their length, or in pages with `limit`. */
export const logQueryFields = {
  ...logFilterFields,
  limit: optional(readLimit, undefined),
  before: optional(rule({ type: "string" }, readCursor), undefined),
};

/**
 * A list of logs, or with `limit` a page of it and a link to the next (RFC 8288). Positions never change, so whoever
 * follows the links gets every log that was there at the start exactly once, whatever is written meanwhile.
 *
 * @param segment the last one of the path
 */
export async function listOrPage(
  segment: string | number,
  query: Values<typeof logQueryFields>,
  logs: LogList,
): Promise<WithHeaders<LogList>> {
  if (query.limit === undefined) return new WithHeaders(logs, {});
  const found: Uint8Array[] = [];
  let next: LogPosition | undefined;
  for await (const chunk of logs) {
    // The list uses the memory of this chunk again for the next one.
    found.push(Uint8Array.from(chunk.content));
    next = chunk.next;
  }
  const page = (async function* () {
    yield { content: joinElements(found), next: undefined };
  })();
  return new WithHeaders(page, next === undefined ? {} : { Link: linkTo(segment, query, next) });
}

/** A relative link, which also works behind a proxy that adds a prefix to the path. Some libraries resolve a query alone wrongly (RFC 2396). */
function linkTo(segment: string | number, query: Values<typeof logQueryFields>, position: LogPosition) {
  const next = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, before: cursorOf(position) }))
    if (value !== undefined) next.set(name, String(value));
  return `<${segment}?${next}>; rel="next"`;
}

/** Opaque to clients, so that it may come to say something else. */
const cursorOf = ({ performedDate, id }: LogPosition): string =>
  Buffer.from(`${performedDate} ${id}`).toString("base64url");

function readCursor(value: unknown): LogPosition {
  const refusal = "Invalid before value";
  const text = typeof value === "string" ? Buffer.from(value, "base64url").toString() : "";
  const [, date, id] = /^(\S+) (\d{1,16})$/.exec(text) ?? [];
  const position = { performedDate: readLocalDateTime(date, refusal), id: Number(id) };
  if (cursorOf(position) !== value) throw invalid(refusal);
  return position;
}
