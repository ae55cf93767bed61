import type { ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { Batches } from "../../application/ports.ts";
import type { HttpError } from "./http-error.ts";
import { type Content, ContentWithHeaders, HtmlPage } from "./route.ts";

/** A response under way, and the headers that it gets whatever its outcome: names and values in turn. */
export interface Reply {
  readonly response: ServerResponse;
  readonly headers: readonly string[];
}

const json = ["Content-Type", "application/json; charset=utf-8"];

export async function sendContent(reply: Reply, status: number, content: Content): Promise<void> {
  if (content instanceof ContentWithHeaders) {
    return sendContent(
      { ...reply, headers: [...reply.headers, ...content.headers] },
      status,
      content.content,
    );
  }
  if (content === undefined) return sendNothing(reply, status);
  if (content instanceof HtmlPage) return sendPage(reply, status, content);
  if (Symbol.asyncIterator in content) return sendList(reply, status, content);
  return sendText(reply, status, JSON.stringify(content), json);
}

/** Every error is a JSON object with `status` and `msg` (specification, section 2.10). */
export function sendError(reply: Reply, { status, message, headers }: HttpError): void {
  sendText(reply, status, JSON.stringify({ status, msg: message }), [...json, ...headers]);
}

/** Any path may be asked for its preflight (specification, section 4.5). */
export function sendPreflight({ response, headers }: Reply, more: readonly string[]): void {
  response.writeHead(200, [...headers, ...more, "Content-Length", "0"]).end();
}

function sendNothing({ response, headers }: Reply, status: number): void {
  response.writeHead(status, [...headers]).end();
}

function sendPage(reply: Reply, status: number, page: HtmlPage): void {
  sendText(reply, status, page.text, [
    "Content-Type",
    "text/html; charset=utf-8",
    "Content-Security-Policy",
    page.contentSecurityPolicy,
  ]);
}

function sendText({ response, headers }: Reply, status: number, text: string, more: readonly string[]): void {
  const length = ["Content-Length", String(Buffer.byteLength(text))];
  response.writeHead(status, [...headers, ...more, ...length]).end(text);
}

/**
 * Sends a list that fits in one batch as one text. A longer one goes out batch by batch at the pace of the client;
 * when it fails on the way the socket is destroyed, so that nobody takes a cut list for a whole one.
 */
async function sendList(reply: Reply, status: number, batches: Batches<object>): Promise<void> {
  const iterator = batches[Symbol.asyncIterator]();
  // Both steps come before the status line, while a failure can still be answered properly.
  const first = await iterator.next();
  const second = first.done === true ? first : await iterator.next();
  if (second.done === true) return sendText(reply, status, JSON.stringify(first.value ?? []), json);

  const { response, headers } = reply;
  response.writeHead(status, [...headers, ...json]);
  if (response.req.method === "HEAD") {
    response.end();
    return void (await iterator.return?.());
  }
  await pipeline(jsonArray(first.value, second.value, iterator), response);
}

/** Whoever stops reading this stops the reading of the list. */
async function* jsonArray(
  first: readonly object[],
  second: readonly object[],
  rest: AsyncIterator<readonly object[]>,
): AsyncGenerator<string> {
  try {
    yield `[${elements(first)}`;
    yield `,${elements(second)}`;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
      yield `,${elements(next.value)}`;
    }
    yield "]";
  } finally {
    await rest.return?.();
  }
}

const elements = (batch: readonly object[]): string => JSON.stringify(batch).slice(1, -1);
