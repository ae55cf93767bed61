import { createWriteStream } from "node:fs";
import { run } from "node:test";
import { spec, tap } from "node:test/reporters";

/** Runs files of tests in the order that they are given in, which `node --test` does not keep. */
const { TEST_CONCURRENCY = "4", TEST_NAME, TEST_OUTCOMES = "/dev/null", TEST_FILE_SECONDS } = process.env;

const events = run({
  files: process.argv.slice(2),
  concurrency: Number(TEST_CONCURRENCY),
  timeout: Number(TEST_FILE_SECONDS) * 1_000 + 20_000,
  ...(TEST_NAME !== undefined && { testNamePatterns: [new RegExp(TEST_NAME)] }),
});
events.on("test:fail", ({ todo }) => {
  if (todo === undefined || todo === false) process.exitCode = 1;
});
events.compose(new spec()).pipe(process.stdout);
events.compose(tap).pipe(createWriteStream(TEST_OUTCOMES));
