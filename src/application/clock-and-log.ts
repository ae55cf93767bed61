export interface Clock {
  /** What is shown and stored. Somebody may set it, back too. */
  now(): Date;
  /** Milliseconds since the start of the process, by a clock that nobody can set: for intervals. */
  elapsed(): number;
}

export type LogDetails = Readonly<Record<string, string | number | boolean | undefined>>;

/** The log of the process, as opposed to maintenance logs. */
export type EventLog = Readonly<
  Record<"debug" | "info" | "warn" | "error", (event: string, details?: LogDetails) => void>
>;
