import { setTimeout as sleep } from "node:timers/promises";
import { makeArgon2PasswordHasher } from "../adapters/argon2-password-hasher.ts";
import { makeJoseTokens } from "../adapters/jose-tokens.ts";
import { stackOf } from "../adapters/json-event-log.ts";
import { type DatabaseState, makeReadiness, type Phase } from "../adapters/ops/figures/readiness.ts";
import { makeRequestMeter } from "../adapters/ops/figures/request-meter.ts";
import { makeOperations } from "../adapters/ops/operations-listener.ts";
import {
  connect,
  probeLimits,
  serviceLimits,
  trailLimits,
} from "../adapters/postgres/connection/database.ts";
import type { PoolLimits } from "../adapters/postgres/connection/pool.ts";
import { makeRepositories } from "../adapters/postgres/repositories/repositories.ts";
import { examine, type Finding, refuse, sessionCheck } from "../adapters/postgres/schema/examination.ts";
import { readSchema } from "../adapters/postgres/schema/migrations.ts";
import type { ServerIdentity } from "../adapters/server-identity.ts";
import { systemClock } from "../adapters/system-clock.ts";
import { trailCrypto } from "../adapters/trail-crypto.ts";
import { makeStateFile } from "../adapters/trail-state-file.ts";
import { makeApp } from "../app.ts";
import type { CertificateState } from "../application/figures.ts";
import type { EventLog } from "../application/process.ts";
import { makeTrail } from "../application/trail/trail.ts";
import { unsuitabilityOf } from "../application/unsuitable-database.ts";
import type { ServeSettings } from "../config/settings.ts";
import { isUnavailable } from "../domain/error.ts";
import { faultOf } from "../domain/trail/encoding.ts";
import { compareStateFile } from "./command-database.ts";

/** What the service gets from the process that runs it. */
interface ServiceContext {
  readonly identity: ServerIdentity | undefined;
  /** Undefined without TLS. */
  readonly certificate: () => CertificateState | undefined;
  readonly events: EventLog;
  readonly droppedLogLines: () => number;
  readonly version: string;
  readonly sqlFolder: string;
  readonly phase: () => Phase;
}

/** The parts of `serve`, put together. None of them listens, and the database is not asked yet. */
export async function makeService(settings: ServeSettings, context: ServiceContext) {
  const { events, sqlFolder, version, droppedLogLines, phase, identity, certificate } = context;
  const { databaseUrl, preparesStatements, durability, host, port, trailStateFile } = settings;
  const reachable = /^(0\.0\.0\.0|::)$/.test(host) ? "localhost" : host.includes(":") ? `[${host}]` : host;
  const schema = readSchema(sqlFolder);
  const use = { isPooled: !preparesStatements, isDurable: durability === "required" };
  const needs = { mayLoseCommits: !use.isDurable, check: sessionCheck(use) };
  const open = (limits: PoolLimits) => connect(databaseUrl, limits, preparesStatements, needs);
  const database = open(serviceLimits);
  const passwords = makeArgon2PasswordHasher();
  const meter = makeRequestMeter();
  const repositories = makeRepositories(database);
  const trailDatabase = open(trailLimits);
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
  const probe = open(probeLimits);
  const operations = makeOperations({
    figures: () => ({
      at: systemClock.now(),
      version,
      ...meter.read(),
      droppedLogLines: droppedLogLines(),
      http: app.load(),
      certificate: certificate(),
      database: database.load(),
      passwords: passwords.load(),
      trail: trail.state(),
    }),
    checkpoint: trail.checkpoint,
    apiAddress: `${identity === undefined ? "http" : "https"}://${reachable}:${port}`,
    readiness: makeReadiness(phase, () => stateOf(examine(probe, schema, use))),
    failed: (event, error) => events.error(event, { cause: stackOf(error) }),
  });
  return {
    app,
    operations,

    /** Throws UnsuitableDatabase, or UNAVAILABLE. Starts the trail when the database can be used. */
    async checkDatabase(): Promise<void> {
      refuse(await examine(database, schema, use));
      // What else the file says is for whoever signs.
      await compareStateFile(database, trailStateFile).catch(faultOf);
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
async function stateOf(examination: Promise<readonly Finding[]>): Promise<DatabaseState> {
  try {
    const broken = (await examination).filter(({ promise }) => /^(refuses|not ready)$/.test(promise.broken));
    const others = broken.filter(({ promise }) => promise.name !== "writes").map(({ words }) => words);
    const database = others.length < broken.length ? "takes no writes" : "ok";
    return { database, schema: others.join("; ") || "ok" };
  } catch (error) {
    const unsuitable = unsuitabilityOf(error);
    if (unsuitable !== undefined) return { database: "ok", schema: unsuitable.message };
    if (isUnavailable(error)) return { database: "not available", schema: "unknown" };
    throw error;
  }
}
