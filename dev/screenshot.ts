import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openStage } from "../bench/stage.ts";
import { workloads } from "../bench/workloads.ts";
import { formatSignerKey, makeSignerKey } from "../src/domain/trail/note.ts";
import { stablePort } from "../test/lab/faults/processes.ts";
import { buildProgram } from "../test/lab/faults/program.ts";
import { findChromium, noChromium, openBrowser } from "../test/support/browser.ts";
import { findPostgresBinaries } from "../test/support/native-postgres.ts";

/**
 * Takes docs/status-page.png: the compiled service on a PostgreSQL with the data of `make bench`, under its requests at a
 * steady pace until the page has its ten minutes.
 *
 *     node --import tsx dev/screenshot.ts [--minutes 10]
 */
const { values } = parseArgs({ options: { minutes: { type: "string", default: "10" } } });
const chromium = findChromium();
if (chromium === undefined) throw new Error(noChromium);
const binaries = findPostgresBinaries();
if (binaries === undefined) throw new Error("this machine has no PostgreSQL binaries");

const logs = 100_000;
/** Requests a second of each workload, in their order: reads of one, lists, logins, the whole list, writes. */
const rates = [60, 6, 20, 0.5, 0.02, 12];

const stage = await openStage(binaries, buildProgram(), logs);
const opsPort = await stablePort();
const key = makeSignerKey("maintenance.example.com", randomBytes(32));
const { port, token, stop } = await stage.serve({
  OPS_PORT: String(opsPort),
  TRAIL_KEY: formatSignerKey(key),
});
const ends = performance.now() + Number(values.minutes) * 60_000;

/** Sends requests at about this rate, in a slow wave as of a working day. */
async function keepAsking([path, init]: readonly [string, RequestInit], rate: number): Promise<void> {
  while (performance.now() < ends) {
    const wave = 1 + 0.4 * Math.sin(performance.now() / 90_000) + 0.2 * Math.sin(performance.now() / 17_000);
    await sleep(Math.min(1_000 / (rate * wave), ends - performance.now()));
    await (await fetch(`http://127.0.0.1:${port}${path}`, init)).arrayBuffer();
  }
}

await Promise.all(workloads(logs).map(({ sample }, i) => keepAsking(sample(token), rates[i] ?? 1)));
const browser = await openBrowser(chromium);
await browser.setAppearance(1_100, "light");
await browser.open(`http://127.0.0.1:${opsPort}/`);
writeFileSync("docs/status-page.png", await browser.screenshot());
await browser.close();
await stop();
await stage.close();
process.exit(0);
