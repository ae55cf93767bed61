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

/** On every response, whatever its outcome. */
export const standingHeaders = (requestId: string): readonly string[] => [
  "X-Content-Type-Options",
  "nosniff",
  "Cache-Control",
  "no-store",
  "X-Request-Id",
  requestId,
];

export const jsonType = ["Content-Type", "application/json; charset=utf-8"];

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
  return sendText(reply, status, JSON.stringify(content), jsonType);
}

/** Every error is a JSON object with `status` and `msg` (specification, section 2.10). */
export function sendError(reply: Reply, { status, message, headers }: HttpError): void {
  sendText(reply, status, JSON.stringify({ status, msg: message }), [...jsonType, ...headers]);
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
  // Taken before the status line, while a failure can still be answered properly.
  const ready = await take(2, iterator);
  if (ready.length < 2) return sendText(reply, status, JSON.stringify(ready[0] ?? []), jsonType);

  const { response, headers } = reply;
  response.writeHead(status, [...headers, ...jsonType]);
  if (response.req.method === "HEAD") {
    response.end();
    return void (await iterator.return?.());
  }
  await pipeline(jsonArray(ready, iterator), response);
}

async function take(
  count: number,
  batches: AsyncIterator<readonly object[]>,
): Promise<(readonly object[])[]> {
  const taken: (readonly object[])[] = [];
  while (taken.length < count) {
    const next = await batches.next();
    if (next.done === true) break;
    taken.push(next.value);
  }
  return taken;
}

/** Whoever stops reading this stops the reading of the list. */
async function* jsonArray(
  ready: (readonly object[])[],
  rest: AsyncIterator<readonly object[]>,
): AsyncGenerator<string> {
  try {
    let separator = "[";
    // Taken out one by one, so that no batch is held while later ones are sent.
    for (let batch = ready.shift(); batch !== undefined; batch = ready.shift() ?? (await rest.next()).value) {
      yield separator + elements(batch);
      separator = ",";
    }
    yield "]";
  } finally {
    await rest.return?.();
  }
}

const elements = (batch: readonly object[]): string => JSON.stringify(batch).slice(1, -1);
