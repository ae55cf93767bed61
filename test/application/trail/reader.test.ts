import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Piece } from "../../../src/application/json-list.ts";
import { makeTrailReader, readEntries } from "../../../src/application/trail/reader.ts";
import type { TrailRepository } from "../../../src/application/trail/trail-repository.ts";
import { writeBundle } from "../../../src/domain/trail/tile.ts";
import { makeRecordingEventLog } from "../../fakes/recording-event-log.ts";
import { hasher, key, logRecord, makeTrailStage } from "../../support/trail-stage.ts";

const longestEntry = 0xffff;
const short = "A pump.";
/** An entry of some 60 KB. */
const long = "\u0001".repeat(10_000);

/** A reader of logs with these comments, and which entries it has asked for. */
async function readerOf(comments: readonly string[]) {
  const { records, trail, clock } = makeTrailStage();
  records.log.push(...comments.map((comment, at) => logRecord(at + 1, comment)));
  const entries = records.log.map(({ entry }) => entry);
  await trail.append(
    0,
    records.log.map(({ kind, recordId, entry }) => ({ kind, recordId, hash: hasher.leaf(entry) })),
    [],
  );
  const asked: [from: number, to: number][] = [];
  const counted: TrailRepository = {
    ...trail,
    entries(from, to) {
      asked.push([from, to]);
      return trail.entries(from, to);
    },
    // As PostgreSQL answers: all entries of a statement are parts of one buffer.
    async records(kind, ids) {
      const found = await trail.records(kind, ids);
      const buffer = Buffer.concat(found.map(({ entry }) => entry));
      let end = 0;
      return found.map(({ recordId, entry: { length } }) => {
        end += length;
        return { kind, recordId, entry: buffer.subarray(end - length, end) };
      });
    },
  };
  const signed = { size: entries.length, root: hasher.empty, note: "", tree: undefined, at: clock.now() };
  const signing = { newest: () => signed, distrust: () => {} };
  const reader = makeTrailReader({ trail: counted, hasher, key, events: makeRecordingEventLog(), signing });
  const bundle = async (path: string): Promise<AsyncIterable<Piece>> => {
    const found = await reader.tile(path);
    return found instanceof Uint8Array ? assert.fail("the bundle is no list") : found;
  };
  return { records, reader, counted, entries, asked, bundle };
}

async function all(pieces: AsyncIterable<Piece>): Promise<Piece[]> {
  const taken: Piece[] = [];
  for await (const piece of pieces) taken.push(piece);
  return taken;
}

const bytesOf = (pieces: readonly Piece[]) => Buffer.concat(pieces.map(({ json }) => json));
const repeated = (comment: string, count: number) => Array.from({ length: count }, () => comment);

describe("the pieces in which entries are read", () => {
  for (const [what, comments, mostPieces] of [
    ["short entries", repeated(short, 256), 1],
    ["the longest entries", repeated(long, 256), 256],
    ["long entries after short ones", [...repeated(short, 4), ...repeated(long, 252)], 256],
    ["short entries after long ones", [...repeated(long, 4), ...repeated(short, 252)], 3],
  ] as const) {
    test(`are bounded in bytes and make up the bundle, and the list: ${what}`, async () => {
      const { reader, entries, bundle } = await readerOf(comments);
      const pieces = await all(await bundle("entries/000"));
      assert.ok(pieces.length <= mostPieces, `${pieces.length} pieces`);
      for (const { json } of pieces) assert.ok(json.length < 256 * 1024 + 2 + longestEntry, `${json.length}`);
      assert.deepEqual(bytesOf(pieces), Buffer.from(writeBundle(entries)));

      const listed = await all(reader.entries(0, 1_000).list);
      for (const { json } of listed)
        assert.ok(json.length < 256 * 1024 + 64 + longestEntry, `${json.length}`);
      const list = entries
        .map((entry, index) => `,{"index":${index},"entry":${Buffer.from(entry)}}`)
        .join("");
      assert.equal(bytesOf(listed).toString(), list);
      for (const taken of [pieces, listed]) {
        assert.deepEqual(
          taken.map(({ next }) => next === undefined),
          taken.map((_, at) => at === taken.length - 1),
        );
      }
    });
  }

  test("end with 410 at an entry that is too long for a bundle", async () => {
    const { bundle } = await readerOf([short, "x".repeat(70_000), short]);
    await assert.rejects(async () => all(await bundle("entries/000.p/3")), {
      code: "GONE",
      message: "The stored trail is broken: an entry is longer than 65,535 bytes",
    });
  });

  test("are read when they are asked for, not before", async () => {
    const { asked, bundle } = await readerOf(repeated(long, 256));
    const pieces = (await bundle("entries/000"))[Symbol.asyncIterator]();
    assert.deepEqual(asked, []);
    await pieces.next();
    assert.ok((asked.at(-1)?.[1] ?? 256) <= 8, JSON.stringify(asked));
    await pieces.next();
    assert.ok((asked.at(-1)?.[1] ?? 256) <= 16, JSON.stringify(asked));
  });

  test("come 128 entries to a statement where they are short", async () => {
    const { counted, entries, asked } = await readerOf(repeated(short, 600));
    let at = 0;
    for await (const entry of readEntries(counted, 0, 600))
      assert.ok(Buffer.from(entry).equals(entries[at++] ?? assert.fail()));
    assert.equal(at, 600);
    assert.deepEqual(asked, [
      [0, 4],
      [4, 132],
      [132, 260],
      [260, 388],
      [388, 516],
      [516, 600],
    ]);
  });

  test("that a statement found too long are read again, so that nobody holds them", async () => {
    const { counted, entries, asked } = await readerOf([...repeated(short, 4), ...repeated(long, 200)]);
    let at = 0;
    for await (const entry of readEntries(counted, 0, 204)) {
      assert.ok(Buffer.from(entry).equals(entries[at++] ?? assert.fail()));
      // What was read with it and is not given yet is not held either.
      assert.ok(entry.buffer.byteLength <= 256 * 1024, `${entry.buffer.byteLength}`);
    }
    assert.equal(at, 204);
    assert.deepEqual(asked.slice(0, 4), [
      [0, 4],
      [4, 132],
      [8, 12],
      [12, 16],
    ]);
  });

  test("end at a record that was removed, after all entries before it", async () => {
    const { records, counted } = await readerOf(repeated(short, 20));
    records.log.splice(10, 1);
    let count = 0;
    const read = async () => {
      for await (const _ of readEntries(counted, 0, 20)) count += 1;
    };
    await assert.rejects(read(), {
      code: "GONE",
      message: "Entry 10 of the trail, log 11, was removed",
    });
    assert.equal(count, 10);
  });
});
