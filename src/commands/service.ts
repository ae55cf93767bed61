import { setTimeout as sleep } from "node:timers/promises";
import { makeArgon2PasswordHasher } from "../adapters/argon2-password-hasher.ts";
import { makeJoseTokens } from "../adapters/jose-tokens.ts";
import { stackOf } from "../adapters/json-event-log.ts";
import { makeReadiness, type ReadState, type ServicePhase } from "../adapters/ops/figures/readiness.ts";
import { makeRequestMeter } from "../adapters/ops/figures/request-meter.ts";
import type { Sources } from "../adapters/ops/operations-listener.ts";
import { makeRepositories } from "../adapters/postgres/repositories/repositories.ts";
import type { Finding } from "../adapters/postgres/schema/examination.ts";
import { systemClock } from "../adapters/system-clock.ts";
import { makeStateFile } from "../adapters/trail-state-file.ts";
import { makeApp } from "../app.ts";
import type { EventLog } from "../application/clock-and-log.ts";
import { makeTrail } from "../application/trail/trail.ts";
import { unsuitabilityOf } from "../application/unsuitable-database.ts";
import type { ServeSettings } from "../config/settings.ts";
import { causeOf, isUnavailable } from "../domain/error.ts";
import { rethrowUnlessTrailError } from "../domain/trail/encoding.ts";
import { compareStateFile } from "./command-database.ts";
import type { ServedDatabase } from "./served-database.ts";
import type { ServedCertificate } from "./served-identity.ts";

/** What the service gets from the process that runs it. */
interface ServiceContext {
  /** Undefined without TLS. */
  readonly certificate: ServedCertificate | undefined;
  /** The descriptor of the socket that was passed on, if one was. */
  readonly inherited: number | undefined;
  readonly events: EventLog;
  readonly droppedLogLines: () => number;
  readonly version: string;
}

/** The parts of `serve`, put together. None of them listens, or asks the database anything yet. */
export async function makeService(
  settings: ServeSettings,
  database: ServedDatabase,
  context: ServiceContext,
) {
  const { events, version, droppedLogLines, certificate, inherited } = context;
  const { host, port, opsPort, trailStateFile } = settings;
  let phase: ServicePhase = "starting";
  const passwords = makeArgon2PasswordHasher();
  const meter = makeRequestMeter();
  const repositories = makeRepositories(database.requests);
  const trail = makeTrail({
    trail: makeRepositories(database.trail).trail,
    requestTrail: repositories.trail,
    key: settings.trailKey,
    stateFile: trailStateFile === undefined ? undefined : makeStateFile(trailStateFile),
    events,
    clock: systemClock,
    pause: sleep,
  });
  const tokens = await makeJoseTokens(settings, systemClock);
  const ports = { ...repositories, passwords, tokens, events, clock: systemClock };
  const app = makeApp(ports, trail.published, { ...settings, identity: certificate?.current }, meter);

  /** A socket that was passed on has an address of its own. */
  const apiAddress = () => {
    const listening = app.address() ?? { address: host, port };
    const name = inherited === undefined ? host : listening.address;
    const reachable = /^(0\.0\.0\.0|::)$/.test(name) ? "localhost" : name.includes(":") ? `[${name}]` : name;
    return `${certificate === undefined ? "http" : "https"}://${reachable}:${listening.port}`;
  };

  const sources: Sources = {
    figures: () => ({
      at: systemClock.now(),
      version,
      ...meter.read(),
      droppedLogLines: droppedLogLines(),
      http: app.load(),
      certificate: certificate?.state(),
      database: database.requests.load(),
      passwords: passwords.load(),
      trail: trail.state(),
    }),
    checkpoint: trail.checkpoint,
    now: systemClock.now,
    apiAddress,
    readiness: makeReadiness(
      () => phase,
      () => stateOf(database.examine()),
      state => events.warn("database not ready", { ...state }),
    ),
    failed: (event, error) => events.error(event, { cause: stackOf(error) }),
  };
  const operations = opsPort === undefined ? undefined : await operationsOf(sources);
  return {
    app,
    operations,

    /** Resolves to the port. */
    async listen(): Promise<number> {
      const chosen = await (inherited === undefined ? app.listen(port, host) : app.listenOn(inherited));
      phase = "serving";
      return chosen;
    },

    /** Throws UnsuitableDatabase if the database has lost all that TRAIL_STATE_FILE remembers, or UNAVAILABLE. */
    async compareState(): Promise<void> {
      // A TrailError is left to the signing, which reports it.
      await compareStateFile(database.requests, trailStateFile).catch(rethrowUnlessTrailError);
    },

    startTrail: trail.start,

    async close(graceMilliseconds: number): Promise<void> {
      phase = "draining";
      await app.close(graceMilliseconds);
      await trail.stop();
      await operations?.close();
      await database.close();
    },
  };
}

/** Loads the code of the operations listener only if it is on, because loading is most of the time of a start. */
const operationsOf = async (sources: Sources) =>
  (await import("../adapters/ops/operations-listener.ts")).makeOperations(sources);

/** Only `cause` may have a message of the driver: it is logged, and no client of the operations listener reads it. */
export async function stateOf(examination: Promise<readonly Finding[]>): Promise<ReadState> {
  try {
    const broken = await examination;
    const others = broken.filter(({ promise }) => promise.name !== "writes").map(({ words }) => words);
    const database = broken.some(({ promise }) => promise.name === "writes") ? "takes no writes" : "ok";
    return { database, schema: others.join("; ") || "ok" };
  } catch (error) {
    const unsuitable = unsuitabilityOf(error);
    if (unsuitable !== undefined) return { database: "ok", schema: unsuitable.message };
    if (isUnavailable(error)) return { database: "not available", schema: "unknown", cause: causeOf(error) };
    return { database: "fails", schema: "unknown", cause: stackOf(error) };
  }
}
