import { setTimeout as sleep } from "node:timers/promises";
import type { ClusterNode } from "../../../dev/cluster/node.ts";
import { findPrograms } from "../../../dev/cluster/programs.ts";
import { serviceLimits } from "../../../src/adapters/postgres/connection/database.ts";
import { compare, readRows, replay } from "./audit.ts";
import { recoveryMilliseconds } from "./load.ts";
import { openPatroniStage, type PatroniStage, type Way } from "./patroni-stage.ts";
import { type Strike, strikes } from "./patroni-strikes.ts";
import { describeReads } from "./reads.ts";
import type { Outcome, Scenario, Trial } from "./scenario.ts";
import { faultOfStop, query, slowestMilliseconds } from "./stage.ts";
import { watchWrites } from "./write-watch.ts";

/** What happens to three PostgreSQL under Patroni, while clients write by way of HAProxy and by several hosts. */
export const patroni: readonly Scenario[] = strikes.map(strike => ({
  name: strike.name,
  inShort: strike.inShort === true,
  obstacle() {
    const programs = findPrograms();
    return "missing" in programs ? `this machine lacks ${programs.missing.join(", ")}` : undefined;
  },
  run: trial => run(trial, strike),
}));

async function run(
  trial: Trial,
  { leaderIs = "first", oldLeaderAnswers = false, strike }: Strike,
): Promise<Outcome> {
  const programs = findPrograms();
  if ("missing" in programs) throw new Error("programs are missing");
  const stage = await openPatroniStage(trial, programs, { leaderIs });
  try {
    await query(
      stage.superuserUrl(stage.leader.address),
      "create table probe (at timestamptz default now())",
    );
    const endWatch = watchWrites(stage.cluster.nodes.map(({ address }) => stage.superuserUrl(address)));
    const loads = stage.ways.map(way => ({ way, load: way.load(), endReads: way.reads() }));
    await Promise.all(loads.map(({ load }) => load.untilAcknowledged()));
    await sleep(1_000);
    for (const { load } of loads) load.strike();
    await strike(stage);
    await stage.cluster.untilWhole();
    await Promise.all(loads.map(({ load }) => load.heal()));
    await sleep(recoveryMilliseconds + 1_000);
    const leader = await stage.leaderNow();
    const ends = await Promise.all(loads.map(one => endOf(stage, leader, one)));
    const search = mostSearchMilliseconds + (oldLeaderAnswers ? serviceLimits.deadlineMilliseconds : 0);
    return outcomeOf(ends, await endWatch(), search);
  } finally {
    await stage.close();
  }
}

type Running = {
  readonly way: Way;
  readonly load: ReturnType<Way["load"]>;
  readonly endReads: ReturnType<Way["reads"]>;
};

/** Ends the clients of one way, and holds what they were told against what is stored. */
async function endOf(
  { superuserUrl, token }: PatroniStage,
  leader: ClusterNode,
  { way, load, endReads }: Running,
) {
  await load.stop();
  const reads = await endReads();
  const faults = [...load.faults, ...(await replay(load, way.places[0], token))];
  const { lost, doubled } = compare(await readRows(superuserUrl(leader.address)), load);
  const slowest = load.slowestMilliseconds();
  if (slowest > slowestMilliseconds) faults.push(`an answer took ${slowest} ms`);
  for (const service of way.services()) {
    const fault = service.death() ?? (await faultOfStop(service));
    if (fault !== undefined) faults.push(fault);
  }
  const statuses = [...load.statuses].map(([status, times]) => `${times} x ${status}`).join(", ");
  return {
    name: way.name,
    lost,
    doubled,
    acknowledged: load.acknowledged.size,
    hung: load.hung() + reads.hung,
    pause: load.longestPauseMilliseconds(),
    notes: [`${way.name}: ${statuses}; slowest ${slowest} ms`, describeReads(`${way.name}, reads`, reads)],
    faults: faults.map(fault => `${way.name}: ${fault}`),
  };
}

/** Between two tries of a node there are at most the 2 s that a frozen one is given, a rest of 250 ms, and a connection. */
const mostSearchMilliseconds = 2_500;

type End = Awaited<ReturnType<typeof endOf>>;

function outcomeOf(ends: readonly End[], unwritable: number, search: number): Outcome {
  const sum = (of: (end: End) => number) => ends.reduce((total, end) => total + of(end), 0);
  const pauseOf = (name: string) => ends.find(end => end.name === name)?.pause ?? 0;
  const late =
    pauseOf("hosts") > unwritable + search
      ? [
          `by several hosts nothing was written for ${pauseOf("hosts")} ms, of which ${unwritable} ms in which no node took a write`,
        ]
      : [];
  return {
    rounds: 1,
    acknowledged: sum(end => end.acknowledged),
    lost: sum(end => end.lost),
    doubled: sum(end => end.doubled),
    hung: sum(end => end.hung),
    recoveries: [],
    pauses: { unwritable, proxy: pauseOf("proxy"), hosts: pauseOf("hosts") },
    notes: ends.flatMap(end => end.notes),
    faults: [...ends.flatMap(end => end.faults), ...late],
  };
}
