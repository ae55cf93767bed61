import type postgres from "postgres";
import type { Database, StatementSource } from "../../src/adapters/postgres/connection/database.ts";
import type { Statement } from "../../src/adapters/postgres/connection/statement.ts";

/** Passes statements on, and tells what was sent. */
export function recording(database: Database): { readonly database: Database; readonly sent: Statement[] } {
  const sent: Statement[] = [];
  const noting = (source: StatementSource) => () => {
    const statement = typeof source === "function" ? source() : source;
    sent.push(statement);
    return statement;
  };
  return {
    sent,
    database: {
      ...database,
      query: source => database.query(noting(source)),
      queryBytes: source => database.queryBytes(noting(source)),
    },
  };
}

/** A value as it is written in SQL. */
export const literal = (value: unknown): string =>
  value === null ? "null" : `'${String(value).replaceAll("'", "''")}'`;

/** What one node of a plan did. */
export interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Actual Rows"?: number;
  readonly "Actual Loops"?: number;
  readonly "Rows Removed by Filter"?: number;
}

type Plan = PlanNode & { readonly Plans?: readonly Plan[] };

/** Runs a statement, in a transaction that is undone. */
export async function explain(
  owner: postgres.Sql,
  { text, values }: Statement,
  planMode = "auto",
): Promise<readonly PlanNode[]> {
  const given = values.length === 0 ? "" : `(${values.map(literal)})`;
  const nodesOf = (plan: Plan): PlanNode[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
  try {
    await owner.unsafe(`
      begin; set local plan_cache_mode = ${planMode}; set local max_parallel_workers_per_gather = 0;
      prepare explained as ${text}`);
    const [row] = await owner.unsafe(`explain (analyze, timing off, format json) execute explained${given}`);
    const shown = row?.["QUERY PLAN"];
    // It is text where the driver does not read JSON.
    const [{ Plan: plan }] = (typeof shown === "string" ? JSON.parse(shown) : shown) as [{ Plan: Plan }];
    return nodesOf(plan);
  } finally {
    await owner.unsafe("rollback; deallocate all");
  }
}

/** So many rows the nodes of a plan have read from these tables. */
export const rowsRead = (nodes: readonly PlanNode[], tables: readonly string[]): number =>
  nodes
    .filter(node => tables.includes(node["Relation Name"] ?? ""))
    .reduce((sum, node) => sum + (node["Actual Rows"] ?? 0) * (node["Actual Loops"] ?? 0), 0);
