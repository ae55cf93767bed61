import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileTree } from "./support/compiled.ts";
import { openTemplate } from "./support/database.ts";
import { startTestServer } from "./support/test-server.ts";

/**
 * Runs the tests against the PostgreSQL that there is, and says which.
 *
 *     node --import tsx test/run.ts [FILE…]      without arguments: all files but those of test/release
 *     TEST_DATABASE_URL=postgres://…             a server on which this user may create databases
 *     TEST_DATABASE=native | embedded            insist on one; native fails where there is none
 *     TEST_CONCURRENCY=4                         files at a time
 *     TEST_MINUTES=20                            end a run that takes longer, and name the files that it waits for
 *     TEST_FILE_SECONDS=600                      end a file that takes longer, also one that a test has left something open in
 *     TEST_NAME=REGEXP                           the tests of this name only
 *     TEST_MAY_SKIP=REGEXP                       fail when a test is skipped for a reason that this does not match
 */
const mostMinutes = Number(process.env["TEST_MINUTES"] ?? 20);
const fileSeconds = Number(process.env["TEST_FILE_SECONDS"] ?? 600);

const allFiles = () =>
  readdirSync("test", { recursive: true, encoding: "utf8" })
    .filter(file => file.endsWith(".test.ts") && !file.startsWith("release"))
    .map(file => join("test", file));

/** What begins last ends last, so these begin first. */
const longest = [
  "release/operations",
  "release/promises",
  "release/faults",
  "release/restore-killed",
  "release/major-upgrade",
  "program/restore-exchange",
  "program/backup",
  "program/restore-dumps",
  "program/restore",
  "program/operations",
  "program/verify-database",
  "program/main",
  "contract/repositories-postgres",
].map(name => `test/${name}.test.ts`);
const given = process.argv.length > 2 ? process.argv.slice(2) : allFiles();
const files = [
  ...longest.filter(file => given.includes(file)),
  ...given.filter(file => !longest.includes(file)).sort(),
];
const folder = mkdtempSync(join(tmpdir(), "maintenance-log-run-"));
const tree = join(folder, "tree");
const evidence = join(folder, "databases");
writeFileSync(evidence, "");
const outcomes = join(folder, "outcomes.tap");

const ended = join(folder, "ended");
writeFileSync(ended, "");
const underWay = join(folder, "under-way");
mkdirSync(underWay);

compileTree(tree);
const server = await startTestServer();
const serverUrl = server.environment["TEST_SERVER_URL"];
const template = serverUrl === undefined ? undefined : await openTemplate(serverUrl);
// Those of test/release start a PostgreSQL of their own, and some ask other machines.
const isRelease = files.every(file => file.startsWith("test/release/"));
// Node 20 reads these certificates at each start, which takes 0.1 s.
const { NODE_EXTRA_CA_CERTS: certificates, ...environment } = process.env;
console.log(`The tests use ${server.name}.`);
const tests = spawn(
  process.execPath,
  [
    "--enable-source-maps",
    "--import",
    join(tree, "test/support/file-bound.js"),
    join(tree, "test/support/run-files.js"),
    ...files.map(file => join(tree, file.replace(/\.ts$/, ".js"))),
  ],
  {
    stdio: "inherit",
    env: {
      ...environment,
      ...(isRelease && certificates !== undefined && { NODE_EXTRA_CA_CERTS: certificates }),
      ...server.environment,
      ...(template !== undefined && { TEST_TEMPLATE: new URL(template.url).pathname.slice(1) }),
      TEST_EVIDENCE: evidence,
      TEST_TREE: tree,
      TEST_UNDER_WAY: underWay,
      TEST_ENDED: ended,
      TEST_FILE_SECONDS: String(fileSeconds),
      TEST_OUTCOMES: outcomes,
    },
    // A group of its own, so that what the tests have started can be ended with them.
    detached: true,
  },
);
const signalAll = (signal: NodeJS.Signals): void => {
  try {
    process.kill(-(tests.pid as number), signal);
  } catch {}
};
/** Ends the run, and says which files it was waiting for. */
const interrupt = (why: string): void => {
  const waiting = readdirSync(underWay).map(mark => readFileSync(join(underWay, mark), "utf8"));
  console.error(`\nThe run is ended: ${why}. Files under way:\n  ${waiting.join("\n  ") || "none"}`);
  signalAll("SIGINT");
  setTimeout(() => signalAll("SIGKILL"), 5_000).unref();
};
const bound = setTimeout(
  () => interrupt(`it takes longer than ${mostMinutes} minutes`),
  mostMinutes * 60_000,
);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => interrupt(signal));
const [code] = (await once(tests, "exit")) as [number | null];
clearTimeout(bound);
signalAll("SIGKILL");
await template?.drop();
await server.stop();

const durations = readFileSync(ended, "utf8")
  .trimEnd()
  .split("\n")
  .toSorted((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10));
console.log(`The slowest files:\n  ${durations.slice(0, 8).join("\n  ")}`);
const byFolder = new Map<string, number>();
for (const line of durations) {
  const [, milliseconds, folder = ""] = /^(\d+) ms, .* test\/([^/]+)/.exec(line) ?? [];
  byFolder.set(folder, (byFolder.get(folder) ?? 0) + Number(milliseconds ?? 0));
}
const sums = [...byFolder].map(([folder, milliseconds]) => `${folder} ${Math.round(milliseconds / 1_000)} s`);
console.log(`All files of each folder of test/: ${sums.join(", ")}`);
const databases = readFileSync(evidence, "utf8").split("\n").length - 1;
const report = readFileSync(outcomes, "utf8");
const skips = [...report.matchAll(/^\s*ok \d+ - (.*) # SKIP (.*)$/gm)];
rmSync(folder, { recursive: true });
// A file that ends otherwise than its tests do: what it printed last stands far above.
for (const [text, file = ""] of report.matchAll(
  /(?:^# .*\n)*^not ok \d+ - (.*)\n {2}---\n(?: {2}.*\n)*? {2}exitCode: .*\n {2}signal: .*$/gm,
))
  console.log(`${file} has ended by itself:\n${text.split("\n").slice(-40).join("\n")}`);
console.log(`${databases} databases were opened on ${server.name}.`);

const mayBeSkipped = new RegExp(process.env["TEST_MAY_SKIP"] ?? "", "i");
for (const [, name, reason = ""] of skips) {
  const judgement = mayBeSkipped.test(reason) ? "Skipped" : "Skipped, which was not expected";
  console.log(`${judgement}: ${name}: ${reason}`);
}
const isSkippedUnexpectedly = skips.some(([, , reason = ""]) => !mayBeSkipped.test(reason));
// A suite that never opened a database would be green without having shown anything.
const hasShownNothing = (!isRelease && databases === 0) || isSkippedUnexpectedly;
process.exitCode = code === 0 && hasShownNothing ? 1 : (code ?? 1);
