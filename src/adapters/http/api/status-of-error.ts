import { DomainError, type ErrorCode } from "../../../domain/error.ts";
import { HttpError } from "../../protocol/error-response.ts";

/** The one table from what went wrong to its HTTP status. */
export const statusOf: Record<ErrorCode, number> = {
  INVALID: 400,
  LOGIN_FAILED: 401,
  UNAUTHENTICATED: 401,
  TOKEN_MISSING: 403,
  TOKEN_REFUSED: 403,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  GONE: 410,
  CONFLICT: 409,
  CHANGED: 412,
  UNPROCESSABLE: 422,
  THROTTLED: 429,
  UNAVAILABLE: 503,
};

const bearer = 'Bearer realm="maintenance-log"';

/** The challenge of a 401 or 403 (RFC 9110, section 15.5.2; RFC 6750, section 3): whether logging in again would help. */
const challengeOf: Partial<Record<ErrorCode, string>> = {
  LOGIN_FAILED: bearer,
  TOKEN_MISSING: bearer,
  TOKEN_REFUSED: `${bearer}, error="invalid_token"`,
  UNAUTHENTICATED: `${bearer}, error="invalid_token"`,
  FORBIDDEN: `${bearer}, error="insufficient_scope"`,
};

/** Whatever is not an expected error gives nothing of itself away. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof DomainError) {
    const seconds = error.retryAfterSeconds ?? (error.code === "UNAVAILABLE" ? 1 : undefined);
    const challenge = challengeOf[error.code];
    const headers = {
      ...(seconds !== undefined && { "Retry-After": String(seconds) }),
      ...(challenge !== undefined && { "WWW-Authenticate": challenge }),
    };
    return new HttpError(statusOf[error.code], error.message, headers, { cause: error.cause });
  }
  return new HttpError(500, "Internal server error", {}, { cause: error });
}
