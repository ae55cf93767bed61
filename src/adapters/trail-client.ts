import { setTimeout as sleep } from "node:timers/promises";
import type { TrailReader } from "../application/trail-audit.ts";
import { bundlePath } from "../domain/trail/tile.ts";

/** The service could not be asked. The message is for the auditor, and never has the password. */
export class TrailClientError extends Error {}

const timeoutMilliseconds = 30_000;
/** Of what an overloaded or restarting service answers, and of a lost connection. */
const pausesMilliseconds = [1_000, 3_000, 10_000];
/** A full entry bundle of the longest entries. */
const longestBody = 256 * (2 + 0xffff);

interface Answer {
  readonly status: number;
  readonly body: Uint8Array;
}

/** Reads the trail of the service at this URL, logged in as an employee. */
export function makeTrailClient(
  url: URL,
  credentials: { readonly email: string; readonly password: string },
  pauses: readonly number[] = pausesMilliseconds,
): TrailReader {
  const base = new URL("api/v1/", url.href.endsWith("/") ? url : `${url.href}/`);
  let token: string | undefined;

  /** Logs in at first, and again when the token has expired. */
  async function get(path: string): Promise<Answer> {
    token ??= await logIn();
    const answer = await ask(path, { headers: { authorization: `Bearer ${token}` } });
    if (answer.status !== 401 && answer.status !== 403) return answer;
    token = await logIn();
    return ask(path, { headers: { authorization: `Bearer ${token}` } });
  }

  async function logIn(): Promise<string> {
    const { status, body } = await ask("auth/login", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(credentials),
    });
    if (status !== 200) throw new TrailClientError(`the login was refused with status ${status}`);
    const token = tokenIn(Buffer.from(body).toString());
    if (typeof token !== "string") throw new TrailClientError("the login gave no token");
    return token;
  }

  async function ask(path: string, request: RequestInit): Promise<Answer> {
    for (const pause of pauses) {
      const answer = await askOnce(path, request).catch(() => undefined);
      if (answer !== undefined && answer.status !== 429 && answer.status < 500) return answer;
      await sleep(pause);
    }
    return askOnce(path, request);
  }

  async function askOnce(path: string, request: RequestInit): Promise<Answer> {
    try {
      // A redirect would send the password or the token to another server.
      const signal = AbortSignal.timeout(timeoutMilliseconds);
      const response = await fetch(new URL(path, base), { ...request, redirect: "error", signal });
      return { status: response.status, body: await readBody(response) };
    } catch (error) {
      const { message, cause } = error as Error;
      throw new TrailClientError(
        `${url.href} cannot be read: ${cause instanceof Error ? cause.message : message}`,
      );
    }
  }

  async function found(path: string): Promise<Uint8Array | undefined> {
    const { status, body } = await get(path);
    if (status === 404) return undefined;
    if (status !== 200) throw new TrailClientError(`${path} was answered with status ${status}`);
    return body;
  }

  return {
    async checkpoint() {
      const body = await found("trail/checkpoint");
      return body && Buffer.from(body).toString();
    },
    async bundle(place) {
      const path = `trail/tile/${bundlePath(place)}`;
      const body = await found(path);
      if (body === undefined) throw new TrailClientError(`${path} is not there`);
      return body;
    },
  };
}

function tokenIn(body: string): unknown {
  try {
    return (JSON.parse(body) as { token?: unknown } | null)?.token;
  } catch {
    return undefined;
  }
}

async function readBody({ body }: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > longestBody) throw new Error("an answer is longer than any bundle can be");
    parts.push(part);
  }
  return Buffer.concat(parts);
}
