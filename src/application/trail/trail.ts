import { isUnavailable } from "../../domain/error.ts";
import type { TrailCrypto } from "../../domain/trail/crypto.ts";
import { TrailError } from "../../domain/trail/encoding.ts";
import { makeTreeHasher } from "../../domain/trail/merkle.ts";
import { makeBackgroundReading } from "./background-reading.ts";
import { makeNumbering } from "./numbering.ts";
import { makeTrailReader } from "./reader.ts";
import { makeSigning, type SigningPorts } from "./signing.ts";
import type { TrailRepository } from "./trail-repository.ts";

/** Between two quick looks for what is new. Each has statements and a signature that cost the same for many records. */
const lookMilliseconds = 1_000;
/** Between two batches while there is more: requests come first, and catching up is fast enough. */
const batchMilliseconds = 30;
const unavailableMilliseconds = 1_000;
const failureMilliseconds = 10_000;
const patienceMilliseconds = 60_000;
const stopMilliseconds = 2_000;

export interface TrailPorts extends Pick<SigningPorts, "key" | "remembered" | "events" | "clock"> {
  /** For numbering, signing and the background reading. */
  readonly trail: TrailRepository;
  /** For requests. */
  readonly requestTrail: TrailRepository;
  readonly crypto: TrailCrypto;
  /** Resolves when whatever else waits has had its turn. */
  readonly turn: () => Promise<unknown>;
  readonly pause: (milliseconds: number) => Promise<unknown>;
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
  /** How much of all records has been read in this round of the background reading, from 0 to 1. */
  readonly readingFraction: number;
  readonly mismatches: number;
}

/** The trail of a process that serves: numbers, signs, and rereads beside the requests. */
export function makeTrail(ports: TrailPorts) {
  const { trail, requestTrail, crypto, key, remembered, events, clock, turn, pause } = ports;
  const hasher = makeTreeHasher(crypto.sha256);
  const numbering = makeNumbering({ trail, hasher, clock, turn });
  const signing = makeSigning({ trail, hasher, ed25519: crypto, key, remembered, events, clock, numbering });
  const reading = makeBackgroundReading({ trail, hasher, clock, events, numbering, pause });
  let stop = (): void => {};
  const stopped = new Promise<void>(resolve => {
    stop = resolve;
  });
  let isStopped = false;
  let isBehind = true;

  /** Work that ends where the stored trail is found not to be whole; both answer how long to wait before the next time. */
  const unlessBroken = (work: () => Promise<number>) => async (): Promise<number> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof TrailError)) throw error;
      numbering.reset();
      await signing.refuse(error.message);
      return failureMilliseconds;
    }
  };

  /** Numbers what is new and signs. */
  const look = unlessBroken(async () => {
    const { isMore } = await numbering.step();
    isBehind = isMore;
    await signing.sign();
    return isMore ? batchMilliseconds : lookMilliseconds;
  });

  const read = unlessBroken(async () => (isBehind ? unavailableMilliseconds : reading.step()));

  /** Repeats the work until the stop; a failure is told once, as long as it stays the same. */
  async function repeat(work: () => Promise<number>): Promise<void> {
    let failure: string | undefined;
    let doneAt = clock.now().getTime();
    const tell = (message: string, cause: string): void => {
      if (message !== failure) events.error("trail failed", { cause });
      failure = message;
    };
    while (!isStopped) {
      let wait = failureMilliseconds;
      try {
        wait = await work();
        failure = undefined;
        doneAt = clock.now().getTime();
      } catch (error) {
        const { name, stack, message, cause } = error instanceof Error ? error : new Error(String(error));
        if (isUnavailable(error)) {
          wait = unavailableMilliseconds;
          // As behind a lock that somebody holds, where everything else goes on.
          if (clock.now().getTime() - doneAt >= patienceMilliseconds) tell(message, `for a minute: ${cause}`);
        } else {
          numbering.reset();
          tell(message, stack ?? name);
        }
      }
      await Promise.race([pause(wait), stopped]);
    }
  }

  let running: Promise<unknown> = Promise.resolve();
  return {
    reader: makeTrailReader({ trail: requestTrail, hasher, key, events, signing }),

    /** The newest checkpoint. */
    checkpoint: () => signing.newest()?.note,

    /** One look, for tests. */
    look,

    start(): void {
      running = Promise.all([repeat(look), repeat(read)]);
    },

    async stop(): Promise<void> {
      isStopped = true;
      stop();
      const last = running.then(signing.close).catch((error: unknown) => {
        events.warn("the last checkpoint is not stored", { cause: String(error) });
      });
      // What is stored then is whole, whatever is still under way.
      await Promise.race([last, pause(stopMilliseconds)]);
    },

    state(): TrailState {
      const newest = signing.newest();
      const { fraction, mismatches } = reading.state();
      return {
        size: numbering.tree()?.size ?? newest?.size ?? 0,
        isSigned: key !== undefined,
        checkpointSize: newest?.note === undefined ? 0 : newest.size,
        checkpointAgeSeconds:
          newest?.note === undefined ? undefined : (clock.now().getTime() - newest.at.getTime()) / 1_000,
        contradiction: signing.contradiction(),
        readingFraction: fraction,
        mismatches,
      };
    },
  };
}

export type Trail = ReturnType<typeof makeTrail>;
