import { setTimeout as sleep } from "node:timers/promises";
import { openCheckpoint } from "../../../src/domain/trail/checkpoint.ts";
import { toBase64 } from "../../../src/domain/trail/encoding.ts";
import { makeFrontier } from "../../../src/domain/trail/merkle.ts";
import { formatSignerKey, formatVerifierKey, makeSignerKey } from "../../../src/domain/trail/note.ts";
import type { Cluster } from "./cluster.ts";
import { databaseName, query } from "./stage.ts";

const key = makeSignerKey("faults.example.com", new Uint8Array(32).fill(5));
export const trailKey = formatSignerKey(key);
export const verifierKey = formatVerifierKey(key);

/** Collects the checkpoints that services answer, until it is stopped. */
export function watchCheckpoints(ports: readonly number[], token: string) {
  const notes = new Set<string>();
  let isOver = false;
  const watching = Promise.all(
    ports.map(async port => {
      while (!isOver) {
        const note = await checkpointOf(port, token);
        if (note !== undefined) notes.add(note);
        await sleep(200);
      }
    }),
  );
  async function stop(): Promise<void> {
    isOver = true;
    await watching;
  }
  return {
    stop,
    /** Waits until these services have signed all records, and holds the checkpoints against the entries. */
    async audit(cluster: Cluster) {
      const uncovered = await untilCovered(cluster, token, ports);
      await stop();
      const faults = [...uncovered, ...(await faultsOfTrail(cluster, notes))];
      return { faults, told: `${notes.size} checkpoints held against the entries` };
    },
  };
}

export async function checkpointOf(port: number, token: string): Promise<string | undefined> {
  try {
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/trail/checkpoint`, { headers });
    return answer.status === 200 ? await answer.text() : undefined;
  } catch {
    // The service is dead for the moment.
    return undefined;
  }
}

const recordCount = `
  (select count(*) from maintenance_log) + (select count(*) from employee_event) + (select count(*) from asset_event)`;

/** Waits until these services have signed all records. */
export async function untilCovered(
  cluster: Cluster,
  token: string,
  ports: readonly number[],
): Promise<string[]> {
  const [row] = await query(cluster.url(databaseName), `select (${recordCount})::integer as records`);
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const notes = await Promise.all(ports.map(port => checkpointOf(port, token)));
    if (notes.every(note => Number(note?.split("\n")[1]) === row?.["records"])) return [];
    await sleep(200);
  }
  return ["the records were not signed within 20 s"];
}

/** No gap, no double, and each checkpoint has the root of the entries. */
async function faultsOfTrail(cluster: Cluster, notes: ReadonlySet<string>): Promise<string[]> {
  const url = cluster.url(databaseName);
  const faults: string[] = [];
  const [counts] = await query(
    url,
    `select count(*)::integer as entries, count(distinct (kind, record_id))::integer as records,
      (max(index) + 1)::integer as size, (${recordCount})::integer as all from trail_entry`,
  );
  if (new Set(Object.values(counts ?? {})).size !== 1)
    faults.push(`not one entry for each record: ${JSON.stringify(counts)}`);
  const roots = new Map<number, string>();
  const frontier = makeFrontier();
  roots.set(0, toBase64(frontier.root));
  const wanted = new Set([...notes].map(note => Number(note.split("\n")[1])));
  for (const { index, hash } of await query(
    url,
    "select index::integer, hash from trail_entry order by index",
  )) {
    if (index !== frontier.size) faults.push(`entry ${index} follows ${frontier.size - 1}`);
    frontier.append(hash as Uint8Array);
    if (wanted.has(frontier.size)) roots.set(frontier.size, toBase64(frontier.root));
  }
  for (const note of notes) {
    const { size, root } = openCheckpoint(note, [key]);
    if (roots.get(size) !== toBase64(root)) faults.push(`the checkpoint of ${size} entries has another root`);
  }
  return faults;
}
