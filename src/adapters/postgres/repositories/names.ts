import { batched } from "../batching/batch.ts";
import type { Database } from "../connection/database.ts";
import { idArray, sql } from "../connection/statement.ts";

/** The full name in a row of employee. */
export const fullName = sql`first_name || ' ' || last_name`;

type Kind = "assets" | "performers";

/** By id, a fragment of JSON: what the logs of an asset or a performer have in common, from the end of the comment on. */
export type Names = Readonly<Record<Kind, Map<number, Uint8Array>>>;

export const nameJson: Readonly<Record<Kind, (id: number, name: string) => Uint8Array>> = {
  assets: (id, name) => Buffer.from(`","assetId":${id},"assetName":${JSON.stringify(name)}`),
  performers: (id, name) =>
    Buffer.from(`,"performedByEmployeeId":${id},"performedByName":${JSON.stringify(name)}}`),
};

/** Assets and performers of some logs. */
export type References = Readonly<Record<Kind, ReadonlySet<number>>>;

/** How long a name is used: changes by other processes are seen within this time. */
const recentMilliseconds = 500;
const mostNames = 10_000;

/** The names in lists of logs, which all lists share: reading them for each page would cost 40 % of its statement. */
export class SharedNames {
  readonly #now: () => number;
  readonly #read: (missing: Missing) => Promise<readonly NamedJson[]>;
  #recent: Names = none();
  #since: number;

  constructor({ query }: Pick<Database, "query">, now = () => performance.now()) {
    this.#now = now;
    this.#since = now();
    this.#read = batched({ query: query<NamedRow>, statementFor: namesOf, resultsOf: jsonForEach });
  }

  /** Drops all names, so that a change by this process shows at once. A page that is reading names now uses those, which may be older. */
  forget(): void {
    this.#recent = none();
    this.#since = this.#now();
  }

  /** @param preset the names of a kind that the page has read itself: all that its logs need, so the shared ones of that kind are not used */
  async of(ids: References, preset: Partial<Names> = {}): Promise<Names> {
    const { assets, performers } = this.#recent;
    if (this.#now() - this.#since > recentMilliseconds || assets.size + performers.size > mostNames)
      this.forget();
    // If `forget` is called meanwhile, these maps get the names, and no later page sees them.
    const names = { ...this.#recent, ...preset };
    const missing = (kind: Kind) => [...ids[kind]].filter(id => !names[kind].has(id));
    const unnamed = { assets: missing("assets"), performers: missing("performers") };
    if (unnamed.assets.length + unnamed.performers.length > 0)
      for (const { kind, id, json } of await this.#read(unnamed)) names[kind].set(id, json);
    return names;
  }
}

const none = (): Names => ({ assets: new Map(), performers: new Map() });

/** Ids whose names are missing. */
type Missing = Readonly<Record<Kind, readonly number[]>>;

interface NamedRow {
  readonly kind: Kind;
  readonly id: number;
  readonly name: string;
}
type NamedJson = Omit<NamedRow, "name"> & { readonly json: Uint8Array };

function namesOf(calls: readonly Missing[]) {
  // Joined: PostgreSQL would read the text of an array anew for each row that it compares with `= any`.
  const wanted = (kind: Kind) =>
    sql`unnest(${idArray(new Set(calls.flatMap(missing => missing[kind])))}) as wanted (id)`;
  // A log is shown also when its asset or performer is gone.
  return sql`
    select 'assets' as kind, id, coalesce(name, '') as name from ${wanted("assets")} left join asset using (id)
    union all
    select 'performers', id, coalesce(${fullName}, '') from ${wanted("performers")} left join employee using (id)`;
}

/** Each call gets the names of all. */
function jsonForEach(rows: readonly NamedRow[], calls: readonly Missing[]): readonly NamedJson[][] {
  const named = rows.map(({ kind, id, name }) => ({ kind, id, json: nameJson[kind](id, name) }));
  return calls.map(() => named);
}
