import type { IncomingMessage, ServerResponse } from "node:http";
import { DomainError, invalid } from "../../../domain/error.ts";
import { isStorable } from "../../../domain/field.ts";
import { HttpError } from "../api/http-error.ts";

export const bodyLimitBytes = 64 * 1024;

/** How much of a body that is too large is read and discarded, so that the client gets to read the answer. */
const discardLimitBytes = 1024 * 1024;

const jsonType = /^application\/json\s*(;|$)/i;
const otherCharset = /;\s*charset\s*=\s*(?!"?utf-?8"?\s*(;|$))/i;
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
  const { headers } = request;
  const declaredBytes = Number(headers["content-length"] ?? 0);
  if (declaredBytes === 0 && headers["transfer-encoding"] === undefined) return undefined;
  if (declaredBytes > discardLimitBytes) throw tooLarge();
  if (headers.expect !== undefined) response.writeContinue();
  const bytes = await readBytes(request);
  if (bytes.length === 0) return undefined;
  const type = headers["content-type"] ?? "";
  if (!jsonType.test(type) || otherCharset.test(type)) {
    throw new HttpError(415, "Content-Type must be application/json");
  }
  return parseObject(bytes);
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
  return value as Record<string, unknown>;
}

function parseJson(bytes: Buffer): unknown {
  try {
    const text = utf8.decode(bytes);
    // NUL and lone surrogates can only come from an escape: UTF-8 and JSON exclude them otherwise.
    return text.includes("\\u") ? JSON.parse(text, refuseUnstorable) : JSON.parse(text);
  } catch (error) {
    throw error instanceof DomainError ? error : invalid("Request body is not valid JSON in UTF-8");
  }
}

function refuseUnstorable(name: string, value: unknown): unknown {
  if (isStorable(name) && (typeof value !== "string" || isStorable(value))) return value;
  throw invalid("Request body must not contain NUL characters or lone surrogates");
}
