import {
  type HashedRecord,
  type IdRange,
  idsEnd,
  type RecordKind,
  type TrailRecord,
} from "../../../application/trail/trail-repository.ts";
import { hashLength } from "../../../domain/trail/tile.ts";
import type { Bytes, Database } from "../connection/database.ts";
import { type Statement, sql } from "../connection/statement.ts";

const jsonOr = (column: Statement) => sql`coalesce(pg_catalog.to_json(${column})::text, 'null')`;

const moment = sql`coalesce(pg_catalog.to_char(recorded_at at time zone 'UTC', '"\\""YYYY-MM-DD"T"HH24:MI:SS.US"Z\\""'), 'null')`;

/**
 * Each record as the bytes of its entry. PostgreSQL writes strings as RFC 8785 asks for: it escapes the quotation mark,
 * the backslash and control characters only, in the same form. Constraints keep status and task type to words that need no
 * escape. `concat` takes a third of the time of json_build_object.
 */
export const linesOf: Readonly<Record<RecordKind, Statement>> = {
  log: sql`
    select id, pg_catalog.concat('{"assetId":', asset_id, ',"comment":', ${jsonOr(sql`comment`)}, ',"id":', id,
      ',"kind":"log","performedByEmployeeId":', performed_by_employee_id,
      ',"performedByName":', ${jsonOr(sql`performed_by_name`)},
      ',"performedDate":"', pg_catalog.replace(performed_date::text, ' ', 'T'), '","recordedAt":', ${moment},
      ',"status":"', status, '","taskType":"', task_type, '"}') as line
    from maintenance_log`,
  employee: sql`
    select id, pg_catalog.concat('{"active":', pg_catalog.to_json(active), ',"changedBy":', ${jsonOr(sql`changed_by`)},
      ',"id":', employee_id, ',"kind":"employee","recordedAt":', ${moment}, ',"role":', pg_catalog.to_json(role), '}') as line
    from employee_event`,
  asset: sql`
    select id, pg_catalog.concat('{"active":', pg_catalog.to_json(active), ',"changedBy":', ${jsonOr(sql`changed_by`)},
      ',"description":', pg_catalog.to_json(description), ',"id":', asset_id, ',"kind":"asset","name":', pg_catalog.to_json(name),
      ',"recordedAt":', ${moment}, '}') as line
    from asset_event`,
};

/** The text of each record that may be long. */
const textsOf: Readonly<Record<RecordKind, Statement>> = {
  log: sql`select comment as text from maintenance_log`,
  employee: sql`select role as text from employee_event`,
  asset: sql`select description as text from asset_event`,
};

/** The ids and the lines of all, each as one text. A line feed within an entry is written as an escape. */
const batchOf = (lines: Statement) => sql`
  select pg_catalog.string_agg(id::text, ',') as ids, pg_catalog.string_agg(line, E'\\n') as entries from (${lines}) as record`;

/** The ids of all, and their leaf hashes (RFC 6962, section 2.1): hashing the lines takes less time than sending them. */
const hashesOf = (lines: Statement) => sql`
  select pg_catalog.string_agg(id::text, ',') as ids,
    pg_catalog.encode(pg_catalog.string_agg(pg_catalog.sha256('\\x00'::bytea operator(pg_catalog.||) pg_catalog.convert_to(line, 'UTF8')), ''), 'hex') as hashes
  from (${lines}) as record`;

/** Of the texts that are hashed with one statement, so that it ends in time. Each byte may become six in its line. */
const mostTextBytes = 4_000_000;

/** One range, as of new records, is read without a join. */
function ofRanges(records: Statement, ranges: readonly IdRange[], limit: number): Statement {
  const [range, ...others] = ranges;
  if (range !== undefined && others.length === 0) {
    return sql`${records} where id between ${range.first} and ${range.last} order by id limit ${limit}`;
  }
  const firsts = `{${ranges.map(({ first }) => first)}}`;
  const lasts = `{${ranges.map(({ last }) => last)}}`;
  return sql`
    select record.* from unnest(${firsts}::text::bigint[], ${lasts}::text::bigint[]) as range (first, last)
    cross join lateral (
      ${records} where id between range.first and range.last order by id limit ${limit}
    ) as record limit ${limit}`;
}

export function makeTrailRecords({ queryBytes }: Database, mostBytes = mostTextBytes) {
  return {
    async recordsIn(kind: RecordKind, ranges: readonly IdRange[], limit: number): Promise<TrailRecord[]> {
      const [batch] = await queryBytes(batchOf(ofRanges(linesOf[kind], ranges, limit)));
      return toRecords(kind, batch);
    },

    async hashesIn(kind: RecordKind, ranges: readonly IdRange[], limit: number): Promise<HashedRecord[]> {
      for (let rows = limit; ; rows = Math.ceil(rows / 8)) {
        const inRanges = (records: Statement) => ofRanges(records, ranges, rows);
        const [batch] = await queryBytes(
          sql`
            select ids, hashes from (${hashesOf(inRanges(linesOf[kind]))}) as batch
            where ${rows} = 1 or coalesce((
              select sum(octet_length(text)) from (${inRanges(textsOf[kind])}) as long
            ), 0) <= ${mostBytes}`,
        );
        if (batch !== undefined) return toHashed(kind, batch);
      }
    },

    async records(kind: RecordKind, ids: readonly number[]): Promise<TrailRecord[]> {
      // An owner of the tables can write an entry of an id that no record can have.
      const possible = ids.filter(id => id < idsEnd);
      if (possible.length === 0) return [];
      const lines = sql`${linesOf[kind]} where id = any (${`{${possible}}`}::text::bigint[])`;
      const [batch] = await queryBytes(batchOf(lines));
      return toRecords(kind, batch);
    },
  };
}

const idsIn = (ids: Buffer): number[] => ids.toString("latin1").split(",").map(Number);

function toHashed(kind: RecordKind, [ids, hashes]: Bytes = []): HashedRecord[] {
  if (ids == null || hashes == null) return [];
  const bytes = Buffer.from(hashes.toString("latin1"), "hex");
  return idsIn(ids).map((recordId, at) => ({
    kind,
    recordId,
    hash: bytes.subarray(at * hashLength, (at + 1) * hashLength),
  }));
}

function toRecords(kind: RecordKind, [ids, entries]: Bytes = []): TrailRecord[] {
  if (ids == null || entries == null) return [];
  let start = 0;
  return idsIn(ids).map(recordId => {
    const found = entries.indexOf(10, start);
    const end = found < 0 ? entries.length : found;
    const entry = entries.subarray(start, end);
    start = end + 1;
    return { kind, recordId, entry };
  });
}
