import type { TrailState } from "../../../application/trail/trail.ts";
import type { Reading } from "../figures/reading.ts";
import { type Recent, ratio } from "../figures/recent.ts";
import { bytes, duration, lengthOfTime, percent, rate } from "./format.ts";

export type Level = "ok" | "warn" | "bad";

export type Card = ReturnType<typeof card>;

/** One figure, how it is to be judged, and how full it is, where it has a bound. */
const card = (title: string, figure: string | number, note: string, level: Level, share?: number) => {
  return { title, figure, note, level, share };
};

/** What the page shows of this moment and of the last minute. */
export function cardsOf(reading: Reading, recent: Recent): Card[] {
  const { http, database, passwords, trail, runtime } = reading;
  const { requests, failures, seconds, turnedAway, cpuShare, refused } = recent;
  const [failed, throttled] = [refused("login failed"), refused("login throttled")];
  const [tokens, roles] = [refused("token refused"), refused("role refused")];
  const underWay = `${http.requests} in flight, ${http.connections} connections`;
  const failing = ratio(failures, requests);
  const errors = judge(failing, Number.MIN_VALUE, 0.01);
  const { inUse, idle, limit, waiting } = database;
  const statements = `in use; ${idle} idle, ${waiting} statements waiting`;
  const pool = judge(waiting, 1, 10 * limit);
  const { working, workingLimit } = passwords;
  const queue = judge(ratio(passwords.waiting, passwords.waitingLimit), 0.1, 0.5);
  const hashes = `at work; ${passwords.waiting} of at most ${passwords.waitingLimit} waiting`;
  const { medianSeconds, p99Seconds, maxSeconds } = runtime.eventLoopDelay;
  const delays = `p99; median ${duration(medianSeconds)}, longest ${duration(maxSeconds)}`;
  const filled = ratio(runtime.heapUsedBytes, runtime.heapLimitBytes);
  const heap = `resident; heap ${bytes(runtime.heapUsedBytes)} of at most ${bytes(runtime.heapLimitBytes)}`;
  return [
    card("Requests", rate(ratio(requests, seconds)), underWay, "ok"),
    card("Server errors", failures, `${percent(failing)} of responses were 5xx`, errors),
    card("Turned away", turnedAway, "past the bounds of the service, or too slow", judge(turnedAway, 1, 10)),
    card("Database connections", `${inUse} of ${limit}`, statements, pool, inUse / limit),
    card("Password hashing", `${working} of ${workingLimit}`, hashes, queue, working / workingLimit),
    card("Event-loop delay", duration(p99Seconds), delays, judge(p99Seconds, 0.05, 0.25), p99Seconds / 0.25),
    card("CPU", percent(cpuShare), "of one core, all threads", judge(cpuShare, 0.85, 1.5), cpuShare),
    card("Memory", bytes(runtime.residentBytes), heap, judge(filled, 0.7, 0.9), filled),
    card("Failed logins", failed, `and ${throttled} throttled`, judge(failed + throttled, 10, 100)),
    card("Tokens refused", tokens, `and ${roles} requests above the caller's role`, judge(tokens, 60, 600)),
    card("Trail", trail.size, trailNote(trail), trailLevel(trail)),
    ...certificateCards(reading),
  ];
}

/** None without TLS. */
function certificateCards({ certificate, at }: Reading): Card[] {
  if (certificate === undefined) return [];
  const { validToSeconds, isRenewalFailed } = certificate;
  const days = Math.floor((validToSeconds - at.getTime() / 1_000) / 86_400);
  const note = isRenewalFailed ? "left; the files that were read last cannot be used" : "left";
  const level = isRenewalFailed || days < 3 ? "bad" : days < 14 ? "warn" : "ok";
  return [card("Certificate", `${days} d`, note, level)];
}

function trailNote(trail: TrailState): string {
  const { kind, why } = trail.condition;
  const waiting = trail.waitingRecords === 0 ? "" : `; ${trail.waitingRecords} records wait for their number`;
  if (kind === "contradicted") return `entries, which contradict what was signed: ${why}`;
  if (kind === "waiting") return `entries; it waits ${why}${waiting}`;
  if (kind === "failing") return `entries; it fails: ${why}${waiting}`;
  if (!trail.isSigned) return "entries, not signed: TRAIL_KEY is missing";
  if (trail.checkpointAgeSeconds === undefined) return "entries, no checkpoint yet";
  return `entries; ${trail.checkpointSize} signed ${lengthOfTime(trail.checkpointAgeSeconds)} ago`;
}

const levelOf = { whole: "ok", waiting: "warn", failing: "bad", contradicted: "bad" } as const;
const trailLevel = ({ isSigned, condition: { kind } }: TrailState): Level =>
  kind === "whole" && !isSigned ? "warn" : levelOf[kind];

export const judge = (value: number, warn: number, bad: number): Level =>
  value >= bad ? "bad" : value >= warn ? "warn" : "ok";
