import { causeOf, isUnavailable } from "../../domain/error.ts";
import { inWords } from "../../domain/trail/checkpoint.ts";
import { TrailError } from "../../domain/trail/encoding.ts";
import type { Clock } from "../clock-and-log.ts";
import { RepeatedReports } from "../repeated-reports.ts";
import {
  conditionAfter,
  firstPoll,
  repeatMilliseconds,
  type TrailCondition,
  type TrailConditionKind,
} from "./condition.ts";
import { Numbering } from "./numbering.ts";
import { Polls } from "./polls.ts";
import type { TrailPorts, TrailStore } from "./ports.ts";
import { makePublishedTrail } from "./publishing.ts";
import { Signing } from "./signing.ts";

/** Between two polls that nobody asks for. */
const pollMilliseconds = 1_000;
/** Between two polls while there is more: requests come first, and catching up is fast enough. */
const batchMilliseconds = 20;
/** How long a request waits for its poll. */
const patienceMilliseconds = 1_000;
/** Between a poll that failed and the next one, unless the database was not available. */
const failureMilliseconds = 10_000;
/** How long the stop waits for the poll under way and for the last checkpoint. */
const stopMilliseconds = 2_000;

interface ServedTrailPorts extends Pick<TrailPorts, "key" | "stateFile" | "events" | "clock"> {
  /** For numbering and signing. */
  readonly trail: TrailStore;
  /** For requests. */
  readonly requestTrail: TrailStore;
  /** Rejects when the signal cuts it short. */
  readonly pause: (milliseconds: number, _?: undefined, cut?: { signal: AbortSignal }) => Promise<unknown>;
}

/** For the metrics and the operations page. */
export type TrailState = ReturnType<ReturnType<typeof makeTrail>["state"]>;

/** How the last poll ended, and what was reported of it; times in elapsed milliseconds. */
class TrailStatus {
  readonly #clock: Clock;
  readonly #reports: RepeatedReports;
  condition: TrailCondition;
  succeededAt: number;
  unnumbered = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#reports = new RepeatedReports(clock.elapsed, repeatMilliseconds);
    this.condition = firstPoll(clock.elapsed());
    this.succeededAt = clock.elapsed();
  }

  get isWhole(): boolean {
    return this.condition.kind === "whole";
  }

  /** Returns whether to report how the poll ended: a whole trail (`""`) once, after a report of something else. */
  endPoll(error: unknown): boolean {
    this.condition = conditionAfter(this.condition, error, this.#clock.elapsed());
    const { isWhole, condition } = this;
    if (isWhole) this.unnumbered = 0;
    return this.#reports.claim(
      isWhole ? "" : `${condition.kind} ${condition.why} ${(error as Error).message}`,
    );
  }
}

/** The trail of a process that serves: numbers and signs beside the requests, and publishes. */
export function makeTrail(ports: ServedTrailPorts) {
  const { trail, requestTrail, key, events, clock, pause } = ports;
  const stopping = new AbortController();
  const numbering = new Numbering({ ...ports, ...trail });
  // Without a key nothing is signed.
  const signing = key && new Signing({ ...ports, ...trail, key });
  const newest = () => signing?.newest;
  const status = new TrailStatus(clock);
  const polls = new Polls(poll);
  let running: Promise<unknown> = Promise.resolve();

  /** Returns how long to wait before the next poll. */
  async function poll(): Promise<number> {
    try {
      const isMore = await numbering.step();
      const [fault] = await trail.records.newestFaults();
      if (fault !== undefined) throw new TrailError(fault);
      // A trail that was not whole is checked again. Roots are compared, too: a rewritten newest entry leaves the size the same.
      const [found, signed] = [numbering.tree, newest()].map(head => head && inWords(head));
      if (!status.isWhole || found !== signed) await signing?.sign(() => numbering.readTree());
      status.succeededAt = clock.elapsed();
      if (!isMore) await recordOutcome(undefined);
      return isMore ? batchMilliseconds : pollMilliseconds;
    } catch (error) {
      await recordOutcome(error);
      return isUnavailable(error) ? pollMilliseconds : failureMilliseconds;
    }
  }

  async function recordOutcome(error: unknown): Promise<void> {
    // The report does not wait for the count of records, which can take as long as a statement may.
    if (status.endPoll(error)) report(status.condition, error);
    if (status.isWhole) return;
    status.unnumbered = await trail.records.unnumbered().catch(() => status.unnumbered);
  }

  function report({ kind, why }: TrailCondition, error: unknown): void {
    const { tree } = numbering;
    if (kind === "whole") events.info("trail whole again");
    else if (kind === "waiting") events.warn("trail waits", { why });
    else if (kind === "contradicted")
      events.error("trail broken", { contradicts: why, ...(tree && { found: inWords(tree) }) });
    else if (isUnavailable(error)) events.warn("trail failed", { cause: causeOf(error) });
    else events.error("trail failed", { why, cause: (error as Error).stack });
  }

  async function repeat(): Promise<void> {
    while (!stopping.signal.aborted) await pause(await polls.next(), undefined, stopping).catch(() => {});
  }

  /** Resolves with the condition after a poll that began after this call, or when it has taken too long. */
  async function refresh(): Promise<TrailConditionKind> {
    const cut = new AbortController();
    const tooLong = pause(patienceMilliseconds, undefined, cut).then(() => true);
    try {
      const isLate = await Promise.race([polls.next().then(() => false), tooLong]);
      return isLate && status.isWhole ? "waiting" : status.condition.kind;
    } finally {
      cut.abort();
    }
  }

  return {
    published: makePublishedTrail(
      { ...ports, ...requestTrail },
      {
        newest,
        tree: () => numbering.tree,
        condition: () => status.condition.kind,
        refresh,
      },
    ),

    /** The newest checkpoint. */
    checkpoint: () => newest()?.note,

    /** One poll, for tests. */
    poll: () => polls.next(),

    start(): void {
      running = repeat();
    },

    async stop(): Promise<void> {
      stopping.abort();
      const last = running
        .then(() => polls.ended())
        .then(() => (status.isWhole ? signing?.close() : undefined))
        .catch(error => events.warn("the last checkpoint is not stored", { cause: String(error) }));
      // A statement that is still under way then is done whole or not at all.
      await Promise.race([last, pause(stopMilliseconds)]);
    },

    state() {
      const now = clock.elapsed();
      const signed = newest();
      return {
        size: numbering.tree?.size ?? 0,
        isSigned: key !== undefined,
        checkpointSize: signed?.size ?? 0,
        /** Undefined while there is no checkpoint. */
        checkpointAgeSeconds: signed && (now - signed.at) / 1_000,
        condition: status.condition,
        /** Since the last poll that succeeded, or since the start. */
        pollAgeSeconds: (now - status.succeededAt) / 1_000,
        /** Records that wait for their number, as of the last poll that did not succeed; 0 when the trail is whole. */
        waitingRecords: status.unnumbered,
        /** For how long numbering has waited for a transaction to end that may hold the id of an older record. */
        transactionWaitSeconds: (now - (numbering.waitsSince ?? now)) / 1_000,
      };
    },
  };
}
