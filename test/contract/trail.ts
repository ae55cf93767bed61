import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { Repositories } from "../../src/application/ports.ts";
import {
  type FullTile,
  type HashedRecord,
  idsEnd,
  type RecordKey,
  recordKinds,
} from "../../src/application/trail/trail-repository.ts";
import { byOperator, callerOf } from "../support/by-operator.ts";
import { readEntry } from "../support/entry.ts";
import { hasher } from "../support/trail-stage.ts";
import { aLog, anAsset, anEmployee, type OpenRepositories } from "./repositories.ts";

const bytes = (seed: number, length = 32) => new Uint8Array(length).fill(seed % 251);
const tile = (level: number, index: number): FullTile => ({
  level,
  index,
  root: bytes(index + 1),
  sixteenths: bytes(index + 2, 512),
});
const unchanged = {
  firstName: undefined,
  lastName: undefined,
  email: undefined,
  phone: undefined,
  role: undefined,
};
const all = { first: 1, last: idsEnd - 1 };
const hex = (hash: Uint8Array) => Buffer.from(hash).toString("hex");

/** What every implementation of the trail's repository promises. */
export function trailContract(name: string, openRepositories: () => Promise<OpenRepositories>): void {
  describe(`the trail's repository: ${name}`, () => {
    let opened: ReturnType<typeof byOperator>;
    let close: () => Promise<void>;
    let trail: Repositories["trail"];
    beforeEach(async () => {
      const repositories = await openRepositories();
      opened = byOperator(repositories);
      close = repositories.close;
      trail = opened.trail;
    });
    // Each test begins with an empty trail.
    afterEach(() => close());

    /** Appends so many entries of logs, whose hashes are made up. */
    const appendMany = async (from: number, count: number, firstId = from + 1) => {
      const entries = Array.from({ length: count }, (_, at) => ({
        kind: "log" as const,
        recordId: firstId + at,
        hash: bytes(firstId + at),
      }));
      assert.equal(await trail.append(from, entries, []), true);
    };

    async function writeLogs(count: number, comment?: string) {
      const performer = callerOf(await opened.employees.insert(anEmployee()));
      const { id } = await opened.assets.insert(anAsset());
      const logs = [];
      for (let at = 0; at < count; at += 1) {
        const log = aLog({ comment: comment ?? `log ${at}` });
        logs.push((await opened.maintenanceLogs.append(id, performer, log)).log);
      }
      return { employeeId: performer.employeeId, assetId: id, logs };
    }

    test("begins empty", async () => {
      const lastIds = { log: 0, employee: 0, asset: 0 };
      assert.deepEqual(await trail.end(), { size: 0, lastHash: undefined, lastIds });
      assert.deepEqual(await trail.entries(0, 10), []);
      assert.equal(await trail.lastCheckpoint(), undefined);
      assert.equal(await trail.placeOfLog(1), undefined);
      assert.equal((await trail.readings(10)).length, 0);
    });

    test("a log's record says what was written, by whom, under which name, and when the database took it", async () => {
      const { employeeId, assetId, logs } = await writeLogs(1);
      await opened.employees.update(employeeId, { ...unchanged, firstName: "Augusta" }, ["TECHNICIAN"]);
      const [record] = await trail.recordsIn("log", [all], 10);
      const { recordedAt, ...said } = readEntry((record ?? assert.fail()).entry);
      assert.ok(recordedAt !== null);
      assert.match(recordedAt, /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      assert.ok(Math.abs(Date.parse(recordedAt) - Date.now()) < 60_000, recordedAt);
      const { performedDate, status, taskType, comment } = aLog({ comment: "log 0" });
      assert.deepEqual(
        { ...record, entry: said },
        {
          kind: "log",
          recordId: logs[0]?.id,
          entry: {
            kind: "log",
            id: logs[0]?.id,
            performedDate,
            status,
            taskType,
            comment,
            assetId,
            performedByEmployeeId: employeeId,
            performedByName: "Ada Byron",
          },
        },
      );
    });

    test("an entry has its canonical bytes, whatever its text", async () => {
      const performer = callerOf(await opened.employees.insert(anEmployee({ lastName: 'B"yr\\on' })));
      const { id } = await opened.assets.insert(anAsset({ name: "Pump\t/é", description: "a\nb\u2028" }));
      const characters = Array.from({ length: 0xd7ff }, (_, at) => String.fromCharCode(at + 1));
      const comments = Array.from({ length: 6 }, (_, at) =>
        characters.slice(10_000 * at, 10_000 * (at + 1)).join(""),
      );
      comments.push("\u{1f600}\u{10ffff}\ue000\uffff\ufffe", "", "\\ud800 \\n \\", '"', "{}[],:");
      for (const [at, comment] of comments.entries()) {
        const performedDate = ["2026-01-07T10:00:00", "0001-02-03T00:00:00.000001", "9999-12-31T23:59:59.5"][
          at % 3
        ];
        await opened.maintenanceLogs.append(
          id,
          performer,
          aLog({ comment, performedDate: performedDate ?? "" }),
        );
      }
      const records = [
        ...(await trail.recordsIn("log", [all], 100)),
        ...(await trail.recordsIn("asset", [all], 100)),
        ...(await trail.recordsIn("employee", [all], 100)),
      ];
      // Reading refuses every form but the canonical one.
      const entries = records.map(({ entry }) => readEntry(entry));
      assert.deepEqual(
        entries.flatMap(entry => (entry.kind === "log" ? [entry.comment] : [])),
        comments,
      );
    });

    test("every state of an employee's role and activity is a record, with whoever asked for it", async () => {
      const admin = await opened.employees.insert(anEmployee());
      const by = callerOf(admin);
      const { id } = await opened.employees.insert(anEmployee(), by);
      await opened.employees.update(id, { ...unchanged, firstName: "Augusta" }, ["TECHNICIAN"], by);
      await opened.employees.update(id, { ...unchanged, role: "MANAGER" }, ["TECHNICIAN"], by);
      await opened.employees.setActive(id, false, by);
      await opened.employees.setActive(id, false, by);
      await opened.employees.setActive(id, true);
      const records = await trail.recordsIn("employee", [all], 10);
      const states = records.map(record => {
        const { recordedAt, kind, ...state } = readEntry(record.entry);
        assert.equal(kind, "employee");
        assert.match(recordedAt ?? "", /\.\d{6}Z$/);
        return state;
      });
      assert.deepEqual(states, [
        { id: admin.id, role: "TECHNICIAN", active: true, changedBy: null },
        { id, role: "TECHNICIAN", active: true, changedBy: admin.id },
        { id, role: "MANAGER", active: true, changedBy: admin.id },
        { id, role: "MANAGER", active: false, changedBy: admin.id },
        { id, role: "MANAGER", active: true, changedBy: null },
      ]);
    });

    test("appointing an ADMIN is a record of the operator, also of an employee who was there", async () => {
      const { role: _, ...record } = anEmployee();
      const { id } = await opened.employees.insert(anEmployee({ email: record.email }));
      await opened.employees.setActive(id, false);
      await opened.employees.appointAdmin(record);
      const [last] = (await trail.recordsIn("employee", [all], 10)).slice(-1);
      const { recordedAt: __, ...state } = readEntry(last?.entry ?? assert.fail());
      assert.deepEqual(state, { kind: "employee", id, role: "ADMIN", active: true, changedBy: null });
      assert.equal((await trail.recordsIn("employee", [all], 10)).length, 3);
    });

    test("every state of an asset is a record, with whoever asked for it", async () => {
      const by = callerOf(await opened.employees.insert(anEmployee()));
      const { id } = await opened.assets.insert(anAsset({ description: "Left" }), by);
      await opened.assets.setActive(id, true, by);
      await opened.assets.setActive(id, false, by);
      await opened.assets.setActive(id, true);
      const records = await trail.recordsIn("asset", [all], 10);
      const state = { kind: "asset", id, name: "Pump", description: "Left" };
      assert.deepEqual(
        records.map(({ entry }) => {
          const { recordedAt: _, ...said } = readEntry(entry);
          return said;
        }),
        [
          { ...state, active: true, changedBy: by.employeeId },
          { ...state, active: false, changedBy: by.employeeId },
          { ...state, active: true, changedBy: null },
        ],
      );
      assert.deepEqual(await trail.unrecorded("asset", 0, 1_000), []);
      assert.deepEqual(await trail.unrecorded("employee", 0, 1_000), []);
    });

    test("an employee is held against the last of their own records", async () => {
      const technician = await opened.employees.insert(anEmployee({ role: "TECHNICIAN" }));
      await opened.employees.setActive(technician.id, false);
      await opened.employees.insert(anEmployee({ email: "other@example.com", role: "MANAGER" }));
      assert.deepEqual(await trail.unrecorded("employee", 0, 1_000), []);
    });

    test("the newest records are known, with an entry or without one", async () => {
      const { logs } = await writeLogs(2);
      const newest = { log: logs[1]?.id, employee: 1, asset: 1 };
      assert.deepEqual(await trail.newest(), { size: 0, lastHash: undefined, lastIds: newest });
      await appendMany(0, 1);
      const { lastHash, ...end } = await trail.newest();
      assert.deepEqual(end, { size: 1, lastIds: newest });
      assert.equal(hex(lastHash ?? bytes(0)), hex(bytes(1)));
    });

    test("an entry of an id that no record was given does not count as the last", async () => {
      const { logs } = await writeLogs(3);
      const [first = 0, , last = 0] = logs.map(({ id }) => id);
      const lastIds = async () => [(await trail.end()).lastIds.log, (await trail.newest()).lastIds.log];
      await appendMany(0, 1, last + 1);
      assert.deepEqual(await lastIds(), [0, last]);
      await appendMany(1, 1, 1_000_000_000_000);
      await appendMany(2, 1, last + 70_000);
      assert.deepEqual(await lastIds(), [0, last]);
      await appendMany(3, 2, first);
      assert.deepEqual(await lastIds(), [first + 1, last]);
      assert.deepEqual((await trail.end()).lastIds, { log: first + 1, employee: 0, asset: 0 });
    });

    test("the database hashes the bytes of each entry as the service does", async () => {
      await writeLogs(300, 'An "é", a \\, a \t, \u2028 and 😀');
      await opened.assets.insert(anAsset({ description: "\u0001".repeat(1_000) }));
      const shown = ({ kind, recordId, hash }: HashedRecord) => [kind, recordId, hex(hash)];
      for (const kind of recordKinds) {
        const records = await trail.recordsIn(kind, [all], 1_000);
        const hashed = await trail.hashesIn(kind, [all], 1_000);
        assert.ok(hashed.length > 0);
        assert.deepEqual(
          hashed.map(shown),
          records.map(record => shown({ ...record, hash: hasher.leaf(record.entry) })),
        );
        const [, second] = records;
        assert.equal((await trail.hashesIn(kind, [all], 1)).length, 1);
        if (second === undefined) continue;
        const { recordId } = second;
        const two = await trail.hashesIn(
          kind,
          [
            { first: 0, last: 0 },
            { first: recordId, last: recordId },
          ],
          5,
        );
        assert.deepEqual(two.map(shown), hashed.slice(1, 2).map(shown));
      }
      assert.deepEqual(await trail.hashesIn("log", [{ first: 1_000_000, last: 2_000_000 }], 10), []);
    });

    test("records are read in the order of their ids, after one and at most so many, or by their ids", async () => {
      const { logs } = await writeLogs(5);
      const ids = logs.map(({ id }) => id);
      const idsOf = (records: readonly RecordKey[]) => records.map(({ recordId }) => recordId);
      assert.deepEqual(idsOf(await trail.recordsIn("log", [all], 3)), ids.slice(0, 3));
      assert.deepEqual(
        idsOf(await trail.recordsIn("log", [{ ...all, first: (ids[1] as number) + 1 }], 10)),
        ids.slice(2),
      );
      const asked = [ids[3], ids[0], 999_999] as number[];
      assert.deepEqual(
        idsOf(await trail.records("log", asked)).sort((a, b) => a - b),
        [ids[0], ids[3]],
      );
      assert.deepEqual(await trail.records("log", []), []);
    });

    test("spans are known that hold a record or an entry, however far they are apart", async () => {
      const { logs } = await writeLogs(3);
      const [first = 0, , last = 0] = logs.map(({ id }) => id);
      assert.deepEqual(await trail.spans("log", 16_384), [0]);
      assert.deepEqual(await trail.spans("tile", 16_384), []);
      const far = 4_000_000_000_000_000;
      const entries = [last, 70_000, far, far + 255].map(recordId => ({
        kind: "log" as const,
        recordId,
        hash: bytes(1),
      }));
      assert.equal(
        await trail.append(0, [...entries, { kind: "asset", recordId: 512, hash: bytes(2) }], []),
        true,
      );
      const spanOf = (id: number) => id - (id % 16_384);
      assert.deepEqual(await trail.spans("log", 16_384), [spanOf(first), spanOf(70_000), spanOf(far)]);
      assert.deepEqual(await trail.spans("asset", 256), [0, 512]);
      assert.deepEqual(await trail.spans("employee", 256), [0]);
      assert.deepEqual(await trail.spans("tile", 16_384), [0]);
    });

    test("entries get consecutive indexes and are found by index and by record", async () => {
      await appendMany(0, 3, 254);
      const mixed = [
        { kind: "asset" as const, recordId: 1, hash: bytes(101) },
        { kind: "employee" as const, recordId: 1, hash: bytes(102) },
        { kind: "log" as const, recordId: 7, hash: bytes(103) },
        { kind: "log" as const, recordId: 5, hash: bytes(104) },
        { kind: "log" as const, recordId: 1_000_000_000_000, hash: bytes(105) },
      ];
      assert.equal(await trail.append(3, mixed, []), true);
      const all = await trail.entries(0, 100);
      assert.deepEqual(
        all.map(({ index, kind, recordId, hash }) => [index, kind, recordId, hex(hash)]),
        [
          [0, "log", 254, hex(bytes(254))],
          [1, "log", 255, hex(bytes(255))],
          [2, "log", 256, hex(bytes(256))],
          ...mixed.map(({ kind, recordId, hash }, at) => [3 + at, kind, recordId, hex(hash)]),
        ],
      );
      const { size, lastHash } = await trail.end();
      assert.deepEqual([size, hex(lastHash ?? bytes(0))], [8, hex(bytes(105))]);
      assert.deepEqual(await trail.entries(2, 5), all.slice(2, 5));
      const indexesOf = async (...args: Parameters<typeof trail.entriesOf>) =>
        (await trail.entriesOf(...args)).map(({ index }) => index).sort((a, b) => a - b);
      assert.deepEqual(await indexesOf("log", 5, 256), [0, 1, 5, 6]);
      assert.deepEqual(await indexesOf("log", 0, 5), []);
      assert.deepEqual(await indexesOf("asset", 0, 256), [3]);
      const asked = [1_000_000_000_000, 6, 7, 254, 257, 513, 1_000_000_000_256];
      const numbered = await trail.idsWithEntry("log", asked);
      assert.deepEqual(
        numbered.sort((a, b) => a - b),
        [7, 254, 1_000_000_000_000],
      );
      assert.deepEqual(await trail.idsWithEntry("asset", [1, 5]), [1]);
      assert.deepEqual(await trail.idsWithEntry("asset", []), []);
      const rangesWithout = async (...args: Parameters<typeof trail.idsWithoutEntry>) =>
        (await trail.idsWithoutEntry(...args)).map(({ first, last }) => [first, last]);
      assert.deepEqual(await rangesWithout("log", 258, 10), [
        [1, 4],
        [6, 6],
        [8, 253],
        [257, 258],
      ]);
      assert.deepEqual(await rangesWithout("log", 1_000_000_000_000, 2), [
        [8, 253],
        [257, 999_999_999_999],
      ]);
      assert.deepEqual(await rangesWithout("log", 254, 1), [[8, 253]]);
      assert.deepEqual(await rangesWithout("asset", 3, 10), [[2, 3]]);
      assert.deepEqual(await rangesWithout("asset", 1, 10), []);
      assert.deepEqual(await rangesWithout("employee", 0, 10), []);
    });

    test("no entry is missing as long as none was removed", async () => {
      assert.equal(await trail.firstMissing(0, 0), undefined);
      assert.equal(await trail.firstMissing(0, 10), 0);
      await appendMany(0, 300);
      await appendMany(300, 5, 900);
      await appendMany(305, 300, 2_000);
      for (const [from, to] of [
        [0, 605],
        [0, 256],
        [256, 512],
        [512, 605],
      ] as const)
        assert.equal(await trail.firstMissing(from, to), undefined);
      assert.equal(await trail.firstMissing(512, 700), 605);
    });

    test("an entry is written only where the trail ends, and only once", async () => {
      await appendMany(0, 2);
      const entry = { kind: "log" as const, recordId: 9, hash: bytes(9) };
      for (const wrong of [0, 1, 3]) {
        assert.equal(await trail.append(wrong, [entry], [tile(0, 0)]), false, String(wrong));
      }
      assert.equal((await trail.end()).size, 2);
      assert.equal((await trail.tiles(0, 0, 10)).length, 0);
    });

    test("of many who append at once, one succeeds, whole, and the others have done nothing", async () => {
      for (let round = 0; round < 5; round += 1) {
        const from = (await trail.end()).size;
        const attempts = Array.from({ length: 8 }, (_, attempt) => {
          const ids = Array.from(
            { length: 100 + 70 * attempt },
            (_, at) => 10_000 * round + 300 * attempt + at,
          );
          const entries = ids.map(recordId => ({ kind: "log" as const, recordId, hash: bytes(attempt) }));
          return trail.append(from, entries, [tile(round, attempt)]);
        });
        const won = (await Promise.all(attempts)).flatMap((did, attempt) => (did ? [attempt] : []));
        assert.equal(won.length, 1);
        const [winner = 0] = won;
        const written = await trail.entries(from, from + 10_000);
        assert.deepEqual(
          written.map(({ index }) => index),
          Array.from({ length: 100 + 70 * winner }, (_, at) => from + at),
        );
        assert.ok(written.every(({ hash }) => hash[0] === winner));
        assert.deepEqual(
          (await trail.tiles(round, 0, 10)).map(({ index }) => index),
          [winner],
        );
      }
    });

    test("tiles come back as they were stored", async () => {
      await trail.append(
        0,
        [{ kind: "log", recordId: 1, hash: bytes(1) }],
        [tile(0, 0), tile(0, 1), tile(1, 0)],
      );
      const shown = ({ level, index, root, sixteenths }: FullTile) => [
        level,
        index,
        hex(root),
        hex(sixteenths),
      ];
      assert.deepEqual((await trail.tiles(0, 0, 2)).map(shown), [tile(0, 0), tile(0, 1)].map(shown));
      assert.deepEqual(
        (await trail.tiles(1, 0, 9)).map(({ level, index }) => [level, index]),
        [[1, 0]],
      );
      assert.deepEqual(
        (await trail.tiles(0, 1, 2)).map(({ index }) => index),
        [1],
      );
      const asked = await Promise.all([1, 7, 0, 1].map(trail.tileOfEntries));
      assert.deepEqual(
        asked.map(found => found && shown(found)),
        [shown(tile(0, 1)), undefined, shown(tile(0, 0)), shown(tile(0, 1))],
      );
    });

    test("the place of a log's entry has what its proof takes of its tile", async () => {
      const { logs } = await writeLogs(1);
      const id = logs[0]?.id as number;
      await appendMany(0, 250, 100_000);
      assert.equal(await trail.append(250, [{ kind: "log", recordId: id, hash: bytes(77) }], []), true);
      await appendMany(251, 1, 200_000);
      let place = await trail.placeOfLog(id);
      assert.equal(place?.index, 250);
      assert.equal(hex(place?.hash ?? bytes(0)), hex(bytes(77)));
      assert.equal(readEntry(place?.entry ?? assert.fail()).id, id);
      const hashesAt = (from: number, to: number) =>
        Array.from({ length: to - from }, (_, at) => hex(bytes(100_000 + from + at))).join("");
      assert.equal(
        hex(place?.neighbours ?? bytes(0)),
        `${hashesAt(240, 250)}${hex(bytes(77))}${hex(bytes(200_000))}`,
      );
      await appendMany(252, 3, 300_000);
      await trail.append(255, [{ kind: "log", recordId: 400_000, hash: bytes(4) }], [tile(0, 0)]);
      await appendMany(256, 20, 500_000);
      place = await trail.placeOfLog(id);
      assert.equal(place?.neighbours.length, 16 * 32);
      // An entry whose log is gone still has its place.
      const gone = await trail.placeOfLog(400_000);
      assert.deepEqual([gone?.index, gone?.entry], [255, undefined]);
      assert.deepEqual(
        (await Promise.all([100_000, 100_017, 999_999, id].map(trail.placeOfLog))).map(found => found?.index),
        [0, 17, undefined, 250],
      );
    });

    test("what was read can be confirmed", async () => {
      await trail.confirm();
      await writeLogs(1);
      await trail.confirm();
    });

    test("the checkpoint that was stored last is the last, whatever its size; an acceptance stores one too", async () => {
      await trail.addCheckpoint({ size: 5, root: bytes(5), note: "five\n" });
      await trail.addCheckpoint({ size: 3, root: bytes(3), note: "three — \n" });
      const shown = async () => {
        const { size, root, note } = (await trail.lastCheckpoint()) ?? assert.fail();
        return [size, hex(root), note];
      };
      assert.deepEqual(await shown(), [3, hex(bytes(3)), "three — \n"]);
      const accepted = { size: 2, root: bytes(2), note: "two\n" };
      await trail.accept({ reason: "restored", refused: { size: 3, root: bytes(3) }, accepted });
      assert.deepEqual(await shown(), [2, hex(bytes(2)), "two\n"]);
      await trail.accept({ reason: "again", refused: undefined, accepted });
    });

    test("readings are counted up, each by one process", async () => {
      const outcomes = await Promise.all(
        [1, 2, 3].map(mismatches => trail.addReading({ id: 1, from: 0, mismatches })),
      );
      assert.deepEqual(outcomes.filter(Boolean), [true]);
      assert.equal(await trail.addReading({ id: 2, from: 3 * 2 ** 48, mismatches: 7 }), true);
      const [last, first, ...more] = await trail.readings(5);
      assert.deepEqual([last?.id, last?.from, last?.mismatches, first?.id, more], [2, 3 * 2 ** 48, 7, 1, []]);
      assert.ok(last !== undefined && last.age >= 0 && last.age < 60);
    });
  });
}
