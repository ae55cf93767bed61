import type { IncomingMessage, ServerResponse } from "node:http";
import { invalid } from "../../domain/error.ts";
import { HttpError } from "./http-error.ts";

export const bodyLimitBytes = 64 * 1024;

/** How much of a body that is too large is read and thrown away, so that the client comes to read the answer. */
const discardLimitBytes = 1024 * 1024;

const jsonType = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads a JSON object of at most 64 KiB; undefined when there is no body.
 *
 * @throws HttpError 413 or 415, INVALID for what is not a JSON object in UTF-8
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const declaredBytes = Number(request.headers["content-length"] ?? 0);
  if (declaredBytes === 0 && request.headers["transfer-encoding"] === undefined) return undefined;
  if (!jsonType.test(request.headers["content-type"] ?? "")) {
    throw new HttpError(415, "Content-Type must be application/json");
  }
  if (declaredBytes > discardLimitBytes) throw tooLarge();
  if (request.headers.expect !== undefined) response.writeContinue();
  return parseObject(await readBytes(request));
}

const tooLarge = () => new HttpError(413, `Request body must be at most ${bodyLimitBytes} bytes`);

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length <= bodyLimitBytes) chunks.push(chunk);
      if (length > discardLimitBytes) break;
    }
  } catch (cause) {
    throw new HttpError(400, "Request body ended too early", [], { cause });
  }
  if (length > bodyLimitBytes) throw tooLarge();
  return Buffer.concat(chunks);
}

function parseObject(bytes: Buffer): Readonly<Record<string, unknown>> {
  const value = parseJson(bytes);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid("Request body must be a JSON object");
  }
  for (const [name, text] of Object.entries(value)) refuseUnstorable(name, text);
  return value as Record<string, unknown>;
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw invalid("Request body is not valid JSON in UTF-8");
  }
}

/** PostgreSQL cannot store NUL, and would store any lone surrogate as one and the same replacement character. */
function refuseUnstorable(name: string, text: unknown): void {
  if (typeof text !== "string" || (text.isWellFormed() && !text.includes("\0"))) return;
  throw invalid(`${JSON.stringify(name.slice(0, 50))} must not contain NUL characters or lone surrogates`);
}
