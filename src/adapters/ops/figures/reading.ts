import type { TrailState } from "../../../application/trail/trail.ts";
import type { Readiness } from "./readiness.ts";
import type { CutAnswers, Refusals, RequestSeries } from "./request-meter.ts";
import type { Runtime } from "./runtime.ts";

/** The sources of the figures. Each part of the service counts for itself and is read on demand. */
export interface Sources {
  readonly version: string;
  readonly requests: () => Pick<Reading, "requests" | "cutAnswers" | "refusals">;
  /** Since the start. */
  readonly droppedLogLines: () => number;
  readonly http: () => HttpLoad;
  readonly database: () => DatabaseLoad;
  readonly passwords: () => PasswordLoad;
  readonly trail: () => TrailState;
  /** The newest checkpoint, a signed note. */
  readonly checkpoint: () => string | undefined;
  readonly readiness: () => Promise<Readiness>;
  readonly now: () => Date;
}

/** These three repeat types of other adapters, because adapters do not import each other. */
export interface HttpLoad {
  readonly connections: number;
  readonly requests: number;
  readonly bodyBytes: number;
  /** Since the start. */
  readonly turnedAway: Readonly<Record<"requests" | "bodies" | "connections" | "slowClients", number>>;
}

export interface DatabaseLoad {
  readonly inUse: number;
  readonly idle: number;
  readonly limit: number;
  /** Statements that wait for a connection. */
  readonly waiting: number;
}

export interface PasswordLoad {
  readonly working: number;
  readonly workingLimit: number;
  readonly waiting: number;
  readonly waitingLimit: number;
}

/** All figures of the service at one moment, without its readiness. */
export interface Reading {
  readonly at: Date;
  /** Since the epoch. */
  readonly startedAtSeconds: number;
  readonly version: string;
  readonly nodeVersion: string;
  readonly requests: readonly RequestSeries[];
  readonly cutAnswers: CutAnswers;
  readonly refusals: Refusals;
  readonly droppedLogLines: number;
  readonly http: HttpLoad;
  readonly database: DatabaseLoad;
  readonly passwords: PasswordLoad;
  readonly trail: TrailState;
  readonly runtime: Runtime;
}

export const takeReading = (sources: Sources, startedAtSeconds: number, runtime: Runtime): Reading => ({
  at: sources.now(),
  startedAtSeconds,
  version: sources.version,
  nodeVersion: process.version,
  ...sources.requests(),
  droppedLogLines: sources.droppedLogLines(),
  http: sources.http(),
  database: sources.database(),
  passwords: sources.passwords(),
  trail: sources.trail(),
  runtime,
});
