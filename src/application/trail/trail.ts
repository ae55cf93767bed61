import { isUnavailable } from "../../domain/error.ts";
import type { TrailCrypto } from "../../domain/trail/crypto.ts";
import { faultOf } from "../../domain/trail/encoding.ts";
import { makeTreeHasher } from "../../domain/trail/merkle.ts";
import { makeNumbering } from "./numbering.ts";
import type { TrailStore } from "./ports.ts";
import { makePublishedTrail } from "./publishing.ts";
import { inWords, makeSigning, type SigningPorts } from "./signing.ts";

/** Between two looks for what is new. Each has statements and a signature that cost the same for many records. */
const lookMilliseconds = 1_000;
/** Between two batches while there is more: requests come first, and catching up is fast enough. */
const batchMilliseconds = 20;
const unavailableMilliseconds = 1_000;
const failureMilliseconds = 10_000;
const patienceMilliseconds = 60_000;
const stopMilliseconds = 2_000;

export interface TrailPorts extends Pick<SigningPorts, "key" | "remembered" | "events" | "clock"> {
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

export type Trail = ReturnType<typeof makeTrail>;

/** The trail of a process that serves: numbers and signs beside the requests, and publishes. */
export function makeTrail(ports: TrailPorts) {
  const { trail, requestTrail, crypto, key, events, clock, pause } = ports;
  const hasher = makeTreeHasher(crypto.sha256);
  const numbering = makeNumbering({ ...trail, hasher, clock, events });
  const signing = makeSigning({ ...ports, ...trail, hasher, ed25519: crypto });
  const { newest } = signing;
  let contradiction: string | undefined;
  const stopping = new AbortController();
  let running: Promise<unknown> = Promise.resolve();

  /** Numbers what is new and signs; returns how long to wait before the next time. */
  async function look(): Promise<number> {
    // What cannot be signed is numbered all the same.
    const [before] = await Promise.allSettled([signing.before()]);
    try {
      const isMore = await numbering.step();
      if (before.status === "rejected") throw before.reason;
      if (isMore) return batchMilliseconds;
      const tree = numbering.head();
      if (tree !== undefined && (contradiction !== undefined || tree.size !== newest()?.size)) {
        await signing.sign(tree, before.value);
        tell(undefined);
      }
      return lookMilliseconds;
    } catch (error) {
      tell(faultOf(error));
      return failureMilliseconds;
    }
  }

  /** Takes note of what does not hold of the stored trail, if anything, and tells it once. */
  function tell(found: string | undefined): void {
    if (found === contradiction) return;
    contradiction = found;
    const head = numbering.head();
    if (found === undefined) events.info("trail whole again");
    else events.error("trail broken", { signed: found, ...(head && { found: inWords(head) }) });
  }

  /** Looks until the stop; logs a failure once, as long as it stays the same. */
  async function repeat(): Promise<void> {
    let told: unknown;
    let doneAt = clock.elapsed();
    const { signal } = stopping;
    for (let wait = 0; !signal.aborted; await pause(wait, undefined, { signal }).catch(() => {})) {
      try {
        wait = await look();
        told = undefined;
        doneAt = clock.elapsed();
      } catch (error) {
        const isAway = isUnavailable(error);
        wait = isAway ? unavailableMilliseconds : failureMilliseconds;
        if (!isAway) numbering.reset();
        // A lock that somebody holds looks like this too, while everything else goes on.
        if (isAway && clock.elapsed() - doneAt < patienceMilliseconds) continue;
        const { message, stack, cause } = error as Error;
        if (told !== message)
          events.error("trail failed", { cause: isAway ? `for a minute: ${cause}` : stack });
        told = message;
      }
    }
  }

  return {
    published: makePublishedTrail({ ...requestTrail, hasher, key, events, newest }),

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
        .catch((error: unknown) =>
          events.warn("the last checkpoint is not stored", { cause: String(error) }),
        );
      // What is stored then is whole, whatever is still under way.
      await Promise.race([last, pause(stopMilliseconds)]);
    },

    state(): TrailState {
      const head = newest();
      const signed = head?.note === undefined ? undefined : head;
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
