import type { Clock, EventLog, LogDetails } from "../application/clock-and-log.ts";

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/** One JSON object a line; JSON escapes line breaks and control characters, so no value can forge a line. */
export function makeJsonEventLog(lowest: LogLevel, clock: Clock, write: (line: string) => void): EventLog {
  const logAt = (level: LogLevel) =>
    logLevels.indexOf(level) < logLevels.indexOf(lowest)
      ? () => {}
      : (event: string, details?: LogDetails) =>
          write(`${JSON.stringify({ time: clock.now().toISOString(), level, event, ...details })}\n`);
  return { debug: logAt("debug"), info: logAt("info"), warn: logAt("warn"), error: logAt("error") };
}

/** Where an error that nobody expected comes from. */
export const stackOf = (error: unknown) => (error instanceof Error ? error.stack : String(error));
