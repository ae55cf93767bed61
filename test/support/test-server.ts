import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "../../dev/embedded-postgres.ts";
import { findPostgresBinaries, makeCluster, startNativePostgres } from "./native-postgres.ts";

/** A PostgreSQL for the tests, and what they must find in their environment to use it. */
export interface TestServer {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Starts the PostgreSQL that TEST_DATABASE asks for, or finds the one of TEST_DATABASE_URL. */
export async function startTestServer(): Promise<TestServer> {
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
    const cluster = makeCluster(binaries);
    const { url, version, stop } = await startNativePostgres(binaries);
    return {
      name: `native PostgreSQL: ${version}`,
      environment: { TEST_SERVER_URL: url, TEST_CLUSTER: cluster.data },
      stop: () => stop().finally(cluster.remove),
    };
  }
  if (wanted === "native")
    throw new Error("TEST_DATABASE=native, but this machine has no PostgreSQL binaries");
  const folder = mkdtempSync(join(tmpdir(), "maintenance-log-template-"));
  const template = join(folder, "embedded");
  await (await startEmbeddedPostgres(template)).close();
  const environment = { TEST_EMBEDDED_TEMPLATE: template };
  return {
    name: "embedded PostgreSQL (PGlite)",
    environment,
    stop: async () => rmSync(folder, { recursive: true }),
  };
}
