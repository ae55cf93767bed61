/** What went wrong, in words that every adapter can translate. */
export type ErrorCode =
  | "INVALID"
  | "LOGIN_FAILED"
  | "UNAUTHENTICATED"
  | "TOKEN_MISSING"
  | "TOKEN_REFUSED"
  | "FORBIDDEN"
  | "NOT_FOUND"
  | "GONE"
  | "CONFLICT"
  | "CHANGED"
  | "UNPROCESSABLE"
  | "THROTTLED"
  | "UNAVAILABLE";

type Details = ErrorOptions & {
  readonly retryAfterSeconds?: number;
  readonly employeeId?: number | undefined;
  readonly reason?: string;
};

/** An expected failure. Its message is written for the client and carries nothing internal. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  /** When it is worth trying again, in seconds. */
  readonly retryAfterSeconds: number | undefined;
  /** Whose login or token it was, for the process's own log, where the request itself names nobody. */
  readonly employeeId: number | undefined;
  /** Why, for the process's own log, where the message keeps it from the client. */
  readonly reason: string | undefined;

  /** The cause, if there is one, is for the process's own log only. */
  constructor(code: ErrorCode, message: string, options?: Details) {
    super(message, options);
    this.name = "DomainError";
    this.code = code;
    this.retryAfterSeconds = options?.retryAfterSeconds;
    this.employeeId = options?.employeeId;
    this.reason = options?.reason;
  }
}

export const isUnavailable = (error: unknown): error is DomainError =>
  error instanceof DomainError && error.code === "UNAVAILABLE";

/** In words for the operator, what an error comes from: it says nothing to clients. */
export const causeOf = ({ message, cause = message }: Error): string =>
  cause instanceof Error ? cause.message : String(cause);

/** More is asked for at once than the process has room for. */
export const overloaded = (): DomainError => new DomainError("UNAVAILABLE", "The service is overloaded");
/** The database cannot be asked, or nobody knows what it has done. */
export const unavailable = (cause: string | Error): DomainError =>
  new DomainError("UNAVAILABLE", "The database is not available", {
    cause: typeof cause === "string" ? new Error(cause) : cause,
  });
/** Nothing was done, because others did something at the same time. */
export const collided = (cause: Error): DomainError =>
  new DomainError("UNAVAILABLE", "Others changed the same records at the same time: send the request again", {
    cause,
  });
export const invalid = (message: string): DomainError => new DomainError("INVALID", message);
export const notFound = (what: "Employee" | "Asset" | "Log"): DomainError =>
  new DomainError("NOT_FOUND", `${what} not found`);
/** @param employeeId whom the token was signed for, as far as that is known */
export const tokenNotValid = (reason: string, employeeId?: number): DomainError =>
  new DomainError("TOKEN_REFUSED", "Token is not valid", { reason, employeeId });
/** While the request was worked on. */
export const tokenRevoked = (): DomainError => tokenNotValid("revoked");
export const forbidden = (): DomainError => new DomainError("FORBIDDEN", "Unauthorized");
export const emailTaken = (cause?: Error): DomainError =>
  new DomainError("CONFLICT", "Email already exists", { cause });
export const performerUnknown = (employeeId?: number): DomainError =>
  new DomainError("UNAUTHENTICATED", "No employee matches the token", { employeeId });
export const recordChanged = (): DomainError => new DomainError("CHANGED", "The record has changed");
export const keyReused = (): DomainError =>
  new DomainError("UNPROCESSABLE", "Idempotency-Key was used for another log");
