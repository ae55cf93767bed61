import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import {
  everyId,
  type HashRange,
  type Ids,
  noIds,
  type StoredNode,
  type TrailStore,
} from "../../src/application/trail/ports.ts";
import { roles } from "../../src/domain/role.ts";
import { type Entry, type EntryKind, readEntry } from "../../src/domain/trail/entry.ts";
import { leafHash } from "../../src/domain/trail/merkle.ts";
import { byAdmin, callerOf } from "../support/by-admin.ts";
import { aLog, anAsset, anEmployee, noChange } from "../support/test-records.ts";
import { allIds, endAt, range } from "../support/trail-stage.ts";
import { until } from "../support/until.ts";
import type { OpenRepositories } from "./repositories.ts";

const bytes = (seed: number) => new Uint8Array(32).fill(seed % 251);
const node = (level: number, index: number): StoredNode => ({ level, index, hash: bytes(index + 1) });
const hex = (hash: Uint8Array) => Buffer.from(hash).toString("hex");
/** Of all records above these ids. */
const idsAbove = (above: Partial<Ids>) => ({ ...allIds, above: { ...noIds, ...above } });

/** What every store of a trail promises. */
export function trailContract(name: string, openRepositories: () => Promise<OpenRepositories>): void {
  describe(`the store of the trail: ${name}`, () => {
    let opened: ReturnType<typeof byAdmin>;
    let close: () => Promise<void>;
    let trail: TrailStore;
    beforeEach(async () => {
      const repositories = await openRepositories();
      opened = byAdmin(repositories);
      close = repositories.close;
      trail = opened.trail;
    });
    // Each test begins with an empty trail.
    afterEach(() => close());

    /** Numbers all records; answers the hashes of their entries. */
    async function numberAll(): Promise<Uint8Array> {
      const { size } = await trail.ledger.end();
      return ((await trail.ledger.number(endAt(size), allIds, 10_000)) ?? assert.fail()).hashes;
    }

    /** The bytes of entries, read in as many pieces as it takes. */
    async function bytesOf(from: number, to: number): Promise<Uint8Array[]> {
      const entries: Uint8Array[] = [];
      while (from + entries.length < to) {
        const some = await trail.records.entries(from + entries.length, to);
        assert.ok(some.length > 0);
        entries.push(...some);
      }
      return entries;
    }

    /** The stored hashes of a range, in hexadecimal digits. */
    async function hashesOf(level: number, from: number, to: number): Promise<string> {
      const [hashes = assert.fail()] = await trail.ledger.hashes([{ level, from, to }]);
      return hex(hashes);
    }

    /** The entries of a kind, in their order, as the type of the domain has them. */
    async function entriesOf<Kind extends EntryKind>(kind: Kind): Promise<Extract<Entry, { kind: Kind }>[]> {
      await numberAll();
      const entries = (await bytesOf(0, (await trail.ledger.end()).size)).map(readEntry);
      return entries.filter(entry => entry.kind === kind) as Extract<Entry, { kind: Kind }>[];
    }

    async function writeLogs(count: number, comment?: string) {
      const performer = callerOf(await opened.admin());
      const { id } = await opened.assets.insert(anAsset());
      const logs = [];
      for (let at = 0; at < count; at += 1) {
        const log = aLog({ comment: comment ?? `log ${at}` });
        logs.push((await opened.maintenanceLogs.append(id, performer, log)).log);
      }
      return { employeeId: performer.employeeId, assetId: id, logs };
    }

    test("begins empty, and is not empty once there is a record of any kind, numbered or not", async () => {
      const { ledger, records, checkpoints } = trail;
      const { lastHash, size } = await ledger.end();
      assert.deepEqual([hex(lastHash), size], ["", 0]);
      assert.equal(await hashesOf(0, 0, 10), "");
      assert.deepEqual(await ledger.hashes([]), []);
      assert.equal(await ledger.firstMissing(0, 0), undefined);
      assert.equal(await ledger.firstRepeated(0, 10), undefined);
      const nothing = {
        hashes: Buffer.alloc(0),
        lastIds: { ...noIds, asset: 7 },
        found: 0,
        tooLong: undefined,
      };
      assert.deepEqual(await ledger.number(endAt(0), idsAbove({ asset: 7 }), 10), nothing);
      assert.equal(await ledger.number(endAt(1), allIds, 10), undefined);
      assert.deepEqual(await records.entries(0, 10), []);
      assert.deepEqual(await records.entryOfLog(1), { index: undefined, entry: undefined });
      assert.deepEqual((await records.horizon(false)).lastIds, noIds);
      assert.equal(await records.isEmpty(), true);
      assert.deepEqual(await checkpoints.newest(1), []);
    });

    test("an entry of a log says what was written, by whom, under which name, and when the database took it", async () => {
      const { employeeId, assetId, logs } = await writeLogs(1);
      await opened.employees.update(employeeId, { ...noChange, firstName: "Augusta" }, roles);
      const [entry] = await entriesOf("log");
      const { recordedAt, ...said } = entry ?? assert.fail();
      assert.ok(recordedAt !== null);
      assert.match(recordedAt, /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      assert.ok(Math.abs(Date.parse(recordedAt) - Date.now()) < 60_000, recordedAt);
      const { performedDate, status, taskType, comment } = aLog({ comment: "log 0" });
      assert.deepEqual(said, {
        kind: "log",
        id: logs[0]?.id,
        performedDate,
        status,
        taskType,
        comment,
        assetId,
        performedByEmployeeId: employeeId,
        performedByName: "Ada Byron",
      });
    });

    test("an entry has its canonical bytes, whatever its text", async () => {
      const name = 'B"yr\\on';
      const performer = callerOf(await opened.employees.insert(anEmployee({ lastName: name })));
      const texts = { name: "Pump\t/é", description: "a\nb\u2028" };
      const { id } = await opened.assets.insert(anAsset(texts));
      const characters = Array.from({ length: 0xd7ff }, (_, at) => String.fromCharCode(at + 1));
      const comments = Array.from({ length: 6 }, (_, at) =>
        characters.slice(10_000 * at, 10_000 * (at + 1)).join(""),
      );
      comments.push("\u{1f600}\u{10ffff}\ue000\uffff\ufffe", "", "\\ud800 \\n \\", '"', "{}[],:");
      const dates = ["2026-01-07T10:00:00", "0001-02-03T00:00:00.000001", "9999-12-31T23:59:59.5"];
      for (const [at, comment] of comments.entries()) {
        const performedDate = dates[at % 3] ?? "";
        await opened.maintenanceLogs.append(id, performer, aLog({ comment, performedDate }));
      }
      // Reading refuses every form but the canonical one, and every field but those of the kind.
      const entries = await entriesOf("log");
      assert.deepEqual(
        entries.map(({ comment, performedDate, performedByName }) => [
          comment,
          performedDate,
          performedByName,
        ]),
        comments.map((comment, at) => [comment, dates[at % 3], `Ada ${name}`]),
      );
      const [asset] = await entriesOf("asset");
      assert.deepEqual([asset?.name, asset?.description], [texts.name, texts.description]);
    });

    test("every state of an employee's role and activity is a record, with whoever asked for it", async () => {
      const admin = await opened.admin();
      const by = callerOf(admin);
      const { id } = await opened.employees.insert(anEmployee(), by);
      await opened.employees.update(id, { ...noChange, firstName: "Augusta" }, ["TECHNICIAN"], by);
      await opened.employees.update(id, { ...noChange, role: "MANAGER" }, ["TECHNICIAN"], by);
      await opened.employees.setActive(id, false, by);
      await opened.employees.setActive(id, false, by);
      await opened.employees.setActive(id, true, by);
      const states = (await entriesOf("employee")).map(entry => {
        const { recordedAt, kind: _, ...state } = entry;
        assert.match(recordedAt ?? "", /\.\d{6}Z$/);
        return state;
      });
      assert.deepEqual(states, [
        { id: admin.id, role: "ADMIN", active: true, changedBy: null },
        { id, role: "TECHNICIAN", active: true, changedBy: admin.id },
        { id, role: "MANAGER", active: true, changedBy: admin.id },
        { id, role: "MANAGER", active: false, changedBy: admin.id },
        { id, role: "MANAGER", active: true, changedBy: admin.id },
      ]);
    });

    test("appointing an ADMIN is a record of the operator, also of an employee who was there", async () => {
      const { role: _, ...record } = anEmployee();
      const { id } = await opened.employees.insert(anEmployee({ email: record.email }));
      await opened.employees.setActive(id, false);
      await opened.employees.appointAdmin(record);
      const entries = await entriesOf("employee");
      const { recordedAt: __, ...state } = entries.at(-1) ?? assert.fail();
      assert.deepEqual(state, { kind: "employee", id, role: "ADMIN", active: true, changedBy: null });
      // That of the ADMIN who registered the employee is the first one.
      assert.equal(entries.length, 4);
    });

    test("every state of an asset is a record, with whoever asked for it", async () => {
      const by = callerOf(await opened.employees.insert(anEmployee()));
      const { id } = await opened.assets.insert(anAsset({ description: "Left" }), by);
      await opened.assets.setActive(id, true, by);
      await opened.assets.setActive(id, false, by);
      await opened.assets.setActive(id, true, callerOf(await opened.admin()));
      const state = { kind: "asset", id, name: "Pump", description: "Left" };
      assert.deepEqual(
        (await entriesOf("asset")).map(({ recordedAt: _, ...said }) => said),
        [
          { ...state, active: true, changedBy: by.employeeId },
          { ...state, active: false, changedBy: by.employeeId },
          { ...state, active: true, changedBy: (await opened.admin()).id },
        ],
      );
    });

    test("records get their numbers by the order of kinds and ids, at most so many, and only above ids", async () => {
      const { ledger } = trail;
      const { logs, employeeId, assetId } = await writeLogs(5, 'An "é", a \\, a \t, \u2028 and 😀');
      const second = await opened.assets.insert(anAsset({ description: "\u0001".repeat(1_000) }));
      const ids = logs.map(({ id }) => id);
      const above = { employee: 1_000, asset: 1_000, log: ids[2] as number };
      const later = (await ledger.number(endAt(0), idsAbove(above), 100)) ?? assert.fail();
      assert.deepEqual(later.lastIds, { ...above, log: ids[4] });
      const first = (await ledger.number(endAt(2), allIds, 4)) ?? assert.fail();
      assert.equal(first.lastIds.log, ids[0]);
      const rest =
        (await ledger.number(endAt(6), idsAbove({ ...first.lastIds, log: 0 }), 100)) ?? assert.fail();
      assert.deepEqual(rest.lastIds, { ...first.lastIds, log: ids[2] });
      assert.equal((await ledger.number(endAt(8), allIds, 100))?.hashes.length, 0);
      const all = [later, first, rest].map(({ hashes }) => hashes);
      assert.deepEqual(
        all.map(({ length }) => length / 32),
        [2, 4, 2],
      );
      assert.equal(await hashesOf(0, 0, 8), hex(Buffer.concat(all)));
      assert.deepEqual(
        (await bytesOf(0, 8)).map(readEntry).map(({ kind, id }) => [kind, id]),
        [
          ...ids.slice(3).map(id => ["log", id]),
          ["employee", employeeId],
          ["asset", assetId],
          ["asset", second.id],
          ...ids.slice(0, 3).map(id => ["log", id]),
        ],
      );
      const { lastHash, ...end } = await ledger.end();
      assert.equal(end.size, 8);
      assert.equal(hex(lastHash), hex(rest.hashes.subarray(32)));
      assert.equal(await ledger.firstMissing(0, 8), undefined);
      assert.equal(await ledger.firstMissing(3, 10), 8);
      assert.equal(await ledger.firstRepeated(0, 8), undefined);
    });

    test("windows of ids have at most so many records each, however far apart these are", async () => {
      const { records, ledger } = trail;
      assert.deepEqual(await records.window(allIds, 2), everyId);
      const ids = (await writeLogs(5)).logs.map(({ id }) => id);
      const [first = assert.fail(), , third, , last = assert.fail()] = ids;
      assert.equal((await records.window(allIds, 2)).log, first + 1);
      const upTo = { ...everyId, log: first + 1 };
      assert.equal((await ledger.number(endAt(0), { ...allIds, upTo }, 100))?.hashes.length, 4 * 32);
      assert.equal((await records.window(idsAbove({ log: upTo.log }), 2)).log, third && third + 1);
      assert.deepEqual(await records.window(idsAbove({ log: last - 2 }), 2), everyId);
      assert.deepEqual(await records.window(idsAbove({ log: last }), 2), everyId);
      assert.deepEqual(await records.window({ ...allIds, upTo }, 2), upTo);
    });

    test("the hash of a record is that of the bytes of its entry", async () => {
      await writeLogs(300, 'An "é", a \\, a \t, \u2028 and 😀');
      const hashes = await numberAll();
      const size = hashes.length / 32;
      const leaves = (await bytesOf(0, size)).map(entry => leafHash(entry));
      assert.equal(hex(Buffer.concat(leaves)), hex(hashes));
      const range = (from: number, to: number): HashRange => ({ level: 0, from, to });
      const ranges = [range(0, 250), range(5, 7), range(1_000, 1_001), range(6, 7)];
      assert.deepEqual(
        (await trail.ledger.hashes(ranges)).map(hex),
        ranges.map(({ from, to }) => hex(Buffer.concat(leaves.slice(from, to)))),
      );
      assert.deepEqual(await trail.records.entries(size, size + 5), []);
    });

    test("a log's entry is known by its id, with its index once it has one", async () => {
      const { logs } = await writeLogs(2);
      const [{ id } = assert.fail()] = logs;
      const before = await trail.records.entryOfLog(id);
      assert.equal(before.index, undefined);
      assert.equal(readEntry(before.entry ?? assert.fail()).id, id);
      await numberAll();
      const after = await trail.records.entryOfLog(id);
      // After the employee and the asset.
      assert.equal(after.index, 2);
      assert.deepEqual(after.entry, before.entry);
      assert.deepEqual(await trail.records.entryOfLog(1_000_000), { index: undefined, entry: undefined });
    });

    test("the horizon has the ids that were given last, and transactions that end", async () => {
      const before = (await trail.records.horizon(true)).xid ?? assert.fail();
      const { logs } = await writeLogs(3);
      const { lastIds, xid } = await trail.records.horizon(false);
      assert.equal(lastIds.log, logs.at(-1)?.id);
      assert.equal(xid, undefined);
      // Others of the same server may have a transaction open for a moment.
      await until(async () => (await trail.records.horizon(false)).xmin > before);
    });

    test("nothing is numbered but where the trail ends, and no record twice", async () => {
      const { ledger } = trail;
      await writeLogs(3);
      await ledger.number(endAt(0), allIds, 4);
      for (const size of [0, 3, 5])
        assert.equal(await ledger.number(endAt(size), allIds, 100), undefined, String(size));
      assert.equal((await ledger.end()).size, 4);
      for (const count of [1, 0]) assert.equal((await numberAll()).length, 32 * count);
    });

    test("of many who number at once, one succeeds, whole, and the others have done nothing", async () => {
      const { ledger } = trail;
      for (let round = 0; round < 5; round += 1) {
        const { size } = await ledger.end();
        await writeLogs(30);
        const outcomes = await Promise.all(
          range(0, 8).map(each => ledger.number(endAt(size), allIds, 10 + each)),
        );
        const done = outcomes.filter(outcome => outcome !== undefined);
        assert.equal(done.length, 1);
        assert.equal((await ledger.end()).size, size + (done[0]?.hashes.length ?? 0) / 32);
      }
    });

    test("hashes of the tree come back as they were stored first", async () => {
      const { ledger } = trail;
      const { server } = await ledger.end();
      await ledger.store([node(4, 3), node(4, 2), node(8, 2), node(4, 4)], server);
      await ledger.store([{ ...node(4, 2), hash: bytes(99) }, node(4, 5)], server);
      await ledger.store([node(4, 6)], "another server");
      assert.equal(await hashesOf(4, 2, 4), hex(bytes(3)) + hex(bytes(4)));
      assert.equal(await hashesOf(4, 5, 9), hex(bytes(6)));
      assert.equal(await hashesOf(8, 0, 256), hex(bytes(3)));
      assert.equal(await hashesOf(12, 0, 256), "");
    });

    test("the checkpoint that was stored last is the last, whatever it says; an acceptance stores one too", async () => {
      const { checkpoints } = trail;
      await checkpoints.confirm();
      await checkpoints.add("two\n");
      await checkpoints.add("one\n");
      assert.deepEqual(await checkpoints.newest(1), ["one\n"]);
      await checkpoints.accept("first\n7 BwA=\n3 AwA=\n", "three\n");
      assert.deepEqual(await checkpoints.newest(2), ["three\n", "one\n"]);
    });

    test("acceptances are found by a whole line of theirs, the newest first", async () => {
      const { checkpoints } = trail;
      const [first, second, other] = [
        "first\n7 BwA=\n3 AwA=\n",
        "second\n7 BwA=\n4 AwA=\n",
        "third\n17 BwA=\n",
      ];
      for (const note of [first, second, other]) await checkpoints.accept(note, "checkpoint\n");
      assert.deepEqual(await checkpoints.acceptancesWith("7 BwA="), [second, first]);
      assert.deepEqual(await checkpoints.acceptancesWith("BwA="), []);
      for (let at = 0; at < 100; at += 1) await checkpoints.accept(`${at}\n7 BwA=\n`, "checkpoint\n");
      const found = await checkpoints.acceptancesWith("7 BwA=");
      assert.deepEqual([found.length, found[0], found.at(-1)], [100, "99\n7 BwA=\n", "0\n7 BwA=\n"]);
    });
  });
}
