import { setTimeout as sleep } from "node:timers/promises";
import { makeArgon2PasswordHasher } from "../adapters/argon2-password-hasher.ts";
import { makeJoseTokens } from "../adapters/jose-tokens.ts";
import { stackOf } from "../adapters/json-event-log.ts";
import { type DatabaseState, makeReadiness, type Phase } from "../adapters/ops/figures/readiness.ts";
import { makeRequestMeter } from "../adapters/ops/figures/request-meter.ts";
import { makeOperations } from "../adapters/ops/operations-listener.ts";
import {
  connect,
  type Database,
  probeLimits,
  serviceLimits,
  trailLimits,
} from "../adapters/postgres/connection/database.ts";
import { makeRepositories } from "../adapters/postgres/repositories/repositories.ts";
import { readSchema, refuseOtherSchema, type Schema } from "../adapters/postgres/schema/migrations.ts";
import {
  isReadOnly,
  refuseLossyDatabase,
  refuseOtherEncoding,
  refuseOtherIsolation,
} from "../adapters/postgres/schema/server-settings.ts";
import type { ServerIdentity } from "../adapters/server-identity.ts";
import { systemClock } from "../adapters/system-clock.ts";
import { trailCrypto } from "../adapters/trail-crypto.ts";
import { makeStateFile } from "../adapters/trail-state-file.ts";
import { makeApp } from "../app.ts";
import type { EventLog } from "../application/ports.ts";
import { makeTrail } from "../application/trail/trail.ts";
import { UnsuitableDatabase } from "../application/unsuitable-database.ts";
import type { ServeSettings } from "../config/settings.ts";
import { DomainError } from "../domain/error.ts";

/** What the service is told by the process that runs it. */
interface ServiceContext {
  readonly identity: ServerIdentity | undefined;
  readonly events: EventLog;
  readonly droppedLogLines: () => number;
  readonly version: string;
  readonly sqlFolder: string;
  readonly phase: () => Phase;
}

/** The parts of `serve`, put together. None of them listens, and the database is not asked yet. */
export async function makeService(settings: ServeSettings, given: ServiceContext) {
  const { events, sqlFolder, version, droppedLogLines, phase, identity } = given;
  const { databaseUrl, preparesStatements, durability, host, port, trailStateFile } = settings;
  const reachable = /^(0\.0\.0\.0|::)$/.test(host) ? "localhost" : host.includes(":") ? `[${host}]` : host;
  const schema = readSchema(sqlFolder);
  const database = connect(databaseUrl, serviceLimits, preparesStatements);
  const passwords = makeArgon2PasswordHasher();
  const meter = makeRequestMeter();
  const repositories = makeRepositories(database);
  const trailDatabase = connect(databaseUrl, trailLimits, preparesStatements);
  const trail = makeTrail({
    trail: makeRepositories(trailDatabase).trail,
    requestTrail: repositories.trail,
    crypto: trailCrypto,
    key: settings.trailKey,
    remembered: trailStateFile === undefined ? undefined : makeStateFile(trailStateFile),
    events,
    clock: systemClock,
    pause: sleep,
  });
  const tokens = await makeJoseTokens(settings, systemClock);
  const ports = { ...repositories, passwords, tokens, events, clock: systemClock };
  const app = makeApp(ports, trail.published, { ...settings, identity }, meter);

  // A connection of its own, so that a service whose connections are all in use is slow, but not said to be without one.
  const probe = connect(databaseUrl, probeLimits, preparesStatements);
  const operations = makeOperations({
    figures: () => ({
      at: systemClock.now(),
      version,
      ...meter.read(),
      droppedLogLines: droppedLogLines(),
      http: app.load(),
      database: database.load(),
      passwords: passwords.load(),
      trail: trail.state(),
    }),
    checkpoint: trail.checkpoint,
    apiAddress: `${identity === undefined ? "http" : "https"}://${reachable}:${port}`,
    readiness: makeReadiness(phase, () => stateOf(probe, schema)),
    failed: error => events.error("operations request failed", { cause: stackOf(error) }),
  });
  return {
    app,
    operations,

    /** Throws UnsuitableDatabase, or UNAVAILABLE. Starts the trail when the database can be used. */
    async checkDatabase(): Promise<void> {
      await refuseOtherEncoding(database);
      await refuseOtherIsolation(database);
      await refuseOtherSchema(database, schema);
      if (durability === "required") await refuseLossyDatabase(database);
      trail.start();
    },

    async close(drainMilliseconds: number): Promise<void> {
      await app.close(drainMilliseconds);
      await trail.stop();
      await operations.close();
      await Promise.all([probe.close(), trailDatabase.close(), database.close()]);
    },
  };
}

/** Without a driver's message, because any client of the operations listener may read this. */
async function stateOf(database: Database, schema: Schema): Promise<DatabaseState> {
  try {
    await refuseOtherSchema(database, schema);
    return { database: (await isReadOnly(database)) ? "takes no writes" : "ok", schema: "ok" };
  } catch (error) {
    if (error instanceof UnsuitableDatabase) return { database: "ok", schema: error.message };
    if (error instanceof DomainError) return { database: "not available", schema: "unknown" };
    throw error;
  }
}
