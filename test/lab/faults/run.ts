import { parseArgs } from "node:util";
import { findPostgresBinaries } from "../../support/native-postgres.ts";
import { measuredOn } from "../machine.ts";
import { behindHaproxy } from "./behind-haproxy.ts";
import { diskFull } from "./disk-full.ts";
import { failover, failoverStalled } from "./failover.ts";
import { idleSockets } from "./idle-sockets.ts";
import { twoServices } from "./kill-in-turn.ts";
import { backendKill, postgresKill, serviceKill } from "./kills.ts";
import { logReader } from "./log-reader.ts";
import { memoryFlood } from "./memory-flood.ts";
import { patroni } from "./patroni.ts";
import { buildProgram } from "./program.ts";
import { makeRandom } from "./random.ts";
import { revocation } from "./revocation.ts";
import type { Outcome, Scenario, Trial } from "./scenario.ts";
import { networkDrop, postgresStopped } from "./silence.ts";
import { slowReaders } from "./slow-readers.ts";
import { statementCancel } from "./statement-cancel.ts";
import { isClean, pauseTableOf, type Result, tableOf } from "./table.ts";
import { trailBehindHaproxy } from "./trail-behind-haproxy.ts";
import { trailKill } from "./trail-kill.ts";
import { upgrade } from "./upgrade.ts";

/**
 * Breaks everything around the service, and the service itself, under load, on PostgreSQL servers of its own.
 *
 *     node --import tsx test/lab/faults/run.ts [--short] [--part 1/3] [--only NAME,NAME] [--seed N]
 */
const scenarios: readonly Scenario[] = [
  serviceKill,
  postgresKill,
  backendKill,
  statementCancel,
  postgresStopped,
  networkDrop,
  failover,
  failoverStalled,
  twoServices,
  upgrade,
  trailKill,
  behindHaproxy,
  trailBehindHaproxy,
  slowReaders,
  idleSockets,
  revocation,
  memoryFlood,
  logReader,
  diskFull,
  ...patroni,
];

const { values } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    part: { type: "string", default: "1/1" },
    only: { type: "string" },
    seed: { type: "string" },
  },
});
const only = values.only?.split(",");
const unknown = only?.filter(name => !scenarios.some(scenario => scenario.name === name)) ?? [];
if (unknown.length > 0) fail(`no such scenario: ${unknown.join(", ")}`);
const seed = Number(values.seed ?? process.pid);
if (!Number.isSafeInteger(seed)) fail("--seed is not a whole number");
const binaries = findPostgresBinaries();
if (binaries === undefined) fail("the faults need PostgreSQL's own programs, and this machine has none");

const [part = 1, parts = 1] = values.part.split("/").map(Number);
const chosen = scenarios
  .filter(({ name, inShort }) => only?.includes(name) ?? (!values.short || inShort))
  .filter((_, at) => at % parts === part - 1);
const trial: Omit<Trial, "random"> = { binaries, program: buildProgram(), short: values.short };
console.log(`${measuredOn(binaries)}; seed ${seed}${values.short ? ", short form" : ""}`);

const results: Result[] = [];
for (const scenario of chosen) {
  const began = performance.now();
  const result = await runOne(scenario);
  results.push(result);
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  if ("skipped" in result) console.log(`${scenario.name}: skipped, since ${result.skipped}`);
  else {
    console.log(`${scenario.name}: ${isClean(result) ? "kept" : "BROKEN"}, ${seconds} s`);
    for (const note of result.notes) console.log(`  ${note}`);
    for (const fault of result.faults) console.log(`  FAULT: ${fault}`);
  }
}
console.log(`\n${tableOf(results)}`);
const pauses = pauseTableOf(results);
if (pauses !== undefined) console.log(`\n${pauses}`);
process.exit(results.every(isClean) ? 0 : 1);

async function runOne(scenario: Scenario): Promise<Result> {
  const { name } = scenario;
  const skipped = scenario.obstacle?.();
  if (skipped !== undefined) return { name, skipped };
  try {
    // The same seed gives each scenario the same numbers, whichever others run.
    const outcome = await within(scenario.run({ ...trial, random: makeRandom(seed) }));
    return { name, ...outcome };
  } catch (error) {
    const faults = [error instanceof Error ? (error.stack ?? error.message) : String(error)];
    return {
      name,
      rounds: 0,
      acknowledged: 0,
      lost: 0,
      doubled: 0,
      hung: 0,
      recoveries: [],
      notes: [],
      faults,
    };
  }
}

/** A scenario that does not end is a fault, and what it has started ends with the run. */
function within(outcome: Promise<Outcome>): Promise<Outcome> {
  const minutes = values.short ? 4 : 10;
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(
      () => reject(new Error(`not done after ${minutes} minutes`)),
      minutes * 60_000,
    );
    outcome.then(resolve, reject).finally(() => clearTimeout(deadline));
  });
}

function fail(reason: string): never {
  console.error(reason);
  process.exit(64);
}
