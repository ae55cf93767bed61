import { type LogLevel, logLevels } from "../../src/adapters/json-event-log.ts";

/** A line of the service's log, read. */
export interface LogLine {
  readonly time: string;
  readonly level: LogLevel;
  readonly event: string;
  readonly [detail: string]: unknown;
}

export const isShown = ({ level }: LogLine, lowest: LogLevel): boolean =>
  logLevels.indexOf(level) >= logLevels.indexOf(lowest);

/** For people: `14:03:22 info  GET /api/v1/logs/{id} 200 in 1.3 ms (employeeId 2, id 7)`. */
export function readable({ time, level, event, requestId: _, ...details }: LogLine): string {
  const { method, route, status, milliseconds, ...rest } = details;
  const what =
    event === "request" ? `${method} ${route ?? "(no route)"} ${status} in ${milliseconds} ms` : event;
  const shown = Object.entries(event === "request" ? rest : details)
    .filter(([name, value]) => name !== "address" && value !== undefined)
    .map(([name, value]) => `${name} ${value}`);
  return `${clockOf(time)} ${level.padEnd(5)} ${what}${shown.length > 0 ? ` (${shown.join(", ")})` : ""}`;
}

/** The time of day where this machine is. */
const clockOf = (time: string): string => new Date(time).toTimeString().slice(0, 8);
