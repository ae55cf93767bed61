import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "../adapters/postgres/connection/database.ts";
import { makeTrailStore } from "../adapters/postgres/trail/trail-store.ts";
import { makeStateFile } from "../adapters/state-file.ts";
import { systemClock } from "../adapters/system-clock.ts";
import { trailCrypto } from "../adapters/trail-crypto.ts";
import type { EventLog } from "../application/ports.ts";
import type { TrailStore } from "../application/trail/ports.ts";
import { makeTrail, type Trail } from "../application/trail/trail.ts";
import type { SignerKey } from "../domain/trail/note.ts";
import type { Access } from "./command-database.ts";

/** A connection of its own, so that requests never wait for numbering. A look over ten million records takes 10 s. */
const trailLimits = { connections: 1, deadlineMilliseconds: 60_000, waiting: 10 };

interface TrailSettings extends Access {
  readonly trailKey: SignerKey | undefined;
  readonly trailStateFile: string | undefined;
}

/** @param requestTrail for requests */
export function makeServedTrail(settings: TrailSettings, requestTrail: TrailStore, events: EventLog): Trail {
  const { databaseUrl, preparesStatements, trailKey: key, trailStateFile } = settings;
  const database = connect(databaseUrl, trailLimits, preparesStatements);
  const trail = makeTrail({
    trail: makeTrailStore(database),
    requestTrail,
    crypto: trailCrypto,
    key,
    remembered: trailStateFile === undefined ? undefined : makeStateFile(trailStateFile),
    events,
    clock: systemClock,
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
