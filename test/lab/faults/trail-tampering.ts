import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { insertedId, notNamed, type Tampering, tamper, tamperings } from "../../support/tamperings.ts";
import { aLog } from "../../support/test-records.ts";
import { folder } from "./processes.ts";
import { runCommand } from "./program.ts";
import { send } from "./request.ts";
import type { Scenario, Trial } from "./scenario.ts";
import { conclude, databaseName, openStage, query, type Stage } from "./stage.ts";
import { checkpointOf, trailKey, untilCovered, verifierKey } from "./trail-check.ts";

/** Logs that are in the old dump, and those that are written after it. */
const oldLogs = 700;
const newLogs = 600;
const notExtended = /^the checkpoint in TRAIL_STATE_FILE, \d+ .* is not extended/;

/** The owner of the tables rewrites them under a running service, triggers off: each change is found and named. */
export const trailTampering: Scenario = {
  name: "trail-tampering",
  inShort: false,
  async run(trial) {
    const stateFile = join(folder, "trail-tampering-checkpoint");
    await using stage = await openStage(trial, {
      settings: { TRAIL_KEY: trailKey, TRAIL_STATE_FILE: stateFile },
    });
    try {
      await query(
        stage.cluster.url(databaseName),
        `insert into maintenance_log (performed_date, status, task_type, comment, asset_id, performed_by_employee_id)
         select '2026-01-01', 'PENDING', 'ERROR', 'inserted ' || i, 1, 1 from generate_series(1, ${oldLogs}) i`,
      );
      const faults = await untilCovered(stage.cluster, stage.token, [stage.port]);
      await keep(stage, "old");
      const load = stage.load();
      while (load.acknowledged.size < newLogs) await load.untilAcknowledged();
      await load.stop();
      faults.push(...(await untilCovered(stage.cluster, stage.token, [stage.port])));
      await keep(stage, "whole");
      const signed = readFileSync(stateFile);

      const notes: string[] = [];
      for (const tampering of tamperings) {
        const missing = await faultsOf(trial, stage, tampering);
        if (missing.length === 0) notes.push(`found and named: ${tampering.what}`);
        faults.push(...missing.map(fault => `${tampering.what}: ${fault}`));
        writeFileSync(stateFile, signed);
        await putBack(stage, "whole");
      }
      await putBack(stage, "old");
      const broken = untilBroken(stage);
      const lines = await verify(trial, stage);
      if (!lines.some(line => notExtended.test(line))) faults.push(`an old dump: not named in ${lines}`);
      else if (await broken) notes.push("found and named: an old dump that was put back");
      else faults.push("an old dump: the service did not say trail broken");
      await putBack(stage, "whole");
      return await conclude(stage, load, { rounds: tamperings.length + 1, notes, faults });
    } finally {
    }
  },
};

/** Keeps the database as it is now under another name. */
async function keep(stage: Stage, name: string): Promise<void> {
  await stage.service().stop();
  await query(stage.cluster.url("postgres"), `create database ${name} template ${databaseName}`);
  await stage.restart();
}

async function putBack(stage: Stage, name: string): Promise<void> {
  await stage.service().kill();
  const url = stage.cluster.url("postgres");
  await query(url, `drop database ${databaseName} with (force)`);
  await query(url, `create database ${databaseName} template ${name}`);
  await stage.restart();
}

/** Tampers, and answers what is not found of it, or not named. */
async function faultsOf(trial: Trial, stage: Stage, tampering: Tampering): Promise<string[]> {
  const url = stage.cluster.url(databaseName);
  const uncovered = await untilCovered(stage.cluster, stage.token, [stage.port]);
  if (uncovered.length > 0) return uncovered;
  const broken = untilBroken(stage);
  const before = Number((await checkpointOf(stage.port, stage.token))?.split("\n")[1]);
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await tamper(sql, url, tampering).finally(() => sql.end({ timeout: 1 }));
  // The service may have numbered it already: then its index tells that it came after what was signed before.
  const index = tampering.what.startsWith("an insertion") ? await indexOf(stage, insertedId) : undefined;
  if (index !== undefined)
    return index >= before ? [] : [`entry ${index} of ${before} that were signed before`];
  const lines = await verify(trial, stage);
  const missing = notNamed(tampering, lines).map(
    pattern => `${pattern} is not in ${lines.slice(-5).join("; ")}`,
  );
  if (!tampering.found.some(({ source }) => source.includes("TRAIL_STATE_FILE"))) return missing;
  // The service looks at what was signed before it signs again, which takes a new record.
  const body = aLog({ comment: "after it" });
  // It proves within ten seconds anew from what is stored that the tree extends what was signed.
  let isBroken: boolean | undefined;
  void broken.then(found => {
    isBroken = found;
  });
  while (isBroken === undefined) {
    await send(stage.port, "/api/v1/assets/1/logs", { method: "POST", token: stage.token, body });
    await sleep(1_000);
  }
  return isBroken ? missing : [...missing, "the service did not say trail broken"];
}

/** The number that the service gives a log. */
async function indexOf({ port, token }: Stage, id: number): Promise<number | undefined> {
  for (let attempt = 0; attempt < 75; attempt += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/logs/${id}/proof`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    const [, index] = /^index (\d+)$/m.exec(await answer.text()) ?? [];
    if (index !== undefined) return Number(index);
    await sleep(200);
  }
  return undefined;
}

/** The lines of `verify --database`, which are on standard error where something does not match. */
async function verify({ program }: Trial, { settings }: Stage): Promise<string[]> {
  const outcome = await runCommand(program, ["verify", "--database", "--key", verifierKey], settings).then(
    () => "nothing found",
    (error: Error) => error.message,
  );
  return outcome.split(/\n|: (?=verify: )/).map(line => line.replace(/^verify: /, ""));
}

/** Whether the service says so within 20 s. */
function untilBroken(stage: Stage): Promise<boolean> {
  const { output, hasWritten } = stage.service();
  // At a start it may come before anybody listens.
  if (hasWritten('"trail broken"')) return Promise.resolve(true);
  return new Promise(resolve => {
    const timer = setTimeout(resolve, 20_000, false);
    output?.on("data", (chunk: Buffer) => {
      if (!chunk.includes('"trail broken"')) return;
      clearTimeout(timer);
      resolve(true);
    });
  });
}
