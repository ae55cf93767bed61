import { isUnavailable } from "../../domain/error.ts";
import type { TrailCrypto } from "../../domain/trail/crypto.ts";
import { TrailError } from "../../domain/trail/encoding.ts";
import { makeTreeHasher } from "../../domain/trail/merkle.ts";
import { makeNumbering } from "./numbering.ts";
import type { TrailPorts, TrailStore } from "./ports.ts";
import { makePublishedTrail } from "./publishing.ts";
import { inWords, makeSigning } from "./signing.ts";

/** Between two looks for what is new. Each has statements and a signature that cost the same for many records. */
const lookMilliseconds = 1_000;
/** Between two batches while there is more: requests come first, and catching up is fast enough. */
const batchMilliseconds = 20;
const failureMilliseconds = 10_000;
const stopMilliseconds = 2_000;

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
  /** What the stored trail contradicts, if it does. */
  readonly contradiction: string | undefined;
}

/** The trail of a process that serves: numbers and signs beside the requests, and publishes. */
export function makeTrail(ports: ServedTrailPorts) {
  const { trail, requestTrail, crypto, key, events, clock, pause } = ports;
  const hasher = makeTreeHasher(crypto.sha256);
  const stopping = new AbortController();
  const wait = (milliseconds: number) => pause(milliseconds, undefined, stopping);
  const numbering = makeNumbering({ ...ports, ...trail, hasher }, () => wait(batchMilliseconds));
  const signing = makeSigning({ ...ports, ...trail, hasher, ed25519: crypto });
  const { newest } = signing;
  let contradiction: string | undefined;
  let failure: string | undefined;
  let running: Promise<unknown> = Promise.resolve();

  /** Returns how long to wait before the next look. Tells what is wrong once, as long as it stays the same. */
  async function look(): Promise<number> {
    try {
      await numbering.look();
      const [gone] = await trail.records.newestFaults();
      if (gone !== undefined) throw new TrailError(gone);
      if (contradiction !== undefined || numbering.head()?.size !== newest()?.size)
        await signing.sign(numbering.current);
      tell(undefined);
      failure = undefined;
      return lookMilliseconds;
    } catch (error) {
      const { name, message, stack, cause = message } = error as Error;
      if (name === "AbortError") return 0;
      if (error instanceof TrailError) {
        tell(message);
        return failureMilliseconds;
      }
      const isAway = isUnavailable(error);
      if (failure !== message)
        events[isAway ? "warn" : "error"]("trail failed", {
          cause: isAway ? String(cause) : stack,
        });
      failure = message;
      return isAway ? lookMilliseconds : failureMilliseconds;
    }
  }

  /** Takes note of what does not hold of the stored trail, if anything. */
  function tell(found: string | undefined): void {
    if (found === contradiction) return;
    contradiction = found;
    const head = numbering.head();
    if (found === undefined) events.info("trail whole again");
    else events.error("trail broken", { signed: found, ...(head && { found: inWords(head) }) });
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
        .then(() => (contradiction === undefined ? signing.close() : undefined))
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
        contradiction,
      };
    },
  };
}
