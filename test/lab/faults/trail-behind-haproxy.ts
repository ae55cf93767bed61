import { copyFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeTrailClient } from "../../../src/adapters/trail-client.ts";
import { type AuditState, auditTrail, requirePrefix } from "../../../src/application/trail/audit.ts";
import { type Checkpoint, openCheckpoint } from "../../../src/domain/trail/checkpoint.ts";
import { readVerifierKey } from "../../../src/domain/trail/note.ts";
import { haproxyObstacle, startHaproxy } from "./behind-haproxy.ts";
import { folder, stablePort } from "./processes.ts";
import { between, type Random } from "./random.ts";
import { HungError, send } from "./request.ts";
import type { Scenario } from "./scenario.ts";
import { adminEmail, adminPassword, conclude, openStage } from "./stage.ts";
import { checkpointOf, trailKey, verifierKey } from "./trail-check.ts";

const keys = [readVerifierKey(verifierKey)];
const wantedReads = { short: 300, long: 10_000 };
/** More than the services that are stopped can hold up. */
const readers = 40;

/**
 * Several services behind HAProxy, each with a state file of its own, which are stopped and restarted under writes. Whatever one of
 * them has shown of the trail, all show from then on.
 */
export const trailBehindHaproxy: Scenario = {
  name: "trail-behind-haproxy",
  inShort: false,
  obstacle: haproxyObstacle,
  async run(trial) {
    const stateFile = (n: number) => join(folder, `trail-behind-haproxy-${n}`);
    const settings = { TRAIL_KEY: trailKey, TRAIL_STATE_FILE: stateFile(0) };
    await using stage = await openStage(trial, { settings });
    const { token, port } = stage;
    // What the operator of a second machine copies.
    while ((await checkpointOf(port, token)) === undefined) await sleep(50);
    const others: { readonly port: number; readonly settings: { readonly TRAIL_STATE_FILE: string } }[] = [];
    for (const n of [1, 2]) {
      copyFileSync(stateFile(0), stateFile(n));
      others.push({ port: await stablePort(), settings: { TRAIL_STATE_FILE: stateFile(n) } });
    }
    const services = await Promise.all(others.map(other => stage.startAnother(other.port, other.settings)));
    const ports = [port, ...others.map(other => other.port)];
    const proxy = await startHaproxy(ports);
    const load = stage.load({
      ports: [proxy.port],
      clients: 3,
      cutsAreFine: true,
      refusals: [502, 503, 504],
    });
    await load.untilAcknowledged();
    const reads = startReads(
      proxy.port,
      token,
      trial.random,
      () => [...load.acknowledged.values()].at(-1)?.id,
    );
    const audits = startAudits(ports, token, trial.random);
    let strikes = 0;
    while (reads.count() < wantedReads[trial.short ? "short" : "long"]) {
      await sleep(between(trial.random, 500, 1_500));
      const at = strikes % 3;
      const pid = at === 0 ? stage.service().pid : services[at - 1]?.pid;
      if (strikes % 4 === 3) {
        if (at === 0) {
          await stage.service().stop();
          await stage.restart();
        } else {
          const other = others[at - 1] as (typeof others)[number];
          await services[at - 1]?.kill();
          services[at - 1] = await stage.startAnother(other.port, other.settings);
        }
      } else if (pid !== undefined) {
        process.kill(pid, "SIGSTOP");
        await sleep(between(trial.random, 100, 1_500));
        process.kill(pid, "SIGCONT");
      }
      strikes += 1;
    }
    const faults = [...(await reads.stop()), ...(await audits.stop())];
    const outcome = await conclude(stage, load, {
      rounds: strikes,
      notes: [
        `${reads.count()} heads, proofs and entries, ${audits.count()} audits, ${strikes} stops and restarts`,
      ],
      faults,
    });
    await proxy.stop();
    // HAProxy answers for a service that died with a request, and its error is HTML.
    const ours = outcome.faults.filter(fault => fault !== "a 502 without JSON of status and msg");
    return { ...outcome, faults: ours };
  },
};

