import { setTimeout as sleep } from "node:timers/promises";
import type { AuditedTrail } from "../application/trail/audit.ts";
import { bundlePath, mostEntryBytes, tilePath, tileWidth } from "../domain/trail/tile.ts";

/** The service could not be asked. The message is for the auditor, and never has the password. */
export class TrailClientError extends Error {}

const timeoutMilliseconds = 30_000;
/** Before a request is repeated: after a response of an overloaded or restarting service, and a lost connection. */
const pausesMilliseconds = [1_000, 3_000, 10_000];

/** An entry bundle, the longest of what is read, has at most 256 entries, each with its length. */
const mostBytes = tileWidth * (2 + mostEntryBytes);

/** Until another process of the service has what one has signed. */
const againMilliseconds = 500;

/** Reads the trail of the service at this URL, logged in as an employee. */
export function makeTrailClient(
  url: URL,
  credentials: { readonly email: string; readonly password: string },
  pauses: readonly number[] = pausesMilliseconds,
): AuditedTrail & { hasUnproven(): Promise<boolean> } {
  const base = new URL("api/v1/", url.href.endsWith("/") ? url : `${url.href}/`);
  let token: string | undefined;

  async function logIn(): Promise<string> {
    const { status, body } = await ask("auth/login", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(credentials),
    });
    if (status !== 200) throw new TrailClientError(`the login was refused with status ${status}`);
    const token = readJson(body)?.["token"];
    if (typeof token === "string") return token;
    throw new TrailClientError("the login gave no token");
  }

  /** The body of what is there. Logs in at first, and again when the token has expired. */
  async function read(path: string): Promise<Buffer | undefined> {
    const get = async () => ask(path, { headers: { authorization: `Bearer ${token}` } });
    token ??= await logIn();
    let { status, body } = await get();
    if (status === 401 || status === 403) {
      token = await logIn();
      ({ status, body } = await get());
    }
    if (status === 404) return undefined;
    if (status !== 200) throw new TrailClientError(`${path} got status ${status}`);
    return body;
  }

  async function ask(path: string, init: RequestInit) {
    for (const pause of pauses) {
      const received = await send(path, init).catch(() => undefined);
      if (received !== undefined && received.status !== 429 && received.status < 500) return received;
      await sleep(pause);
    }
    return send(path, init);
  }

  async function send(path: string, init: RequestInit) {
    try {
      // A redirect would send the password or the token to another server.
      const signal = AbortSignal.timeout(timeoutMilliseconds);
      const response = await fetch(new URL(path, base), { ...init, redirect: "error", signal });
      return { status: response.status, body: await bodyOf(response) };
    } catch (error) {
      const { message, cause } = error as Error;
      const reason = cause instanceof Error ? cause.message : message;
      throw new TrailClientError(`${url.href} cannot be read: ${reason}`);
    }
  }

  /** Whether a log is not in the trail yet: of the newest logs by their date, the one that was written last. */
  async function hasUnproven(): Promise<boolean> {
    const logs = readJson(await read("logs?limit=100"));
    if (!Array.isArray(logs)) throw new TrailClientError("the newest logs cannot be read");
    const ids = logs.map(log => Number(log?.id));
    return ids.length > 0 && (await read(`logs/${Math.max(...ids)}/proof`)) === undefined;
  }

  return {
    checkpoint: async () => (await read("trail/checkpoint"))?.toString(),
    bundle: place => read(`trail/tile/${bundlePath(place)}`),
    tile: tile => read(`trail/tile/${tilePath(tile)}`),
    hasUnproven,
    pause: () => sleep(againMilliseconds),
  };
}

async function bodyOf(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > mostBytes) throw new Error(`a response is longer than ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function readJson(body: Buffer | undefined) {
  try {
    return JSON.parse(body?.toString() ?? "");
  } catch {
    return undefined;
  }
}
