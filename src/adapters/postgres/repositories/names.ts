import { batched } from "../batching/batch.ts";
import type { Database } from "../connection/database.ts";
import { sql } from "../connection/statement.ts";

/** What the logs of an asset or a performer have in common, as JSON, by id. */
export interface Names {
  readonly assets: Map<number, Uint8Array>;
  readonly performers: Map<number, Uint8Array>;
}

/** Ids whose names are not known. */
export interface Nameless {
  readonly assets: Set<number>;
  readonly performers: Set<number>;
}

/** A name is used for so long, so that changes by other processes are seen within this time. */
const recentMilliseconds = 500;
const mostNames = 10_000;

/** The names in lists of logs, which all lists share: to read them for each page would cost 40 % of its statement. */
export function makeSharedNames({ query }: Database, now = () => performance.now()) {
  let names: Names;
  let since: number;
  function forget(): void {
    names = { assets: new Map(), performers: new Map() };
    since = now();
  }
  forget();

  type Reading = Nameless & { readonly names: Names };
  const idsOf = (readings: readonly Reading[], kind: keyof Nameless) =>
    `{${[...new Set(readings.flatMap(reading => [...reading[kind]]))]}}`;
  const read = batched(
    query<{ kind: keyof Names; id: number; name: string }>,
    (readings: readonly Reading[]) => sql`
      select 'assets' as kind, id, name from asset where id = any (${idsOf(readings, "assets")}::text::bigint[])
      union all
      select 'performers', id, first_name || ' ' || last_name from employee
      where id = any (${idsOf(readings, "performers")}::text::bigint[])`,
    (rows, readings) => {
      for (const { names, assets, performers } of readings) {
        // A log is shown also when its asset or performer is gone.
        for (const id of assets) names.assets.set(id, assetJson(id, ""));
        for (const id of performers) names.performers.set(id, performerJson(id, ""));
        for (const { kind, id, name } of rows) {
          names[kind].set(id, kind === "assets" ? assetJson(id, name) : performerJson(id, name));
        }
      }
      return readings;
    },
  );

  return {
    forget,

    known(): Names {
      const { assets, performers } = names;
      if (now() - since > recentMilliseconds || assets.size + performers.size > mostNames) forget();
      return names;
    },

    /** Adds the names that are missing there. */
    read: (names: Names, missing: Nameless): Promise<unknown> => read({ names, ...missing }),
  };
}

export type SharedNames = ReturnType<typeof makeSharedNames>;

export const assetJson = (id: number, name: string): Uint8Array =>
  Buffer.from(`","assetId":${id},"assetName":${JSON.stringify(name)}`);
export const performerJson = (id: number, name: string): Uint8Array =>
  Buffer.from(`,"performedByEmployeeId":${id},"performedByName":${JSON.stringify(name)}}`);
