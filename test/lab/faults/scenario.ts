import type { Random } from "./random.ts";

/** What a scenario is given. */
export interface Trial {
  /** Folder of PostgreSQL's programs. */
  readonly binaries: string;
  /** Path of the compiled service. */
  readonly program: string;
  readonly short: boolean;
  readonly random: Random;
}

/** A row of the table, and what does not fit into it. */
export interface Outcome {
  readonly rounds: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly doubled: number;
  readonly hung: number;
  /** Milliseconds from the end of each fault to the first 201. */
  readonly recoveries: readonly number[];
  /** The longest time without an acknowledged write, by each way to the database, of scenarios on a Patroni cluster. */
  readonly pauses?: Pauses;
  readonly notes: readonly string[];
  /** Promises that were not kept, but those that the table counts. */
  readonly faults: readonly string[];
}

/** In milliseconds. */
export interface Pauses {
  /** In which no node took a write, whoever might have sent one. */
  readonly unwritable: number;
  /** By way of HAProxy. */
  readonly proxy: number;
  /** By several hosts in DATABASE_URL. */
  readonly hosts: number;
}

export interface Scenario {
  readonly name: string;
  /** Whether the short form runs it. */
  readonly inShort: boolean;
  /** Undefined, or why it cannot run on this machine. */
  readonly obstacle?: () => string | undefined;
  run(trial: Trial): Promise<Outcome>;
}
