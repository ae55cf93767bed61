import { between, pick, type Random } from "./random.ts";

/** One log that a client wants written, under one key however often it is sent. */
export interface Write {
  readonly key: string;
  readonly assetId: number;
  readonly content: {
    readonly performedDate: string;
    readonly status: string;
    readonly taskType: string;
    readonly comment: string;
  };
}

/** A write that the service has answered with 201, and the identifier in that answer. */
export interface Acknowledged extends Write {
  readonly id: number;
}

/** The text of a comment begins with its key, so that a row tells which write it came from. */
export const keyOf = (comment: string): string => comment.split(" ", 1)[0] ?? "";

const letters = ["a", "é", "'", '"', "\\", "\n", "€", "漢", "😀", "{", "%", "0", " "] as const;

export function makeWrite(
  random: Random,
  name: string,
  assetIds: readonly [number, ...number[]],
  length: number,
): Write {
  // Any visible ASCII is fine in a key.
  const tail = Array.from({ length: 8 }, () => String.fromCharCode(between(random, 33, 126))).join("");
  const key = `${name}-${tail}`;
  const filler = Array.from({ length }, () => pick(random, letters)).join("");
  const two = (low: number, high: number) => String(between(random, low, high)).padStart(2, "0");
  return {
    key,
    assetId: pick(random, assetIds),
    content: {
      performedDate: `20${two(10, 29)}-${two(1, 12)}-${two(1, 28)}T${two(0, 23)}:${two(0, 59)}:${two(1, 59)}`,
      status: pick(random, ["PENDING", "IN_PROGRESS", "COMPLETED", "CANCELLED"]),
      taskType: pick(random, ["PRODUCTION", "MAINTENANCE", "ERROR"]),
      comment: `${key} ${filler}.`,
    },
  };
}

/** Whether a record has just what was sent. */
export function isFaithful(sent: Write, found: Readonly<Record<string, unknown>>): boolean {
  const { performedDate, status, taskType, comment } = sent.content;
  return (
    found["assetId"] === sent.assetId &&
    found["performedDate"] === performedDate &&
    found["status"] === status &&
    found["taskType"] === taskType &&
    found["comment"] === comment
  );
}
