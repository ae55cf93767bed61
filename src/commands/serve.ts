import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { makeJsonEventLog, stackOf } from "../adapters/json-event-log.ts";
import { LogOutput } from "../adapters/log-output.ts";
import { systemClock } from "../adapters/system-clock.ts";
import type { EventLog } from "../application/clock-and-log.ts";
import { unsuitabilityOf } from "../application/unsuitable-database.ts";
import { readServeSettings } from "../config/settings.ts";
import { causeOf, isUnavailable } from "../domain/error.ts";
import type { CommandContext } from "./command.ts";
import { inheritedSocket, orRefuse } from "./listening.ts";
import { ServedDatabase } from "./served-database.ts";
import { readIdentity, ServedCertificate } from "./served-identity.ts";

const graceMilliseconds = 10_000;
/** How long a stop waits for the end of the log, whose reader may have stalled. */
const flushMilliseconds = 1_000;
/** How long the start waits for the checks of the database before it listens. */
const schemaWaitMilliseconds = 1_000;
const daySeconds = 86_400;

/** `serve`: serves the API until it is asked to stop. It checks the schema and never changes it. */
export async function runServe(context: CommandContext): Promise<void> {
  // Otherwise V8 may allocate the objects of each request as long-lived ones: garbage collection then takes three times as long, and
  // a created log costs a tenth more CPU.
  setFlagsFromString("--no-allocation-site-pretenuring");
  const { environment, version } = context;
  const settings = readServeSettings(environment);
  const { host, port, opsHost, opsPort } = settings;
  const inherited = inheritedSocket(environment, process.pid);
  const identity = readIdentity(settings);
  const certificate = identity && new ServedCertificate(settings, identity);
  const stopRequested = new Promise(resolve => {
    // Once each: the same signal, sent again, has its default effect and ends the process at once.
    for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, resolve);
  });
  // What nobody handled leaves the process in an unknown state. A second one, while it drains, ends it at once.
  const failed = new Promise<never>((_, reject) => process.once("uncaughtException", reject));
  const output = new LogOutput(process.stdout, lines => events.warn("log lines dropped", { lines }));
  const events = makeJsonEventLog(settings.logLevel, systemClock, line => output.write(line));
  failed.catch(error => events.error("unexpected failure", { cause: stackOf(error) }));
  if (settings.trailKey === undefined) events.warn("the trail is not signed", { missing: "TRAIL_KEY" });
  if (settings.tokenLifetimeSeconds > daySeconds) {
    events.warn("TOKEN_EXPIRE_TIME is longer than a day", { seconds: settings.tokenLifetimeSeconds });
  }
  const database = new ServedDatabase(settings);
  const databaseChecked = onceReachable(events, () => database.check());
  // Its findings are reported below, when the rest is loaded.
  databaseChecked.catch(() => {});
  // Loaded while the database responds.
  const { makeService } = await import("./service.ts");
  const service = await makeService(settings, database, {
    version: version(),
    inherited,
    certificate,
    events,
    droppedLogLines: () => output.dropped,
  });
  // Until here, and always without a certificate, only the listener of main.ts takes SIGHUP, and does nothing.
  if (certificate !== undefined) process.on("SIGHUP", () => certificate.renew(events, service.app.renew));
  try {
    if (opsPort !== undefined && service.operations !== undefined) {
      const place = `OPS_HOST ${opsHost}, OPS_PORT ${opsPort}`;
      const chosen = await orRefuse(service.operations.listen(opsPort, opsHost), place);
      events.info("operations listening", { host: opsHost, port: chosen });
    }
    const recordsCompared = databaseChecked.then(() => onceReachable(events, service.compareState));
    // A database that is down must not keep the service from starting. After a request to stop, the service still begins to listen, and the second race ends at once.
    await Promise.race([recordsCompared, stopRequested, failed, sleep(schemaWaitMilliseconds)]);
    const place = inherited === undefined ? `HOST ${host}, PORT ${port}` : "the socket that was passed on";
    const listeningPort = await orRefuse(service.listen(), place);
    events.info("listening", { ...(inherited === undefined && { host }), port: listeningPort });
    // Rejects when the database turns out to be unsuitable, also long after the service has begun to listen.
    const stopAfterStart = recordsCompared.then(service.startTrail).then(() => stopRequested);
    await Promise.race([stopRequested, failed, stopAfterStart]);
    events.info("stopping");
  } finally {
    await service.close(graceMilliseconds);
  }
  events.info("stopped");
  await output.flush(flushMilliseconds);
}

/** Runs a check as soon as the database can be asked; rejects with what the check finds. */
async function onceReachable(events: EventLog, check: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await check();
    } catch (error) {
      const unsuitable = unsuitabilityOf(error);
      if (unsuitable !== undefined || !isUnavailable(error)) throw unsuitable ?? error;
      events.warn("the database is not available", { cause: causeOf(error) });
      await sleep(1_000, undefined, { ref: false });
    }
  }
}