/** Clients who read the trail by way of the proxy: nothing that began after a result was there may be older than it. */
function startReads(port: number, token: string, random: Random, newestLog: () => number | undefined) {
  const agent = new Agent({ keepAlive: true, maxSockets: readers });
  const faults = new Set<string>();
  let [count, size, end, isOver] = [0, 0, 0, false];
  let link: string | undefined;
  const proven = new Set<number>();

  async function read(): Promise<void> {
    const [leastSize, leastEnd, after] = [size, end, link];
    const kind = between(random, 0, 2);
    const id = newestLog() ?? 1;
    const wasProven = proven.has(id);
    const path = [
      "/api/v1/trail",
      `/api/v1/trail/${after ?? "entries?from=0&limit=1000"}`,
      `/api/v1/logs/${id}/proof`,
    ];
    const { status, headers, json } = await send(port, path[kind] as string, { token, agent });
    if (status >= 500) return;
    count += 1;
    const isWhole = headers["trail-condition"] === "whole";
    if (kind === 0) {
      const found = Number((json as { size?: unknown } | undefined)?.size);
      if (isWhole && !(found >= leastSize)) faults.add(`a head of ${found} after one of ${leastSize}`);
      size = Math.max(size, found);
    } else if (kind === 1) {
      const [, next, from] = /^<(entries\?from=(\d+)&[^>]*)>/.exec(String(headers["link"])) ?? [];
      if (status !== 200) faults.add(`${status} for ${after}`);
      const isAtEnd = (json as unknown[] | undefined)?.length === 0;
      if (isWhole && isAtEnd && Number(from) < leastEnd)
        faults.add(`entries end at ${from} after ${leastEnd}`);
      if (Number(from) > end) [end, link] = [Number(from), next];
    } else if (status === 200) proven.add(id);
    else if (wasProven) faults.add(`${status} for the proof of ${id}, which was there`);
  }

  async function run(): Promise<void> {
    while (!isOver) {
      await read().catch((error: unknown) => {
        if (error instanceof HungError) faults.add(error.message);
      });
    }
  }

  const running = Promise.all(Array.from({ length: readers }, run));
  return {
    count: () => count,
    async stop() {
      isOver = true;
      await running;
      agent.destroy();
      return [...faults];
    },
  };
}

/** An auditor who takes a checkpoint from one service, and asks another whether its trail continues it. */
async function auditAt(port: number, kept: Checkpoint, state?: AuditState): Promise<AuditState> {
  const credentials = { email: adminEmail, password: adminPassword };
  // Without pauses: a service that is down is asked again with the next audit.
  const client = makeTrailClient(new URL(`http://127.0.0.1:${port}`), credentials, []);
  const last = state && { head: openCheckpoint(state.checkpoint, keys), hashes: state.hashes };
  const audited = await auditTrail(client, { keys, witnesses: [] }, last, kept.size);
  await requirePrefix(client, kept, audited.checkpoint);
  return audited.state;
}

function startAudits(ports: readonly number[], token: string, random: Random) {
  const faults: string[] = [];
  let [count, isOver] = [0, false];
  let state: AuditState | undefined;
  const any = () => ports[between(random, 0, ports.length - 1)] as number;
  const running = (async () => {
    while (!isOver) {
      const note = await checkpointOf(any(), token);
      if (note === undefined) continue;
      try {
        state = await auditAt(any(), openCheckpoint(note, keys), state);
        count += 1;
      } catch (error) {
        // One that is down, or stopped, is no alarm.
        if ((error as Error).name === "TrailError") faults.push(`an audit says: ${(error as Error).message}`);
      }
    }
  })();
  return {
    count: () => count,
    async stop() {
      isOver = true;
      await running;
      return faults;
    },
  };
}
