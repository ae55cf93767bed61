import { makeConfirmReads } from "../adapters/postgres/batching/confirm.ts";
import {
  connect,
  type Database,
  probeLimits,
  serviceLimits,
  trailLimits,
} from "../adapters/postgres/connection/database.ts";
import type { PoolLimits } from "../adapters/postgres/connection/pool.ts";
import { DatabaseServers } from "../adapters/postgres/connection/servers.ts";
import type { SessionNeeds } from "../adapters/postgres/connection/session.ts";
import { sql } from "../adapters/postgres/connection/statement.ts";
import {
  examine,
  type Finding,
  keepsFromServing,
  refuseToStart,
  sessionCheck,
} from "../adapters/postgres/schema/examination.ts";
import { readSchema, type Schema } from "../adapters/postgres/schema/migrations.ts";
import type { Use } from "../adapters/postgres/schema/promises.ts";
import type { ServeSettings } from "../config/settings.ts";

/** The connections of `serve` to its database, and what the database must be. */
export class ServedDatabase {
  readonly requests: Database;
  /** A connection of its own, so that no request waits for the trail. */
  readonly trail: Database;
  /** Another one for `/readyz`, so that a service whose connections are all in use counts as slow, not as without a database. */
  readonly #probe: Database;
  readonly #schema: Schema;
  readonly #use: Use;
  readonly #confirmReads: () => Promise<void>;

  constructor({ databaseUrl, databaseUse: use }: Pick<ServeSettings, "databaseUrl" | "databaseUse">) {
    const needs = { mayLoseCommits: !use.isDurable, check: sessionCheck(use) };
    const servers = new DatabaseServers(databaseUrl);
    const open = (limits: PoolLimits, more: SessionNeeds = {}) =>
      connect(databaseUrl, limits, { ...needs, ...more }, servers);
    this.#use = use;
    this.#schema = readSchema();
    this.requests = open(serviceLimits);
    this.trail = open(trailLimits);
    // Opened anew now and then: an open connection does not show that the password was changed.
    this.#probe = open(probeLimits, { keptMilliseconds: 10_000 });
    this.#confirmReads = makeConfirmReads(this.#probe);
  }

  /** Throws UnsuitableDatabase, or UNAVAILABLE. */
  async check(): Promise<void> {
    refuseToStart(await examine(this.requests, this.#schema, this.#use, keepsFromServing));
    // Opens a second connection: `refuseLent` throws UnsuitableDatabase where a pooler gives it the session of the first.
    await this.trail.query(sql`select 1`);
  }

  /** What is wrong with the database of a running service. Throws UnsuitableDatabase, or UNAVAILABLE. */
  async examine(): Promise<readonly Finding[]> {
    const findings = await examine(this.#probe, this.#schema, this.#use, keepsFromServing);
    // A replaced leader still responds. Only the commit that `confirmReads` makes shows that no standby confirms its writes.
    if (findings.length === 0) await this.#confirmReads();
    return findings;
  }

  async close(): Promise<void> {
    await Promise.all([this.#probe.close(), this.trail.close(), this.requests.close()]);
  }
}
