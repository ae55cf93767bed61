import { connect } from "node:net";
import { checkAnswer } from "./api-document.ts";

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

/** A client of the API that takes no answer but what the OpenAPI document says. */
export function makeClient(port: number): Call {
  const call = makePlainClient(port);
  return async (method, path, options) => {
    const answer = await call(method, path, options);
    checkAnswer(method, path, answer);
    return answer;
  };
}

/** A client that knows nothing of the service but where it listens. */
export const makePlainClient =
  (port: number): Call =>
  async (method, path, { token, body, raw, headers = {} } = {}) => {
    const sent = new Headers(headers);
    if (token !== undefined) sent.set("authorization", `Bearer ${token}`);
    if (body !== undefined) sent.set("content-type", "application/json");
    const payload = raw ?? (body === undefined ? null : JSON.stringify(body));
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers: sent, body: payload });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parsed(text) };
  };

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Sends bytes as they are and answers whatever comes back until the server closes the connection. */
export function sendRaw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.setEncoding("utf8");
    socket.on("data", chunk => {
      answer += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(answer));
  });
}
