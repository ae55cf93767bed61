import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestServer } from "./support/test-server.ts";

/**
 * Runs the tests against the PostgreSQL that there is, and says which.
 *
 *     node --import tsx test/run.ts [FILE…]      all files without arguments
 *     TEST_DATABASE_URL=postgres://…             a server on which this user may create databases
 *     TEST_DATABASE=native | embedded            insist on one; native fails where there is none
 *     TEST_MAY_SKIP=REGEXP                       fail when a test is skipped for a reason that this does not match
 */
const allFiles = () =>
  readdirSync("test", { recursive: true, encoding: "utf8" })
    .filter(file => file.endsWith(".test.ts"))
    .map(file => join("test", file))
    .sort();

const files = process.argv.length > 2 ? process.argv.slice(2) : allFiles();
const folder = mkdtempSync(join(tmpdir(), "maintenance-log-run-"));
const evidence = join(folder, "databases");
writeFileSync(evidence, "");
const outcomes = join(folder, "outcomes.tap");

const server = await startTestServer();
console.log(`The tests use ${server.name}.`);
const tests = spawn(
  process.execPath,
  [
    "--import",
    "tsx",
    "--test",
    "--test-reporter=spec",
    "--test-reporter-destination=stdout",
    "--test-reporter=tap",
    `--test-reporter-destination=${outcomes}`,
    "--test-concurrency=3",
    "--test-timeout=120000",
    ...files,
  ],
  { stdio: "inherit", env: { ...process.env, ...server.environment, TEST_EVIDENCE: evidence } },
);
const [code] = (await once(tests, "exit")) as [number | null];
await server.stop();

const databases = readFileSync(evidence, "utf8").split("\n").length - 1;
const skips = [...readFileSync(outcomes, "utf8").matchAll(/^\s*ok \d+ - (.*) # SKIP (.*)$/gm)];
rmSync(folder, { recursive: true });
console.log(`${databases} databases were opened on ${server.name}.`);

const mayBeSkipped = new RegExp(process.env["TEST_MAY_SKIP"] ?? "", "i");
for (const [, name, reason = ""] of skips) {
  const judgement = mayBeSkipped.test(reason) ? "Skipped" : "Skipped, which was not expected";
  console.log(`${judgement}: ${name}: ${reason}`);
}
const isSkippedUnexpectedly = skips.some(([, , reason = ""]) => !mayBeSkipped.test(reason));
// A suite that never opened a database would be green without having shown anything.
const hasShownNothing = databases === 0 || isSkippedUnexpectedly;
process.exitCode = code === 0 && hasShownNothing ? 1 : (code ?? 1);
