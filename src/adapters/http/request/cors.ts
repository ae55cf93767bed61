import type { HeaderFields } from "../../protocol/error-response.ts";

/** `*`, or the origins that browsers may call from. */
export type AllowedOrigins = "*" | readonly string[];

export type Cors = ReturnType<typeof makeCors>;

/** Cross-origin resource sharing (Fetch standard, section 3.3): tokens travel in a header, so no credentials mode. */
export function makeCors(allowed: AllowedOrigins) {
  const exposed = {
    "Access-Control-Expose-Headers":
      "ETag, Link, Location, Retry-After, X-Request-Id, Idempotent-Replayed, WWW-Authenticate, Date, Trail-Condition",
  };
  const allowsAnyone = { "Access-Control-Allow-Origin": "*" };
  const toAnyone = { ...allowsAnyone, ...exposed };
  return {
    /** The headers of any response to a request from this origin. */
    forOrigin(origin: string | undefined): HeaderFields {
      // Only browsers need to know what a script may read, and they send their origin.
      if (allowed === "*") return origin === undefined ? allowsAnyone : toAnyone;
      if (origin === undefined || !allowed.includes(origin)) return { Vary: "Origin" };
      return { Vary: "Origin", "Access-Control-Allow-Origin": origin, ...exposed };
    },
    /** The further headers of a preflight, which any path may be asked for. */
    preflight: {
      "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
      // Those of tracing tools are many; the star does not cover Authorization (Fetch standard, section 4.8).
      "Access-Control-Allow-Headers":
        "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id, *",
      "Access-Control-Max-Age": "86400",
      "Content-Length": "0",
    },
  };
}
