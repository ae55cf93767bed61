import { setTimeout as sleep } from "node:timers/promises";
import { makeArgon2PasswordHasher } from "../adapters/argon2-password-hasher.ts";
import { makeJoseTokens } from "../adapters/jose-tokens.ts";
import { makeJsonEventLog } from "../adapters/json-event-log.ts";
import { makeLogOutput } from "../adapters/log-output.ts";
import type { Phase } from "../adapters/ops/figures/readiness.ts";
import { makeRequestMeter } from "../adapters/ops/figures/request-meter.ts";
import type { Operations } from "../adapters/ops/operations-listener.ts";
import { connect, serviceLimits } from "../adapters/postgres/connection/database.ts";
import { makeRepositories } from "../adapters/postgres/repositories/repositories.ts";
import { refuseLossyDatabase } from "../adapters/postgres/schema/durability.ts";
import { refuseOtherEncoding } from "../adapters/postgres/schema/encoding.ts";
import { refuseOtherIsolation } from "../adapters/postgres/schema/isolation.ts";
import { readSchema, refuseOtherSchema } from "../adapters/postgres/schema/migrations.ts";
import { systemClock } from "../adapters/system-clock.ts";
import { makeApp } from "../app.ts";
import type { EventLog } from "../application/ports.ts";
import { readServeSettings } from "../config/settings.ts";
import { isUnavailable } from "../domain/error.ts";
import { CommandError, exitCodes, refuseArguments, type Surroundings } from "./command.ts";
import { inheritedSocket } from "./inherited-socket.ts";
import { followIdentity, readIdentity } from "./served-identity.ts";
import { makeServedTrail } from "./served-trail.ts";

const drainMilliseconds = 10_000;
/** How long the end of the log may take; its reader may have stalled. */
const flushMilliseconds = 1_000;
const schemaWaitMilliseconds = 1_000;
const daySeconds = 86_400;

/** `serve`: serves the API until it is asked to stop. It checks the schema and never changes it. */
export async function runServe(surroundings: Surroundings): Promise<void> {
  const { environment, processId, args, readFile, sqlFolder, version } = surroundings;
  const { untilStopRequested, untilFailure, onReload } = surroundings;
  refuseArguments(args);
  const settings = readServeSettings(environment, readFile);
  const inherited = inheritedSocket(environment, processId);
  const identity = readIdentity(settings);
  if (settings.reusesPort) refuseOldNode(process.versions.node);
  const stopRequested = untilStopRequested();
  const failed = untilFailure();
  const output = makeLogOutput(process.stdout);
  const events = makeJsonEventLog(settings.logLevel, systemClock, output.write);
  output.onRecovery(lines => events.warn("log lines dropped", { lines }));
  failed.catch((error: unknown) => {
    events.error("unexpected failure", { cause: error instanceof Error ? error.stack : String(error) });
  });
  if (settings.trailKey === undefined) events.warn("the trail is not signed", { missing: "TRAIL_KEY" });
  if (settings.tokenLifetimeSeconds > daySeconds) {
    events.warn("TOKEN_EXPIRE_TIME is longer than a day", { seconds: settings.tokenLifetimeSeconds });
  }
  const { host, port } = settings;
  const schema = readSchema(sqlFolder);
  const database = connect(settings.databaseUrl, serviceLimits, settings.preparesStatements);
  const passwords = makeArgon2PasswordHasher();
  const meter = makeRequestMeter();
  const repositories = makeRepositories(database);
  const trail = makeServedTrail(settings, repositories.trail, events);
  const app = makeApp(
    {
      ...repositories,
      passwords,
      tokens: await makeJoseTokens(
        { ...settings, lifetimeSeconds: settings.tokenLifetimeSeconds },
        systemClock,
      ),
      events,
      clock: systemClock,
    },
    trail.reader,
    { ...settings, identity },
    meter,
  );
  const following = identity && followIdentity(settings, identity, events, app.renew);
  // systemctl reload sends SIGHUP, which would end the process without a listener.
  if (following !== undefined || inherited !== undefined) onReload(() => following?.look());
  let phase: Phase = "starting";
  let operations: Operations | undefined;
  try {
    const { opsHost, opsPort } = settings;
    if (opsPort !== undefined) {
      // A part of the start that most services do without.
      const { makeServiceOperations } = await import("./watched-service.ts");
      operations = makeServiceOperations({
        figures: () => ({
          at: systemClock.now(),
          version,
          ...meter.read(),
          droppedLogLines: output.dropped(),
          http: app.load(),
          database: database.load(),
          passwords: passwords.load(),
          trail: trail.state(),
        }),
        checkpoint: trail.checkpoint,
        databaseUrl: settings.databaseUrl,
        preparesStatements: settings.preparesStatements,
        schema,
        phase: () => phase,
        events,
      });
      const opsListeningPort = await orRefuse(
        operations.listen(opsPort, opsHost),
        `OPS_HOST ${opsHost}, OPS_PORT ${opsPort}`,
      );
      events.info("operations listening", { host: opsHost, port: opsListeningPort });
    }
    const databaseChecked = onceReachable(events, async () => {
      await refuseOtherEncoding(database);
      await refuseOtherIsolation(database);
      await refuseOtherSchema(database, schema);
      if (settings.durability === "required") await refuseLossyDatabase(database);
      trail.start();
    });
    // A database that is down must not keep the service from starting.
    await Promise.race([databaseChecked, stopRequested, failed, sleep(schemaWaitMilliseconds)]);
    const listeningPort =
      inherited === undefined
        ? await orRefuse(app.listen(port, host, settings.reusesPort), `HOST ${host}, PORT ${port}`)
        : await orRefuse(app.listenOn(inherited), "the socket that was passed on");
    phase = "serving";
    events.info("listening", { ...(inherited === undefined && { host }), port: listeningPort });
    await Promise.race([stopRequested, failed, databaseChecked.then(() => stopRequested)]);
    events.info("stopping");
  } finally {
    phase = "draining";
    following?.stop();
    await app.close(drainMilliseconds);
    await trail.stop();
    await operations?.close();
    await database.close();
  }
  events.info("stopped");
  await output.flush(flushMilliseconds);
}

/** Before Node 22.12 the second process would be told that the port is in use. */
function refuseOldNode(version: string): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 12)) return;
  throw new CommandError(
    exitCodes.settings,
    `REUSE_PORT needs Node 22.12 or newer, and this is Node ${version}`,
  );
}

/** Runs a check as soon as the database can be asked; rejects with what the check finds. */
async function onceReachable(events: EventLog, check: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      events.warn("the database is not available", { cause: (error.cause as Error).message });
      await sleep(1_000, undefined, { ref: false });
    }
  }
}

/** Throws CommandError when there can be no listening there. */
async function orRefuse(listening: Promise<number>, place: string): Promise<number> {
  try {
    return await listening;
  } catch (error) {
    const reason = reasonOf(error as NodeJS.ErrnoException);
    throw new CommandError(exitCodes.failure, `cannot listen on ${place}: ${reason}`);
  }
}

function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.code === "EADDRINUSE") return "another process is listening there";
  if (error.code === "EADDRNOTAVAIL") return "the host is not an address of this machine";
  if (error.code === "EACCES") return "this user may not listen there";
  if (error.syscall === "getaddrinfo") return "the host is a name that cannot be resolved";
  return error.message;
}
