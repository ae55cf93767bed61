import type { LogLevel } from "../../src/adapters/json-event-log.ts";
import type { EventLog, LogDetails } from "../../src/application/clock-and-log.ts";

export interface RecordedEvent {
  readonly level: LogLevel;
  readonly event: string;
  readonly details: LogDetails | undefined;
}

export function makeRecordingEventLog(): EventLog & { readonly recorded: readonly RecordedEvent[] } {
  const recorded: RecordedEvent[] = [];
  const at = (level: LogLevel) => (event: string, details?: LogDetails) => {
    // As a line of JSON has them: without those that are undefined.
    recorded.push({ level, event, details: details && JSON.parse(JSON.stringify(details)) });
  };
  return { recorded, debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
