import {
  idsEnd,
  type RecordKind,
  recordKinds,
  type Space,
  type TrailRepository,
} from "../../../application/trail/trail-repository.ts";
import type { Database } from "../connection/database.ts";
import { type Statement, sql } from "../connection/statement.ts";
import { groupOf, groupSize } from "./trail-runs.ts";

/** A column with an index, and the part of its values that counts. */
interface Column {
  readonly table: Statement;
  readonly name: Statement;
  readonly from: number;
  readonly to: number;
  /** Ids to each value. */
  readonly ids: number;
}

const all = { from: 0, to: idsEnd, ids: 1 };
const columnOf = (table: Statement): Column => ({ ...all, table, name: sql`id` });
const groupsOf = (kind: RecordKind): Column => ({
  table: sql`trail_run`,
  name: sql`record_group`,
  from: groupOf({ kind, recordId: 0 }),
  to: groupOf({ kind, recordId: idsEnd }),
  ids: groupSize,
});

const columns: Readonly<Record<Space, readonly Column[]>> = {
  log: [columnOf(sql`maintenance_log`), groupsOf("log")],
  // Their own ids as well, which are not those of their records.
  employee: [columnOf(sql`employee_event`), groupsOf("employee"), columnOf(sql`employee`)],
  asset: [columnOf(sql`asset_event`), groupsOf("asset"), columnOf(sql`asset`)],
  tile: [{ ...all, table: sql`trail_run`, name: sql`first_index` }],
};

/** Goes from one span to the next that is not empty by the column's index, whatever lies between. */
function spansOf({ table, name, from, to, ids }: Column, width: number): Statement {
  const next = (least: Statement) => sql`
    (select (min(${name}) - ${from}) / ${width / ids} from ${table} where ${name} >= ${least} and ${name} < ${to})`;
  return sql`
    (
      with recursive span as (
        select ${next(sql`${from}::bigint`)} as n
        union all
        select ${next(sql`(span.n + 1) * ${width / ids} + ${from}`)} from span where span.n is not null
      )
      select n from span where n is not null
    )`;
}

/** Each condition is one that the index answers. */
function straysIn(space: Space): Statement[] {
  if (space !== "tile") {
    const tables = columns[space].filter(({ ids }) => ids === 1);
    return tables.flatMap(({ table }) =>
      [sql`id is null`, sql`id < 1`, sql`id >= ${idsEnd}`].map(
        condition => sql`select id from ${table} where ${condition}`,
      ),
    );
  }
  const kinds = recordKinds.map(groupsOf);
  const between = kinds.map(({ to }, at) => {
    const next = kinds[at + 1];
    return next === undefined
      ? sql`record_group >= ${to}`
      : sql`record_group >= ${to} and record_group < ${next.from}`;
  });
  const others = [sql`record_group is null`, sql`first_index < 0`, sql`first_index >= ${idsEnd}`];
  return [...others, sql`record_group < 0`, ...between].map(
    condition => sql`select first_index as id from trail_run where ${condition}`,
  );
}

export function makeStrays({ query }: Database): TrailRepository["strays"] {
  return async space => {
    const strays = straysIn(space);
    const union = strays.reduce((some, one) => sql`${some} union all ${one}`);
    const rows = await query<{ id: string }>(
      sql`select coalesce(id::text, 'null') as id from (${union}) as stray limit 100000`,
    );
    return rows.map(({ id }) => id);
  };
}

export function makeSpans({ query }: Database): TrailRepository["spans"] {
  return async (space, width) => {
    const [first, ...others] = columns[space].map(column => spansOf(column, width)) as [Statement];
    const union = others.reduce((some, one) => sql`${some} union ${one}`, first);
    const rows = await query<{ n: number }>(sql`select n from (${union}) as span order by n`);
    return rows.map(({ n }) => n * width);
  };
}
