import {
  connect,
  type Database,
  probeLimits,
  serviceLimits,
  trailLimits,
} from "../adapters/postgres/connection/database.ts";
import type { PoolLimits } from "../adapters/postgres/connection/pool.ts";
import { sql } from "../adapters/postgres/connection/statement.ts";
import {
  examine,
  type Finding,
  keepsFromServing,
  refuse,
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
  readonly probe: Database;
  readonly #schema: Schema;
  readonly #use: Use;

  constructor({ databaseUrl, durability }: ServeSettings, sqlFolder: string) {
    const use = { isDurable: durability === "required" };
    const needs = { mayLoseCommits: !use.isDurable, check: sessionCheck(use) };
    const open = (limits: PoolLimits) => connect(databaseUrl, limits, needs);
    this.#use = use;
    this.#schema = readSchema(sqlFolder);
    this.requests = open(serviceLimits);
    this.trail = open(trailLimits);
    // Opened anew now and then: an open connection does not show that the password was changed.
    this.probe = connect(databaseUrl, probeLimits, {
      ...needs,
      keptMilliseconds: 10_000,
    });
  }

  /** Throws UnsuitableDatabase, or UNAVAILABLE. */
  async check(): Promise<void> {
    refuse(await examine(this.requests, this.#schema, this.#use, keepsFromServing));
    // A second connection shows whether a pooler lends them by the transaction.
    await this.trail.query(sql`select 1`);
  }

  /** What is wrong with the database of a running service. Throws UnsuitableDatabase, or UNAVAILABLE. */
  examine(): Promise<readonly Finding[]> {
    return examine(this.probe, this.#schema, this.#use, keepsFromServing);
  }

  async close(): Promise<void> {
    await Promise.all([this.probe.close(), this.trail.close(), this.requests.close()]);
  }
}
