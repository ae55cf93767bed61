// A client in TypeScript, without packages. docs/clients.md explains it. Beside it: api.d.ts. Run it with: node client.ts

import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { components } from "./api.d.ts";

type Schemas = components["schemas"];
type MaintenanceLog = Schemas["MaintenanceLog"];

/** A response that is not a success. */
export class ApiError extends Error {
  readonly status: number;
  /** 0 if it is a date, which only proxies send. */
  readonly retryAfterSeconds: number;
  readonly isTokenRefused: boolean;
  readonly isOfLogin: boolean;
  /** Under which the service's log tells more. */
  readonly requestId: string | null;

  constructor(response: Response, message: string) {
    super(`${response.status} ${message}`);
    this.status = response.status;
    this.retryAfterSeconds = Number(response.headers.get("retry-after")) || 0;
    this.isTokenRefused = /error="invalid_token"/.test(response.headers.get("www-authenticate") ?? "");
    this.isOfLogin = response.url.endsWith("/auth/login");
    this.requestId = response.headers.get("x-request-id");
  }
}

/** A proxy's own error may be HTML, or empty. */
function messageOf(body: string): string {
  try {
    return (JSON.parse(body) as Schemas["ErrorResponse"]).msg;
  } catch {
    return body;
  }
}

interface Sent {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** A text is JSON already. */
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request to a path and resolves to a successful response. Throws ApiError. */
export type Send = (path: string, sent?: Sent) => Promise<Response>;

/** @param ask for the email and the password: a web page asks the user, and keeps only the token */
export function makeSend(
  origin: string,
  ask: () => Schemas["LogInRequest"] | Promise<Schemas["LogInRequest"]>,
  timeoutSeconds = 10,
): Send {
  let token: string | undefined;
  let login: Promise<void> | undefined;

  async function request(path: string, { method = "GET", body, headers }: Sent): Promise<Response> {
    const response = await fetch(new URL(path, origin), {
      method,
      headers: {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
      body: typeof body === "object" ? JSON.stringify(body) : (body ?? null),
      // The service never redirects.
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutSeconds * 1_000),
    });
    if (!response.ok) throw new ApiError(response, messageOf(await response.text()));
    if (!response.headers.get("content-type")?.startsWith("text/html")) return response;
    throw new TypeError("The response is a page of a proxy, not of the service");
  }

  async function logIn(): Promise<void> {
    token = undefined;
    const response = await request("/api/v1/auth/login", { method: "POST", body: await ask() });
    ({ token } = (await response.json()) as Schemas["LoginResult"]);
  }

  /** One login for all requests that wait for a token: each wrong password counts. */
  const logInOnce = () => (login ??= logIn().finally(() => (login = undefined)));

  return async (path, sent = {}) => {
    if (token === undefined) await logInOnce();
    const used = token;
    try {
      return await request(path, sent);
    } catch (error) {
      if (!(error instanceof ApiError && error.isTokenRefused)) throw error;
      if (login !== undefined || token === used) await logInOnce();
      return request(path, sent);
    }
  };
}

/** Repeats a request while it is worth it, and waits longer each time. Only for requests that are safe to repeat. */
export async function withRetries<T>(request: () => Promise<T>, attempts = 6): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await request();
    } catch (error) {
      if (attempt === attempts || !isTemporary(error)) throw error;
      const asked = error instanceof ApiError ? error.retryAfterSeconds * 1_000 : 0;
      // Half of the back-off is random, so that clients which failed together do not come back together.
      const backOff = 500 * 2 ** attempt * (0.5 + 0.5 * Math.random());
      await sleep(Math.max(asked, backOff));
    }
  }
}

/** Without a response fetch throws a TypeError, or a TimeoutError after the time-out. */
function isTemporary(error: unknown): boolean {
  if (error instanceof ApiError) return [408, 429, 502, 503, 504].includes(error.status);
  return error instanceof TypeError || (error instanceof Error && error.name === "TimeoutError");
}

