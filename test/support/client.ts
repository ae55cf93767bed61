import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { checkAnswer } from "./api-document.ts";
import { inTime } from "./until.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body read as JSON; undefined when it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came back
  readonly json: any;
}

export interface Options {
  readonly token?: string | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, with no content type of its own. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Call = (method: string, path: string, options?: Options) => Promise<Answer>;

/** A client of the API that takes no answer but what the OpenAPI document says, and with the headers of every response. */
export function makeClient(port: number): Call {
  const call = makePlainClient(port);
  return async (method, path, options) => {
    const answer = await call(method, path, options);
    checkAnswer(method, path, answer);
    const { headers } = answer;
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("cache-control"), "no-store");
    assert.match(headers.get("x-request-id") ?? "", /^[\w.:~+/=-]{1,128}$/);
    return answer;
  };
}

/** Its idle connections do not keep a process from ending. */
const agent = new Agent({ keepAlive: true });

/** A client that knows nothing of the service but where it listens. On node:http, which takes half the time of fetch. */
export const makePlainClient =
  (port: number): Call =>
  async (method, path, { token, body, raw, headers = {} } = {}) => {
    const sent = new Headers({ accept: "*/*", ...headers });
    if (token !== undefined) sent.set("authorization", `Bearer ${token}`);
    if (body !== undefined) sent.set("content-type", "application/json");
    const payload = raw ?? (body === undefined ? null : JSON.stringify(body));
    const url = new URL(`http://127.0.0.1:${port}${path}`);
    const asked = request(url, { method, headers: Object.fromEntries(sent), agent }).end(payload);
    const [response] = (await inTime(`the response to ${method} ${path}`, once(asked, "response"))) as [
      IncomingMessage,
    ];
    const text = await textOf(response);
    const answered = new Headers();
    for (const [name, values = []] of Object.entries(response.headersDistinct)) {
      for (const value of values) answered.append(name, value);
    }
    return { status: response.statusCode as number, headers: answered, text, json: parsed(text) };
  };

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
