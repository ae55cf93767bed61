import {
  idsEnd,
  type NumberedRecord,
  type RecordKey,
  type RecordKind,
  recordKinds,
} from "../../../application/trail/trail-repository.ts";
import { toBase64 } from "../../../domain/trail/encoding.ts";
import { tileWidth } from "../../../domain/trail/tile.ts";
import { sql } from "../connection/statement.ts";

/** Ids to a group of records, so that a byte tells one of them from the others (sql/0008_trail.sql). */
export const groupSize = 256;
const kindBit = 2 ** 48;

export const groupOf = ({ kind, recordId }: RecordKey): number =>
  recordKinds.indexOf(kind) * kindBit + Math.floor(recordId / groupSize);

/** The groups of these ids, each once where its ids follow each other. */
export function groupsOf(kind: RecordKind, ids: readonly number[]): number[] {
  const base = groupOf({ kind, recordId: 0 });
  const groups: number[] = [];
  let last = -1;
  for (const id of ids) {
    const group = Math.floor(id / groupSize);
    if (group !== last) groups.push(base + group);
    last = group;
  }
  return groups;
}

/** Cuts entries, which get consecutive indexes from `first` on, into rows without hashes; each lies in one tile. */
export function toRuns(first: number, records: readonly RecordKey[]) {
  const runs: { readonly first: number; readonly group: number; readonly places: number[] }[] = [];
  let run: (typeof runs)[number] | undefined;
  for (const [at, record] of records.entries()) {
    const index = first + at;
    const group = groupOf(record);
    if (run === undefined || run.group !== group || index % tileWidth === 0) {
      run = { first: index, group, places: [] };
      runs.push(run);
    }
    run.places.push(record.recordId % groupSize);
  }
  return runs.map(({ first, group, places }) => ({ first, group, places: toBase64(Buffer.from(places)) }));
}

/** A row of trail_run as it is read. */
export interface Run {
  readonly first: number;
  readonly group: number;
  readonly places: Buffer;
  readonly hashes: Buffer;
}

const kindOf = (group: number): RecordKind | undefined => recordKinds[Math.floor(group / kindBit)];

/** Of its records, in the order of their entries. Of no kind of record they are ids that no record has. */
export function idsOf({ group, places }: Pick<Run, "group" | "places">): number[] {
  const first = (kindOf(group) === undefined ? group : group % kindBit) * groupSize;
  return Array.from(places, place => first + place);
}

export function fromRun(run: Run): NumberedRecord[] {
  const kind = kindOf(run.group) ?? "log";
  return idsOf(run).map((recordId, at) => ({
    kind,
    recordId,
    index: run.first + at,
    hash: run.hashes.subarray(at * 32, at * 32 + 32),
  }));
}

/** The rows that are entries: whoever may insert rows can give one an index that no entry has, and put it in a record's way. */
export const trailRuns = sql`
  (
    select first_index, record_group, places, hashes from trail_run
    where first_index >= 0 and first_index < ${idsEnd}
  ) as trail_run`;

/** Of the record at a place of a run, in SQL. */
export const recordId = sql`(record_group & 281474976710655) * 256 + get_byte(places, place)`;

/** All places of all runs. */
export const placesOfRuns = sql`${trailRuns} cross join lateral generate_series(0, length(places) - 1) as place`;
