import { batched } from "../batching/batch.ts";
import type { Database } from "../connection/database.ts";
import { sql } from "../connection/statement.ts";

/** By id, a fragment of JSON: what the logs of an asset or a performer have in common, from the end of the comment on. */
export interface Names {
  readonly assets: Map<number, Uint8Array>;
  readonly performers: Map<number, Uint8Array>;
}

/** Assets and performers of some logs. */
export type Ids = { readonly [Kind in keyof Names]: ReadonlySet<number> };

/** A name is used for so long, so that changes by other processes are seen within this time. */
const recentMilliseconds = 500;
const mostNames = 10_000;

/** The names in lists of logs, which all lists share: to read them for each page would cost 40 % of its statement. */
export class SharedNames {
  readonly #now: () => number;
  readonly #read: (reading: Reading) => Promise<unknown>;
  #known: Names = none();
  #since: number;

  constructor({ query }: Pick<Database, "query">, now = () => performance.now()) {
    this.#now = now;
    this.#since = now();
    this.#read = batched(query<NamedRow>, namesOf, addNames);
  }

  forget(): void {
    this.#known = none();
    this.#since = this.#now();
  }

  /** The names of these, and perhaps of others; a kind of which names are preset has just those. */
  async of(ids: Ids, preset: Partial<Names> = {}): Promise<Names> {
    const { assets, performers } = this.#known;
    if (this.#now() - this.#since > recentMilliseconds || assets.size + performers.size > mostNames)
      this.forget();
    // Names that change while they are read are forgotten, and so is what is added here then.
    const names = this.#known;
    const unknown = (kind: keyof Names) =>
      [...ids[kind]].filter(id => !(preset[kind] ?? names[kind]).has(id));
    const reading = { names, assets: unknown("assets"), performers: unknown("performers") };
    if (reading.assets.length + reading.performers.length > 0) await this.#read(reading);
    return { ...names, ...preset };
  }
}

const none = (): Names => ({ assets: new Map(), performers: new Map() });

/** Ids whose names are to be added to these. */
type Reading = { readonly names: Names } & { readonly [Kind in keyof Names]: readonly number[] };

interface NamedRow {
  readonly kind: keyof Names;
  readonly id: number;
  readonly name: string;
}

function namesOf(readings: readonly Reading[]) {
  const ids = (kind: keyof Names) => `{${[...new Set(readings.flatMap(reading => reading[kind]))]}}`;
  return sql`
    select 'assets' as kind, id, name from asset where id = any (${ids("assets")}::text::bigint[])
    union all
    select 'performers', id, first_name || ' ' || last_name from employee
    where id = any (${ids("performers")}::text::bigint[])`;
}

function addNames(rows: readonly NamedRow[], readings: readonly Reading[]): readonly Reading[] {
  for (const { names, assets, performers } of readings) {
    // A log is shown also when its asset or performer is gone.
    for (const id of assets) names.assets.set(id, assetJson(id, ""));
    for (const id of performers) names.performers.set(id, performerJson(id, ""));
    for (const { kind, id, name } of rows) names[kind].set(id, jsonOf[kind](id, name));
  }
  return readings;
}

export const assetJson = (id: number, name: string): Uint8Array =>
  Buffer.from(`","assetId":${id},"assetName":${JSON.stringify(name)}`);
export const performerJson = (id: number, name: string): Uint8Array =>
  Buffer.from(`,"performedByEmployeeId":${id},"performedByName":${JSON.stringify(name)}}`);

const jsonOf = { assets: assetJson, performers: performerJson };
