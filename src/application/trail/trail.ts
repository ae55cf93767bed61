import { isUnavailable } from "../../domain/error.ts";
import type { TrailCrypto } from "../../domain/trail/crypto.ts";
import { TrailError } from "../../domain/trail/encoding.ts";
import { makeTreeHasher } from "../../domain/trail/merkle.ts";
import {
  conditionAfter,
  firstPoll,
  ReportLimit,
  repeatMilliseconds,
  type TrailCondition,
} from "./condition.ts";
import { Numbering } from "./numbering.ts";
import type { TrailPorts, TrailStore } from "./ports.ts";
import { makePublishedTrail } from "./publishing.ts";
import { inWords, makeSigning } from "./signing.ts";

/** Between two looks for what is new. Each has statements and a signature that cost the same for many records. */
const lookMilliseconds = 1_000;
/** Between two batches while there is more: requests come first, and catching up is fast enough. */
const batchMilliseconds = 20;
const failureMilliseconds = 10_000;
const stopMilliseconds = 2_000;
/** Reports in ten minutes, of a condition that changes to and fro. */
const mostReports = 10;

export interface ServedTrailPorts extends Pick<TrailPorts, "key" | "remembered" | "events" | "clock"> {
  /** For numbering and signing. */
  readonly trail: TrailStore;
  /** For requests. */
  readonly requestTrail: TrailStore;
  readonly crypto: TrailCrypto;
  /** Rejects when the signal cuts it short. */
  readonly pause: (milliseconds: number, _?: undefined, cut?: { signal: AbortSignal }) => Promise<unknown>;
}

/** For the metrics and the operations page. */
export interface TrailState {
  readonly size: number;
  readonly isSigned: boolean;
  readonly checkpointSize: number;
  /** Undefined while there is no checkpoint. */
  readonly checkpointAgeSeconds: number | undefined;
  readonly condition: TrailCondition;
  /** Since the last look that succeeded, or since the start. */
  readonly lookAgeSeconds: number;
  /** Records that wait for their number, as of the last look that did not succeed. */
  readonly waitingRecords: number;
}

/** How the last look ended, and what was reported of it; times in elapsed milliseconds. */
interface Status {
  readonly condition: TrailCondition;
  /** What was reported last, with the message of the error, for the log alone; empty before the first report. */
  readonly reported: string;
  readonly reportedAt: number;
  readonly lookedAt: number;
  readonly waiting: number;
}

/** The trail of a process that serves: numbers and signs beside the requests, and publishes. */
export function makeTrail(ports: ServedTrailPorts) {
  const { trail, requestTrail, crypto, key, events, clock, pause } = ports;
  const hasher = makeTreeHasher(crypto.sha256);
  const stopping = new AbortController();
  const wait = (milliseconds: number) => pause(milliseconds, undefined, stopping);
  const numbering = new Numbering({ ...ports, ...trail, hasher });
  const signing = makeSigning({ ...ports, ...trail, hasher, ed25519: crypto });
  const { newest } = signing;
  let status: Status = {
    condition: firstPoll(clock.elapsed()),
    reported: "",
    reportedAt: 0,
    lookedAt: clock.elapsed(),
    waiting: 0,
  };
  const limit = new ReportLimit(clock, mostReports);
  let running: Promise<unknown> = Promise.resolve();

  /** Returns how long to wait before the next look. */
  async function look(): Promise<number> {
    try {
      const isMore = await numbering.poll();
      const signedFor = clock.elapsed() - (newest()?.at ?? Number.NEGATIVE_INFINITY);
      if (signedFor < lookMilliseconds) return isMore ? batchMilliseconds : lookMilliseconds - signedFor;
      const [gone] = await trail.records.newestFaults();
      if (gone !== undefined) throw new TrailError(gone);
      if (status.condition.kind !== "whole" || numbering.head()?.size !== newest()?.size)
        await signing.sign(numbering.current);
      if (!isMore || status.condition.kind === "whole") await note(undefined);
      return isMore ? batchMilliseconds : lookMilliseconds;
    } catch (error) {
      await note(error);
      return isUnavailable(error) ? lookMilliseconds : failureMilliseconds;
    }
  }

  /** Takes note of how a look ended. Reports what has changed, and again after a while what has not. */
  async function note(error: unknown): Promise<void> {
    const now = clock.elapsed();
    const before = status;
    const condition = conditionAfter(before.condition, error, now);
    const isWhole = condition.kind === "whole";
    const { kind, why } = condition;
    const current = isWhole ? kind : `${kind} ${why} ${(error as Error).message}`;
    const isDue =
      current === before.reported
        ? !isWhole && now - before.reportedAt >= repeatMilliseconds
        : !isWhole || before.reported !== "";
    const isReported = isDue && limit.allows();
    status = {
      condition,
      reported: isReported ? current : before.reported,
      reportedAt: isReported ? now : before.reportedAt,
      lookedAt: isWhole ? now : before.lookedAt,
      waiting: isWhole ? 0 : before.waiting,
    };
    // Before the records are counted, which can take as long as a statement may.
    if (isReported) report(condition, error);
    if (isWhole) return;
    status = { ...status, waiting: await trail.records.unnumbered().catch(() => before.waiting) };
  }

  function report({ kind, why }: TrailCondition, error: unknown): void {
    const head = numbering.head();
    if (kind === "whole") events.info("trail whole again");
    else if (kind === "waiting") events.warn("trail waits", { why });
    else if (kind === "contradicted")
      events.error("trail broken", { contradicts: why, ...(head && { found: inWords(head) }) });
    else if (isUnavailable(error))
      events.warn("trail failed", { cause: String((error as Error).cause ?? (error as Error).message) });
    else events.error("trail failed", { why, cause: (error as Error).stack });
  }

  async function repeat(): Promise<void> {
    while (!stopping.signal.aborted) await wait(await look()).catch(() => {});
  }

  return {
    published: makePublishedTrail({ ...ports, ...requestTrail, hasher }, newest),

    /** The newest checkpoint. */
    checkpoint: () => newest()?.note,

    /** One look, for tests. */
    look,

    start(): void {
      running = repeat();
    },

    async stop(): Promise<void> {
      stopping.abort();
      const last = running
        .then(() => (status.condition.kind === "whole" ? signing.close() : undefined))
        .catch(error => events.warn("the last checkpoint is not stored", { cause: String(error) }));
      // What is stored then is whole, whatever is still under way.
      await Promise.race([last, pause(stopMilliseconds)]);
    },

    state(): TrailState {
      const signed = key && newest();
      return {
        size: numbering.head()?.size ?? 0,
        isSigned: key !== undefined,
        checkpointSize: signed?.size ?? 0,
        checkpointAgeSeconds: signed && (clock.elapsed() - signed.at) / 1_000,
        condition: status.condition,
        lookAgeSeconds: (clock.elapsed() - status.lookedAt) / 1_000,
        waitingRecords: status.waiting,
      };
    },
  };
}
