import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "../dev/embedded-postgres.ts";
import { findPostgresBinaries, startNativePostgres } from "./support/native-postgres.ts";

/**
 * Runs the tests against the PostgreSQL that there is, and says which.
 *
 *     node --import tsx test/run.ts [FILE…]      all files without arguments
 *     TEST_DATABASE_URL=postgres://…             a server on which this user may create databases
 *     TEST_DATABASE=native | embedded            insist on one; native fails where there is none
 */
interface TestServer {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

async function startServer(): Promise<TestServer> {
  const wanted = process.env["TEST_DATABASE"];
  const url = process.env["TEST_DATABASE_URL"];
  if (url !== undefined) {
    return {
      name: "the PostgreSQL of TEST_DATABASE_URL",
      environment: { TEST_SERVER_URL: url },
      stop: async () => {},
    };
  }
  const binaries = wanted === "embedded" ? undefined : findPostgresBinaries();
  if (binaries !== undefined) {
    const { url, version, stop } = await startNativePostgres(binaries);
    return { name: `native PostgreSQL: ${version}`, environment: { TEST_SERVER_URL: url }, stop };
  }
  if (wanted === "native")
    throw new Error("TEST_DATABASE=native, but this machine has no PostgreSQL binaries");
  const template = join(folder, "embedded");
  await (await startEmbeddedPostgres(template)).close();
  const environment = { TEST_EMBEDDED_TEMPLATE: template };
  return { name: "embedded PostgreSQL (PGlite)", environment, stop: async () => {} };
}

const allFiles = () =>
  readdirSync("test", { recursive: true, encoding: "utf8" })
    .filter(file => file.endsWith(".test.ts"))
    .map(file => join("test", file))
    .sort();

const files = process.argv.length > 2 ? process.argv.slice(2) : allFiles();
const folder = mkdtempSync(join(tmpdir(), "maintenance-log-run-"));
const evidence = join(folder, "databases");
writeFileSync(evidence, "");

const server = await startServer();
console.log(`The tests use ${server.name}.`);
const tests = spawn(
  process.execPath,
  [
    "--import",
    "tsx",
    "--test",
    "--test-reporter=spec",
    "--test-concurrency=3",
    "--test-timeout=120000",
    ...files,
  ],
  { stdio: "inherit", env: { ...process.env, ...server.environment, TEST_EVIDENCE: evidence } },
);
const [code] = (await once(tests, "exit")) as [number | null];
await server.stop();

const databases = readFileSync(evidence, "utf8").split("\n").length - 1;
rmSync(folder, { recursive: true });
console.log(`${databases} databases were opened on ${server.name}.`);
// A suite that never opened a database would be green without having shown anything.
process.exitCode = code === 0 && databases === 0 ? 1 : (code ?? 1);
