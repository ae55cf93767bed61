import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { connect } from "../adapters/postgres/connection/database.ts";
import { makeTrailRepository } from "../adapters/postgres/trail/trail-repository.ts";
import { makeStateFile } from "../adapters/state-file.ts";
import { systemClock } from "../adapters/system-clock.ts";
import { trailCrypto } from "../adapters/trail-crypto.ts";
import type { EventLog } from "../application/ports.ts";
import { makeTrail, type Trail } from "../application/trail/trail.ts";
import type { TrailRepository } from "../application/trail/trail-repository.ts";
import type { SignerKey } from "../domain/trail/note.ts";
import type { Access } from "./command-database.ts";

/** Connections of its own, one for numbering and one for the background reading, so that requests never wait for these. */
const trailLimits = { connections: 2, deadlineMilliseconds: 10_000, waiting: 10 };

interface TrailSettings extends Access {
  readonly trailKey: SignerKey | undefined;
  readonly trailStateFile: string | undefined;
}

/** @param requestTrail for requests */
export function makeServedTrail(
  settings: TrailSettings,
  requestTrail: TrailRepository,
  events: EventLog,
): Trail {
  const { databaseUrl, preparesStatements, trailKey: key, trailStateFile } = settings;
  const database = connect(databaseUrl, trailLimits, preparesStatements);
  const trail = makeTrail({
    trail: makeTrailRepository(database),
    requestTrail,
    crypto: trailCrypto,
    key,
    remembered: trailStateFile === undefined ? undefined : makeStateFile(trailStateFile),
    events,
    clock: systemClock,
    turn,
    pause: sleep,
  });
  return {
    ...trail,
    async stop() {
      await trail.stop();
      await database.close();
    },
  };
}
