import type { TrailState } from "../../../application/trail/trail.ts";
import type { Reading } from "../figures/reading.ts";
import { countOf, failuresOf, type Recent, ratio } from "../figures/recent.ts";
import { bytes, duration, lengthOfTime, percent, rate, sum } from "./format.ts";

export type Level = "ok" | "warn" | "bad";

/** One figure, how it is to be judged, and how full it is, where it has a bound. */
export interface Card {
  readonly title: string;
  readonly figure: string;
  readonly note: string;
  readonly level: Level;
  readonly share?: number;
}

/** What the page shows of this moment and of the last minute. */
export function cardsOf(reading: Reading, recent: Recent): Card[] {
  const { http, database, passwords, trail, runtime } = reading;
  const requests = sum(recent.requests, countOf);
  const failures = sum(recent.requests, failuresOf);
  const { p99Seconds, medianSeconds, maxSeconds } = runtime.eventLoopDelay;
  const [failed, throttled] = [recent.refused("login failed"), recent.refused("login throttled")];
  const [tokens, roles] = [recent.refused("token refused"), recent.refused("role refused")];
  const heapShare = ratio(runtime.heapUsedBytes, runtime.heapLimitBytes);
  return [
    {
      title: "Requests",
      figure: rate(ratio(requests, recent.seconds)),
      note: `${http.requests} in flight, ${http.connections} connections`,
      level: "ok",
    },
    {
      title: "Server errors",
      figure: `${failures}`,
      note: `${percent(ratio(failures, requests))} of requests answered 5xx`,
      level: judge(ratio(failures, requests), Number.MIN_VALUE, 0.01),
    },
    {
      title: "Turned away",
      figure: `${recent.turnedAway}`,
      note: "requests and connections past the bounds, slow clients",
      level: judge(recent.turnedAway, 1, 10),
    },
    {
      title: "Database connections",
      figure: `${database.inUse} of ${database.limit}`,
      note: `in use; ${database.idle} idle, ${database.waiting} statements waiting`,
      level: judge(database.waiting, 1, 10 * database.limit),
      share: ratio(database.inUse, database.limit),
    },
    {
      title: "Password hashing",
      figure: `${passwords.working} of ${passwords.workingLimit}`,
      note: `at work; ${passwords.waiting} of at most ${passwords.waitingLimit} waiting`,
      level: judge(ratio(passwords.waiting, passwords.waitingLimit), 0.1, 0.5),
      share: ratio(passwords.working, passwords.workingLimit),
    },
    {
      title: "Event-loop delay",
      figure: duration(p99Seconds),
      note: `p99; median ${duration(medianSeconds)}, longest ${duration(maxSeconds)}`,
      level: judge(p99Seconds, 0.05, 0.25),
      share: p99Seconds / 0.25,
    },
    {
      title: "CPU",
      figure: percent(recent.cpuShare),
      note: "of one core, all threads of the process",
      level: judge(recent.cpuShare, 0.85, 1.5),
      share: recent.cpuShare,
    },
    {
      title: "Memory",
      figure: bytes(runtime.residentBytes),
      note: `resident; heap ${bytes(runtime.heapUsedBytes)} of at most ${bytes(runtime.heapLimitBytes)}`,
      level: judge(heapShare, 0.7, 0.9),
      share: heapShare,
    },
    {
      title: "Failed logins",
      figure: `${failed}`,
      note: `and ${throttled} throttled`,
      level: judge(failed + throttled, 10, 100),
    },
    {
      title: "Tokens refused",
      figure: `${tokens}`,
      note: `and ${roles} requests above the caller's role`,
      level: judge(tokens, 60, 600),
    },
    {
      title: "Trail",
      figure: `${trail.size}`,
      note: trailNote(trail),
      level: trail.contradiction === undefined ? (trail.isSigned ? "ok" : "warn") : "bad",
    },
    {
      title: "Records reread",
      figure: percent(trail.readingFraction),
      note:
        trail.mismatches === 0
          ? "of this round; all match"
          : `of this round; ${trail.mismatches} do not match`,
      level: judge(trail.mismatches, 1, 1),
      share: trail.readingFraction,
    },
  ];
}

function trailNote({ isSigned, checkpointAgeSeconds, checkpointSize, contradiction }: TrailState): string {
  if (contradiction !== undefined) return `entries, which contradict what was signed: ${contradiction}`;
  if (!isSigned) return "entries, not signed: TRAIL_KEY is missing";
  if (checkpointAgeSeconds === undefined) return "entries, no checkpoint yet";
  return `entries; ${checkpointSize} signed ${lengthOfTime(Math.round(checkpointAgeSeconds))} ago`;
}

export const judge = (value: number, warn: number, bad: number): Level =>
  value >= bad ? "bad" : value >= warn ? "warn" : "ok";
