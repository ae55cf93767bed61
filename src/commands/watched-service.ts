import { type DatabaseState, makeReadiness, type Phase } from "../adapters/ops/figures/readiness.ts";
import { makeOperations, type Operations, type Sources } from "../adapters/ops/operations-listener.ts";
import { connect, type Database, probeLimits } from "../adapters/postgres/connection/database.ts";
import { refuseOtherSchema, type Schema, UnfitError } from "../adapters/postgres/schema/migrations.ts";
import { isReadOnly } from "../adapters/postgres/schema/rights.ts";
import type { EventLog } from "../application/ports.ts";
import { DomainError } from "../domain/error.ts";
import type { Access } from "./command-database.ts";

interface Watched extends Omit<Sources, "readiness">, Access {
  readonly schema: Schema;
  readonly phase: () => Phase;
  readonly events: EventLog;
}

/** The operations listener over the parts of a service that it watches. */
export function makeServiceOperations(watched: Watched): Operations {
  const { databaseUrl, preparesStatements, schema, phase, events, ...sources } = watched;
  // A connection of its own, so that a service whose connections are all in use is slow, but not said to be without one.
  const probe = connect(databaseUrl, probeLimits, preparesStatements);
  const readiness = makeReadiness(phase, () => examine(probe, schema));
  const operations = makeOperations({ ...sources, readiness }, cause =>
    events.error("operations request failed", {
      cause: cause instanceof Error ? cause.stack : String(cause),
    }),
  );
  return {
    ...operations,
    async close() {
      await operations.close();
      await probe.close();
    },
  };
}

/** Without a driver's message, because any client of the listener may read this. */
async function examine(database: Database, schema: Schema): Promise<DatabaseState> {
  try {
    await refuseOtherSchema(database, schema);
    if (await isReadOnly(database)) return { database: "takes no writes", schema: "ok" };
    return { database: "ok", schema: "ok" };
  } catch (error) {
    if (error instanceof UnfitError) return { database: "ok", schema: error.message };
    if (error instanceof DomainError) return { database: "not available", schema: "unknown" };
    throw error;
  }
}
