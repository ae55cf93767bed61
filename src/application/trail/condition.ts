import { isUnavailable } from "../../domain/error.ts";
import { TrailError } from "../../domain/trail/encoding.ts";

/** Between two reports of the same condition, or of records too long for the trail. */
export const repeatMilliseconds = 600_000;

/**
 * Whether the trail of a process is as it should be. *Whole*: all records are numbered and, with a key, signed (4,000
 * records that are too long for an entry hide the records after them). *Waiting* for the operator, or for the first poll; to a client, also for a poll that takes
 * longer than a second. *Failing*: the last poll did not succeed, and the next one may. *Contradicted*: what is stored
 * is not what was signed, and nothing is signed until it is. A poll can lead from each to any other. A poll that leaves more to
 * do, records to number or the rest of a pass, keeps the condition.
 */
export interface TrailCondition {
  readonly kind: TrailConditionKind;
  /** In elapsed milliseconds. */
  readonly since: number;
  /** Text for the operations page, which anybody may see: no path, SQL or message of a driver. Empty if whole. */
  readonly why: string;
}

export const trailConditionKinds = ["whole", "waiting", "failing", "contradicted"] as const;
export type TrailConditionKind = (typeof trailConditionKinds)[number];

/** What keeps the trail from being signed, and is no sign of tampering. The message is public. */
export class TrailObstacleError extends TrailError {
  readonly kind: "waiting" | "failing";

  constructor(message: string, kind: "waiting" | "failing") {
    super(message);
    this.kind = kind;
  }
}

export const firstPoll = (now: number): TrailCondition => ({
  kind: "waiting",
  since: now,
  why: "for the first poll of the database",
});

/** The condition after a poll that ended with this error, or with none. The same value if nothing has changed. */
export function conditionAfter(before: TrailCondition, error: unknown, now: number): TrailCondition {
  const [kind, why] = judge(error);
  if (kind === before.kind && why === before.why) return before;
  return { kind, why, since: kind === before.kind ? before.since : now };
}

function judge(error: unknown): readonly [TrailConditionKind, string] {
  if (error === undefined) return ["whole", ""];
  if (error instanceof TrailObstacleError) return [error.kind, error.message];
  if (error instanceof TrailError) return ["contradicted", error.message];
  if (isUnavailable(error)) return ["failing", "the database is not available"];
  const { code } = (error ?? {}) as { code?: unknown };
  // SQLSTATE.
  if (/^[0-9A-Z]{5}$/.test(String(code))) return ["failing", `PostgreSQL refuses a statement (${code})`];
  return ["failing", "an unexpected error, which the log has"];
}
