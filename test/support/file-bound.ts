import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

/**
 * Loaded before each test file of a run. `--test-timeout` ends a test, but not what the test has left running: a file that
 * still waits for something would keep the run from ending.
 */
const { TEST_UNDER_WAY: folder, TEST_ENDED: ended = "/dev/null", TEST_FILE_SECONDS = "180" } = process.env;
const file = relative(process.env["TEST_TREE"] ?? "", process.argv[1] ?? "");

if (process.env["NODE_TEST_CONTEXT"] !== undefined && folder !== undefined) {
  const mark = join(folder, String(process.pid));
  writeFileSync(mark, file);
  process.once("exit", () => {
    rmSync(mark, { force: true });
    appendFileSync(ended, `${Math.round(performance.now())} ms, ${cpuSeconds()} s of CPU  ${file}\n`);
  });
  setTimeout(() => {
    const held = process.getActiveResourcesInfo().join(", ");
    process.stderr.write(`${file} has not ended after ${TEST_FILE_SECONDS} s; it holds: ${held}\n`);
    process.exit(1);
  }, Number(TEST_FILE_SECONDS) * 1_000).unref();
}

/** Of this process and of those that it has waited for, where Linux says it. */
function cpuSeconds(): string {
  try {
    const fields = readFileSync("/proc/self/stat", "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return (fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100).toFixed(1);
  } catch {
    return "?";
  }
}