/** Whether the log has to be corrected, and not the login. */
function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && !error.isOfLogin && [400, 404, 413, 422].includes(error.status);
}

/** Stores a log with its key, so that it is written once even if this process is killed. A queue belongs to one employee. */
export async function enqueue(folder: string, assetId: number, log: Schemas["WriteLogRequest"]) {
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${assetId}-${crypto.randomUUID()}`);
  await writeFile(`${file}.new`, JSON.stringify(log), { flush: true });
  await rename(`${file}.new`, `${file}.json`);
}

/** Writes what is in the queue, the oldest first. Puts aside what the service refuses: show it to the user. */
export async function* writeQueued(send: Send, folder: string): AsyncGenerator<MaintenanceLog> {
  // Others may be renamed meanwhile: they are being stored.
  const names = (await readdir(folder)).filter(name => name.endsWith(".json"));
  const waiting = names.map(async name => ({ name, at: (await stat(join(folder, name))).mtimeMs }));
  for (const { name } of (await Promise.all(waiting)).sort((one, other) => one.at - other.at)) {
    const [, assetId, key] = /^(\d+)-(.+)\.json$/.exec(name) ?? [];
    if (key === undefined) continue;
    const file = join(folder, name);
    const body = await readFile(file, "utf8");
    const written = await withRetries(async () => {
      const headers = { "Idempotency-Key": key };
      const response = await send(`/api/v1/assets/${assetId}/logs`, { method: "POST", body, headers });
      if (response.status !== 201) throw new Error(`${response.status} is not of the service`);
      return (await response.json()) as MaintenanceLog;
    }).catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
      console.error(error.message);
    });
    if (written === undefined) {
      await rename(file, `${file}.refused`);
      continue;
    }
    await rm(file);
    yield written;
  }
}

/** Every log of a list, a page at a time. */
export async function* logsOf(send: Send, path: string): AsyncGenerator<MaintenanceLog> {
  for (let next: string | undefined = path; next !== undefined; ) {
    const address: string = next;
    const { page, following } = await withRetries(async () => {
      const response = await send(address);
      return { page: (await response.json()) as MaintenanceLog[], following: nextOf(response) };
    });
    yield* page;
    next = following;
  }
}

function nextOf({ headers, url }: Response): string | undefined {
  const [, reference] = /<([^>]+)>; rel="next"/.exec(headers.get("link") ?? "") ?? [];
  return reference && new URL(reference, url).href;
}

export interface TrailPart {
  readonly entries: readonly Schemas["TrailEntry"][];
  /** Where to go on: the `next` of a later call. */
  readonly next: string;
}

const trail = "/api/v1/trail/entries?from=0&limit=1000";

/** The entries that follow; none at the end of the trail, which may grow. If the first is entry 0 again, forget your copy. */
export async function followTrail(send: Send, next = trail): Promise<TrailPart> {
  return withRetries(async () => {
    const response = await send(next).catch((error: unknown) => {
      const isAnotherHistory = error instanceof ApiError && [404, 409].includes(error.status);
      if (!isAnotherHistory) throw error;
      return send(trail);
    });
    return { entries: (await response.json()) as Schemas["TrailEntry"][], next: nextOf(response) ?? next };
  });
}

const { ORIGIN = "http://127.0.0.1:7070", EMAIL = "", PASSWORD = "", TIMEOUT = "10" } = process.env;
const send = makeSend(ORIGIN, () => ({ email: EMAIL, password: PASSWORD }), Number(TIMEOUT));

// An example: put your own here.
await enqueue("queue", 1, {
  performedDate: "2026-11-21T09:30",
  status: "COMPLETED",
  taskType: "MAINTENANCE",
  comment: "Oil at 60 °C",
});
for await (const { id } of writeQueued(send, "queue")) console.log("written", id);
for await (const log of logsOf(send, "/api/v1/logs?limit=2")) console.log("listed", log.id);
let part = await followTrail(send);
for (; part.entries.length > 0; part = await followTrail(send, part.next)) {
  for (const { index, entry } of part.entries) console.log("entry", index, entry["kind"]);
}
