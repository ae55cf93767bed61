import { type Agent, type IncomingHttpHeaders, request } from "node:http";
import { checkAnswer } from "../../support/api-document.ts";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body read as JSON; undefined when it is none. */
  readonly json: unknown;
}

/** No whole answer came in time. */
export class HungError extends Error {
  override readonly name = "HungError";
}

/** The deadline of the service is about 5 s; what takes longer than this has hung. */
export const hungMilliseconds = 7_000;

/** Where a service is: a port of 127.0.0.1, or another address too. */
export type Place = number | `${string}:${number}`;

export interface Sent {
  readonly method?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Without one, each request has a connection of its own. */
  readonly agent?: Agent;
}

/** Sends one request; throws HungError, or the socket's error. */
export function send(place: Place, path: string, sent: Sent = {}): Promise<Answer> {
  const { method = "GET", token, headers = {}, body, agent } = sent;
  const text = body === undefined ? undefined : JSON.stringify(body);
  const [host, port] = typeof place === "number" ? ["127.0.0.1", place] : place.split(":");
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host,
        port,
        path,
        method,
        agent: agent ?? false,
        headers: {
          ...headers,
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(text === undefined
            ? {}
            : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
        },
      },
      response => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.once("error", fail);
        response.once("end", () => {
          clearTimeout(limit);
          const answer = Buffer.concat(chunks).toString("utf8");
          const { statusCode: status = 0, headers } = response;
          try {
            // What a proxy answers itself has none.
            if ("x-request-id" in headers) checkAnswer.status(method, path, status);
            resolve({ status, headers, json: parsed(answer) });
          } catch (error) {
            reject(error);
          }
        });
      },
    );
    const fail = (error: Error) => {
      clearTimeout(limit);
      reject(error);
    };
    const limit = setTimeout(() => {
      reject(new HungError(`${method} ${path} had no answer after ${hungMilliseconds} ms`));
      outgoing.destroy();
    }, hungMilliseconds);
    outgoing.once("error", fail);
    outgoing.end(text);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is wrong with an error answer: each is JSON of `status` and `msg`, and a 503 says when to try again. */
export function faultOfError({ status, headers, json }: Answer): string | undefined {
  const { status: said, msg } = (json ?? {}) as { status?: unknown; msg?: unknown };
  if (said !== status || typeof msg !== "string") return `a ${status} without JSON of status and msg`;
  if (status === 503 && !/^\d+$/.test(headers["retry-after"] ?? "")) return "a 503 without Retry-After";
  return undefined;
}
