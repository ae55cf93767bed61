import { setImmediate as turn } from "node:timers/promises";
import { readSchema } from "../../src/adapters/postgres/schema/migrations.ts";
import { Numbering } from "../../src/application/trail/numbering.ts";
import { everyId, type IdRange, noIds, type StateFile } from "../../src/application/trail/ports.ts";
import { acceptTrail } from "../../src/application/trail/signing.ts";
import { makeTrail } from "../../src/application/trail/trail.ts";
import { toBase64 } from "../../src/domain/trail/encoding.ts";
import { leafHash, makeFrontier } from "../../src/domain/trail/merkle.ts";
import { makeSignerKey } from "../../src/domain/trail/note.ts";
import { makeFakeClock } from "../fakes/fake-clock.ts";
import {
  type MemoryRecord,
  type MemoryTrail,
  makeMemoryTrail,
  type NumberedRecord,
  type RecordsOf,
} from "../fakes/memory-trail.ts";
import { makeRecordingEventLog } from "../fakes/recording-event-log.ts";
import { entryBytes } from "./entry-bytes.ts";
import { aLogEntry } from "./test-records.ts";
import { makeTreeNodes } from "./tree-nodes.ts";

/** The end of a trail of so many entries. */
export const endAt = (size: number) => ({ size, schema: readSchema().migrations.length });

/** Of all records. */
export const allIds: IdRange = { above: noIds, upTo: everyId };

export const key = makeSignerKey("trail.example.com", new Uint8Array(32).fill(7));

export const logRecord = (id: number, comment = `log ${id}`): MemoryRecord => ({
  kind: "log",
  recordId: id,
  entry: entryBytes(aLogEntry({ id, comment })),
});

/** Polls until there is no more to do. */
export async function pollAll(numbering: Numbering): Promise<void> {
  for (let isMore = true; isMore; ) isMore = await numbering.step();
}

/** Records, what their sequences gave last, and a trail: in memory, where a test may change them as an owner can. */
export function makeTrailStage() {
  const records: RecordsOf = { log: [], employee: [], asset: [] };
  const given = { log: Number.POSITIVE_INFINITY, employee: 0, asset: 0 };
  const lastLogId = () => records.log.reduce((last, { recordId }) => Math.max(last, recordId), 0);
  const trail = makeMemoryTrail(records, kind =>
    kind === "log" ? (Number.isFinite(given.log) ? given.log : lastLogId()) : records[kind].length,
  );
  const clock = makeFakeClock();
  const events = makeRecordingEventLog();
  const numbering = (of: MemoryTrail = trail) => {
    const each = new Numbering({ ...of, clock, events });
    return { step: () => each.step(), poll: () => pollAll(each), tree: () => each.tree };
  };
  /** Commits logs with these ids. */
  const commit = (...ids: number[]) => {
    for (const id of ids) records.log.push(logRecord(id));
    records.log.sort((a, b) => a.recordId - b.recordId);
  };
  const rootOf = (size = trail.stored.entries.length) => {
    const frontier = makeFrontier();
    for (const { hash } of trail.stored.entries.slice(0, size)) frontier.append(hash);
    return toBase64(frontier.root);
  };
  const numberedIds = () => trail.stored.entries.map(({ recordId }) => recordId);
  /** Changes a log, and its hash and those above it with it. */
  const rewrite = (id: number) => {
    const forged = logRecord(id, "forged");
    records.log[records.log.findIndex(({ recordId }) => recordId === id)] = forged;
    const at = trail.stored.entries.findIndex(({ recordId }) => recordId === id);
    const hash = leafHash(forged.entry);
    trail.stored.entries[at] = { ...(trail.stored.entries[at] as NumberedRecord), hash };
    trail.stored.nodes = [];
    const frontier = makeTreeNodes((node, hash) => {
      if (node.level > 0 && node.level % 4 === 0) trail.stored.nodes.push({ ...node, hash });
    });
    for (const entry of trail.stored.entries) frontier.append(entry.hash);
  };
  /** Those of an event. */
  const told = (name: string) =>
    events.recorded.flatMap(({ event, details }) => (event === name ? [details] : []));
  return { records, given, trail, clock, events, told, numbering, commit, rewrite, rootOf, numberedIds };
}

type Stage = ReturnType<typeof makeTrailStage>;

/** The trail of a process on a stage, which polls when a test says so. */
export const makeTrailOn = (stage: Stage, changes: Partial<Parameters<typeof makeTrail>[0]> = {}) =>
  makeTrail({
    ...stage,
    requestTrail: stage.trail,
    key,
    stateFile: undefined,
    pause: () => turn(),
    ...changes,
  });

/** Accepts the stored trail as an operator does. */
export const accept = (
  { trail, stateFile }: Pick<Stage, "trail"> & { readonly stateFile: StateFile },
  reason = "restored",
  givesUp = 0,
) => acceptTrail({ ...trail, stateFile, key }, { reason, givesUp });

export const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

/** A state file in memory. */
export function makeMemoryNote() {
  let note: string | undefined;
  const stateFile: StateFile = {
    place: "TRAIL_STATE_FILE",
    read: async () => note,
    write: async next => {
      note = next;
    },
  };
  return { stateFile, note: () => note, setNote: (next?: string) => (note = next) };
}
