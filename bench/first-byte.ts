import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { median } from "./measure.ts";
import { withoutTrail } from "./patched-program.ts";
import { largeAsset } from "./seed.ts";
import type { Serving, Stage } from "./stage.ts";

/** How long a client waits for the first byte of each whole list, with so many logs. */
export interface FirstByte {
  readonly logs: number;
  readonly milliseconds: Readonly<Record<string, number>>;
}

const lists = {
  "all logs": "logs",
  "logs of a large asset": `assets/${largeAsset}/logs`,
  "logs of an employee": "logs/employee/7",
  "logs of a rare status": "logs?status=CANCELLED",
  "logs of a task type": "logs?taskType=ERROR",
} as const;

const runs = 15;

/** One request after the other; each list is cut off after its first byte. */
export async function measureFirstByte(stage: Stage, program: string, logs: number): Promise<FirstByte> {
  // With the trail the service would number millions of logs meanwhile.
  const serving = await stage.serve({}, withoutTrail(program));
  const milliseconds: Record<string, number> = {};
  for (const [list, path] of Object.entries(lists)) {
    const samples: number[] = [];
    for (let run = 0; run < runs; run += 1) samples.push(await millisecondsToFirstByte(serving, path));
    milliseconds[list] = median(samples);
  }
  await serving.stop();
  return { logs, milliseconds };
}

async function millisecondsToFirstByte({ port, token }: Serving, path: string): Promise<number> {
  const begun = performance.now();
  const headers = { authorization: `Bearer ${token}` };
  const request = get({ port, host: "127.0.0.1", path: `/api/v1/${path}`, headers, agent: false });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${path} was answered ${response.statusCode}`);
  await once(response, "data");
  const elapsed = performance.now() - begun;
  response.destroy();
  return elapsed;
}
