import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { between, type Random } from "./random.ts";
import { type Answer, faultOfError, HungError, type Place, send } from "./request.ts";
import { type Acknowledged, isFaithful, makeWrite, type Write } from "./write.ts";

export interface LoadChoices {
  /** Services on one database; a client that gets no answer from one goes on at the next. */
  readonly ports: readonly Place[];
  readonly token: string;
  readonly assetIds: readonly [number, ...number[]];
  readonly random: Random;
  readonly clients?: number;
  /** Whether the service itself is killed, so that connections may break. */
  readonly cutsAreFine?: boolean;
  /** What may be answered instead of a 201. */
  readonly refusals?: readonly number[];
  /** Characters of a comment at most. */
  readonly longest?: number;
  readonly pauseMilliseconds?: number;
}

/** The promise: from PostgreSQL being there again to everything working again. */
export const recoveryMilliseconds = 2_000;
const giveUpMilliseconds = 20_000;
const acknowledgementMilliseconds = 30_000;
const mostFaults = 10;

export type Load = ReturnType<typeof startLoad>;

/** Clients that write logs as fast as they are answered, and what they have been told. */
export function startLoad(choices: LoadChoices) {
  const { ports, token, random, cutsAreFine = false, refusals = [503], longest = 200 } = choices;
  const { clients = 8, pauseMilliseconds = 5 } = choices;
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const acknowledged = new Map<string, Acknowledged>();
  const keys = new Set<string>();
  const statuses = new Map<number, number>();
  const faults: string[] = [];
  const waiting = new Set<() => void>();
  let hung = 0;
  let slowest = 0;
  let lastAcknowledged = performance.now();
  let longestPause = 0;
  let wellFrom = Number.POSITIVE_INFINITY;
  let giveUpAt = Number.POSITIVE_INFINITY;

  const blame = (fault: string) => void (faults.length < mostFaults && faults.push(fault));

  function accept(write: Write, json: unknown): void {
    const log = (json ?? {}) as Record<string, unknown>;
    if (!isFaithful(write, log)) blame(`201 with another content: ${JSON.stringify(log).slice(0, 200)}`);
    longestPause = Math.max(longestPause, performance.now() - lastAcknowledged);
    lastAcknowledged = performance.now();
    acknowledged.set(write.key, { ...write, id: Number(log["id"]) });
    for (const tell of waiting) tell();
    waiting.clear();
  }

  /** Undefined when there was no answer. */
  async function attempt(port: Place, write: Write): Promise<Answer | undefined> {
    const began = performance.now();
    let status = 0;
    try {
      const answer = await sendWrite(port, write, token, agent);
      status = answer.status;
      return answer;
    } catch (error) {
      if (error instanceof HungError) hung++;
      else if (!cutsAreFine) blame(`no answer: ${(error as Error).message}`);
      return undefined;
    } finally {
      slowest = Math.max(slowest, performance.now() - began);
      if (began > wellFrom && status !== 201) blame(`${status} for what was sent long after the recovery`);
    }
  }

  /** Sends until it is acknowledged. */
  async function settle(write: Write, client: number): Promise<void> {
    // A 500 says that nothing was written; a 503, or no answer, that it may have been.
    let mayBeStored = false;
    for (let turn = client; performance.now() < giveUpAt; ) {
      const answer = await attempt(ports[turn % ports.length] ?? 0, write);
      if (answer === undefined) turn++;
      if (answer?.status === 201 && answer.headers["idempotent-replayed"] === "true" && !mayBeStored)
        blame("stored, though it was answered 500");
      mayBeStored ||= answer?.status !== 500;
      if (answer !== undefined) {
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        if (answer.status === 201) return accept(write, answer.json);
        const fault = faultOfError(answer);
        if (fault !== undefined) blame(fault);
        if (!refusals.includes(answer.status)) blame(`${answer.status}: ${JSON.stringify(answer.json)}`);
      }
      await sleep(20);
    }
    blame(`a write was not acknowledged ${giveUpMilliseconds} ms after the end`);
  }

  const run = async (client: number): Promise<void> => {
    for (let n = 0; giveUpAt === Number.POSITIVE_INFINITY; n++) {
      const write = makeWrite(random, `${client}.${n}`, choices.assetIds, between(random, 0, longest));
      keys.add(write.key);
      await settle(write, client);
      await sleep(pauseMilliseconds);
    }
  };
  const running = Promise.all(Array.from({ length: clients }, (_, client) => run(client)));

  /** Milliseconds from now to the next 201. */
  async function untilAcknowledged(): Promise<number> {
    const began = performance.now();
    const next = new Promise<void>(resolve => waiting.add(resolve));
    const expired = sleep(acknowledgementMilliseconds, "expired", { ref: false });
    if ((await Promise.race([next, expired])) === "expired") blame("no write was acknowledged for 30 s");
    return performance.now() - began;
  }

  return {
    acknowledged,
    /** Of every write that was ever sent. */
    keys,
    /** How often each status was answered. */
    statuses,
    faults,
    hung: () => hung,
    slowestMilliseconds: () => Math.round(slowest),
    /** The longest time without a 201, from the start of the load. */
    longestPauseMilliseconds: () => Math.round(longestPause),
    untilAcknowledged,
    /** From now on anything may fail. */
    strike() {
      wellFrom = Number.POSITIVE_INFINITY;
    },
    /** The fault is over: what is sent later than two seconds from now must succeed. Answers as untilAcknowledged. */
    heal() {
      wellFrom = performance.now() + recoveryMilliseconds;
      return untilAcknowledged();
    },
    /** Lets every client send what it has under way until it is acknowledged. */
    async stop() {
      giveUpAt = performance.now() + giveUpMilliseconds;
      await running;
      agent.destroy();
    },
  };
}

export const sendWrite = (port: Place, { key, assetId, content }: Write, token: string, agent?: Agent) =>
  send(port, `/api/v1/assets/${assetId}/logs`, {
    method: "POST",
    token,
    body: content,
    headers: { "idempotency-key": key },
    ...(agent === undefined ? {} : { agent }),
  });
