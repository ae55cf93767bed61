import type { HttpLimits } from "./limits.ts";

/** What one look at a connection shows. */
export interface Observation {
  /** `new` until its first request; `idle` between an answer and the next request; `ended` after its last answer. */
  readonly state: "new" | "idle" | "answering" | "ended";
  /** Ever received. */
  readonly bytesRead: number;
  /** Written, but not yet taken by the client or by what buffers for it. */
  readonly bytesUnsent: number;
}

/** What is remembered of earlier looks; times in milliseconds. */
export interface Pace {
  /** When the client was last known to send nothing that still has to become a request. */
  readonly quietAt: number;
  /** Received until then. */
  readonly bytesRead: number;
  /** When the client last took something, or had nothing to take. */
  readonly takenAt: number;
  readonly bytesUnsent: number;
}

/** A client starts afresh when it connects, when it has been answered, and when it has been sent its last answer. */
export const startPace = (
  { bytesRead, bytesUnsent }: Pick<Observation, "bytesRead" | "bytesUnsent">,
  now: number,
): Pace => ({ quietAt: now, bytesRead, takenAt: now, bytesUnsent });

/**
 * Judges a client by the pace at which it sends and takes. Node's own time-outs begin with the first byte of a request
 * line, so that CRLF before it escapes them, and none of them looks at how an answer is taken.
 */
export function judgePace(
  pace: Pace,
  observation: Observation,
  now: number,
  limits: Pick<HttpLimits, "receiveMilliseconds" | "takeMilliseconds" | "lingerMilliseconds">,
): Pace | "sends too slowly" | "takes nothing" | "is done" {
  const { state, bytesRead, bytesUnsent } = observation;
  const takesSome = bytesUnsent === 0 || bytesUnsent !== pace.bytesUnsent;
  if (!takesSome && now - pace.takenAt >= limits.takeMilliseconds) return "takes nothing";
  const taking = { takenAt: takesSome ? now : pace.takenAt, bytesUnsent };

  // While a request is answered, what is sent is its body, which Node times.
  const isQuiet = state === "answering" || (state === "idle" && bytesRead === pace.bytesRead);
  if (isQuiet) return { ...taking, quietAt: now, bytesRead };
  const elapsed = now - pace.quietAt;
  if (state === "ended" && elapsed >= limits.lingerMilliseconds) return "is done";
  if (elapsed >= limits.receiveMilliseconds) return "sends too slowly";
  return { ...taking, quietAt: pace.quietAt, bytesRead: pace.bytesRead };
}
