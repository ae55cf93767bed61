import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { FullTile, HashedRecord, Ids, TrailStore } from "../../src/application/trail/ports.ts";
import { type Entry, type EntryKind, readEntry } from "../../src/domain/trail/entry.ts";
import { byOperator, callerOf } from "../support/by-operator.ts";
import { hasher, range } from "../support/trail-stage.ts";
import { until } from "../support/until.ts";
import { aLog, anAsset, anEmployee, type OpenRepositories } from "./repositories.ts";

const bytes = (seed: number) => new Uint8Array(32).fill(seed % 251);
const tile = (level: number, index: number): FullTile => ({ level, index, root: bytes(index + 1) });
const unchanged = {
  firstName: undefined,
  lastName: undefined,
  email: undefined,
  phone: undefined,
  role: undefined,
};
const hex = (hash: Uint8Array) => Buffer.from(hash).toString("hex");
const none: Ids = { employee: 0, asset: 0, log: 0 };
const logOf = (recordId: number): HashedRecord => ({ kind: "log", recordId, hash: bytes(recordId) });

/** What every store of a trail promises. */
export function trailContract(name: string, openRepositories: () => Promise<OpenRepositories>): void {
  describe(`the store of the trail: ${name}`, () => {
    let opened: ReturnType<typeof byOperator>;
    let close: () => Promise<void>;
    let trail: TrailStore;
    beforeEach(async () => {
      const repositories = await openRepositories();
      opened = byOperator(repositories);
      close = repositories.close;
      trail = opened.trail;
    });
    // Each test begins with an empty trail.
    afterEach(() => close());

    /** Numbers all records. */
    async function numberAll(): Promise<readonly HashedRecord[]> {
      const { size } = await trail.ledger.end();
      const found = await trail.records.withoutEntry(none, 10_000);
      assert.equal(await trail.ledger.append(size, found, []), true);
      return found;
    }

    /** The entries of a kind, in their order, as the type of the domain has them. */
    async function entriesOf<Kind extends EntryKind>(kind: Kind): Promise<Extract<Entry, { kind: Kind }>[]> {
      await numberAll();
      const entries: Entry[] = [];
      const { size } = await trail.ledger.end();
      while (entries.length < size) {
        entries.push(...(await trail.records.entries(entries.length, size)).map(readEntry));
      }
      return entries.filter(entry => entry.kind === kind) as Extract<Entry, { kind: Kind }>[];
    }

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
      const { ledger, records, checkpoints } = trail;
      assert.deepEqual(await ledger.end(), { size: 0, lastHash: undefined, lastIds: none });
      assert.equal((await ledger.hashes(0, 0, 10)).length, 0);
      assert.equal(await ledger.firstMissing(0, 0), undefined);
      assert.equal(await ledger.firstRepeated(0, 10), undefined);
      assert.deepEqual(await records.withoutEntry(none, 10), []);
      assert.deepEqual(await records.entries(0, 10), []);
      assert.deepEqual(await records.entryOfLog(1), { index: undefined, entry: undefined });
      assert.deepEqual((await records.horizon(false)).lastIds, none);
      assert.equal(await checkpoints.last(), undefined);
    });

    test("an entry of a log says what was written, by whom, under which name, and when the database took it", async () => {
      const { employeeId, assetId, logs } = await writeLogs(1);
      await opened.employees.update(employeeId, { ...unchanged, firstName: "Augusta" }, ["TECHNICIAN"]);
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
      const admin = await opened.employees.insert(anEmployee());
      const by = callerOf(admin);
      const { id } = await opened.employees.insert(anEmployee(), by);
      await opened.employees.update(id, { ...unchanged, firstName: "Augusta" }, ["TECHNICIAN"], by);
      await opened.employees.update(id, { ...unchanged, role: "MANAGER" }, ["TECHNICIAN"], by);
      await opened.employees.setActive(id, false, by);
      await opened.employees.setActive(id, false, by);
      await opened.employees.setActive(id, true);
      const states = (await entriesOf("employee")).map(entry => {
        const { recordedAt, kind: _, ...state } = entry;
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
      const entries = await entriesOf("employee");
      const { recordedAt: __, ...state } = entries.at(-1) ?? assert.fail();
      assert.deepEqual(state, { kind: "employee", id, role: "ADMIN", active: true, changedBy: null });
      assert.equal(entries.length, 3);
    });

    test("every state of an asset is a record, with whoever asked for it", async () => {
      const by = callerOf(await opened.employees.insert(anEmployee()));
      const { id } = await opened.assets.insert(anAsset({ description: "Left" }), by);
      await opened.assets.setActive(id, true, by);
      await opened.assets.setActive(id, false, by);
      await opened.assets.setActive(id, true);
      const state = { kind: "asset", id, name: "Pump", description: "Left" };
      assert.deepEqual(
        (await entriesOf("asset")).map(({ recordedAt: _, ...said }) => said),
        [
          { ...state, active: true, changedBy: by.employeeId },
          { ...state, active: false, changedBy: by.employeeId },
          { ...state, active: true, changedBy: null },
        ],
      );
    });

    test("records without an entry are found above ids, hashed, in the order of kinds and ids, at most so many", async () => {
      const { logs } = await writeLogs(5, 'An "é", a \\, a \t, \u2028 and 😀');
      await opened.assets.insert(anAsset({ description: "\u0001".repeat(1_000) }));
      const found = await trail.records.withoutEntry(none, 100);
      assert.deepEqual(
        found.map(({ kind }) => kind),
        ["employee", "asset", "asset", ...logs.map(() => "log")],
      );
      const logIds = found.flatMap(({ kind, recordId }) => (kind === "log" ? [recordId] : []));
      assert.deepEqual(
        logIds,
        logs.map(({ id }) => id),
      );
      assert.deepEqual(await trail.records.withoutEntry(none, 4), found.slice(0, 4));
      const [first = 0, second = 0] = logIds;
      const above = { employee: 1_000, asset: 1_000, log: second };
      assert.deepEqual(await trail.records.withoutEntry(above, 100), found.slice(5));
      await trail.ledger.append(0, [found[0], found[4]] as HashedRecord[], []);
      assert.deepEqual(
        await trail.records.withoutEntry(none, 100),
        found.filter((_, at) => at !== 0 && at !== 4),
      );
      assert.equal(first, found[3]?.recordId);
    });

    test("the hash of a record is that of the bytes of its entry", async () => {
      await writeLogs(300, 'An "é", a \\, a \t, \u2028 and 😀');
      const found = await numberAll();
      const entries: Uint8Array[] = [];
      while (entries.length < found.length) {
        const some = await trail.records.entries(entries.length, found.length);
        assert.ok(some.length > 0);
        entries.push(...some);
      }
      assert.deepEqual(
        entries.map(entry => hex(hasher.leaf(entry))),
        found.map(({ hash }) => hex(hash)),
      );
      assert.equal(hex(await trail.ledger.hashes(0, 0, 400)), found.map(({ hash }) => hex(hash)).join(""));
      assert.equal(
        hex(await trail.ledger.hashes(0, 5, 7)),
        found
          .slice(5, 7)
          .map(({ hash }) => hex(hash))
          .join(""),
      );
      assert.deepEqual(await trail.records.entries(found.length, found.length + 5), []);
    });

    test("entries that are long together come a few at a time, and one at least", async () => {
      await writeLogs(30, "\u0001".repeat(10_000));
      const { length } = await numberAll();
      const first = length - 30;
      for (let at = first; at < length; ) {
        const entries = await trail.records.entries(at, length);
        const total = entries.reduce((sum, entry) => sum + entry.length, 0);
        assert.ok(entries.length > 0 && total < 2_000_000, String(total));
        at += entries.length;
      }
    });

    test("a log's entry is known by its id, with its index once it has one", async () => {
      const { logs } = await writeLogs(2);
      const [{ id } = assert.fail()] = logs;
      const before = await trail.records.entryOfLog(id);
      assert.equal(before.index, undefined);
      assert.equal(readEntry(before.entry ?? assert.fail()).id, id);
      const found = await numberAll();
      const after = await trail.records.entryOfLog(id);
      assert.equal(
        after.index,
        found.findIndex(({ kind, recordId }) => kind === "log" && recordId === id),
      );
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

    test("entries get consecutive indexes at the end, which is known with the last ids", async () => {
      const { ledger } = trail;
      const mixed: HashedRecord[] = [
        { kind: "asset", recordId: 4, hash: bytes(101) },
        { kind: "employee", recordId: 6, hash: bytes(102) },
        { kind: "log", recordId: 2, hash: bytes(103) },
      ];
      assert.equal(
        await ledger.append(
          0,
          range(1, 301).map(id => logOf(id + 10)),
          [],
        ),
        true,
      );
      assert.equal(await ledger.append(300, mixed, []), true);
      const { lastHash, ...end } = await ledger.end();
      assert.deepEqual(end, { size: 303, lastIds: { log: 310, asset: 4, employee: 6 } });
      assert.equal(hex(lastHash ?? bytes(0)), hex(bytes(103)));
      assert.equal(hex(await ledger.hashes(0, 299, 301)), hex(bytes(310)) + hex(bytes(101)));
      assert.equal(await ledger.firstMissing(0, 303), undefined);
      assert.equal(await ledger.firstMissing(300, 305), 303);
      assert.equal(await ledger.firstRepeated(0, 303), undefined);
    });

    test("entries are added only where the trail ends, and never for a record that has one", async () => {
      const { ledger } = trail;
      assert.equal(await ledger.append(0, [logOf(1), logOf(2)], []), true);
      for (const [size, record] of [
        [0, logOf(3)],
        [1, logOf(3)],
        [3, logOf(3)],
        [2, logOf(2)],
      ] as const) {
        assert.equal(await ledger.append(size, [record, logOf(9)], [tile(0, 7)]), false, String(size));
      }
      assert.equal((await ledger.end()).size, 2);
      assert.equal((await ledger.hashes(1, 7, 8)).length, 0);
      assert.equal(await ledger.append(2, [{ ...logOf(2), kind: "asset" }], []), true);
    });

    test("of many who append at once, one succeeds, whole, and the others have done nothing", async () => {
      const { ledger } = trail;
      for (let round = 0; round < 5; round += 1) {
        const { size } = await ledger.end();
        const outcomes = await Promise.all(
          range(0, 8).map(each => {
            const records = range(0, 50 + each).map(at => logOf(1 + size + each * 10_000 + at));
            return ledger.append(size, records, [tile(0, size)]);
          }),
        );
        assert.equal(outcomes.filter(isDone => isDone).length, 1);
        const added = (await ledger.end()).size - size;
        assert.equal(added, 50 + outcomes.indexOf(true));
        assert.equal((await ledger.hashes(1, size, size + 1)).length, 32);
      }
    });

    test("tiles come back as they were stored", async () => {
      const { ledger } = trail;
      const tiles = [tile(0, 3), tile(0, 2), tile(1, 2), tile(0, 4)];
      assert.equal(await ledger.append(0, [logOf(1)], tiles), true);
      assert.equal(hex(await ledger.hashes(1, 2, 4)), hex(bytes(3)) + hex(bytes(4)));
      assert.equal(hex(await ledger.hashes(2, 0, 256)), hex(bytes(3)));
      assert.equal((await ledger.hashes(3, 0, 256)).length, 0);
    });

    test("nothing is found where nothing is wrong", async () => {
      await writeLogs(20);
      await numberAll();
      const found = [];
      for await (const finding of trail.records.findings()) found.push(finding);
      assert.deepEqual(found, []);
    });

    test("the checkpoint that was stored last is the last, whatever its size; an acceptance stores one too", async () => {
      const { checkpoints } = trail;
      await checkpoints.confirm();
      await checkpoints.add({ size: 7, root: bytes(1), note: "one" });
      await checkpoints.add({ size: 5, root: bytes(2), note: "two" });
      const last = async () => {
        const { size, root, note } = (await checkpoints.last()) ?? assert.fail();
        return [size, hex(root), note];
      };
      assert.deepEqual(await last(), [5, hex(bytes(2)), "two"]);
      const refused = { size: 7, root: bytes(1) };
      const accepted = { size: 3, root: bytes(3), note: "three" };
      await checkpoints.accept({ reason: "restored", refused, accepted });
      await checkpoints.accept({ reason: "again", refused: undefined, accepted });
      assert.deepEqual(await last(), [3, hex(bytes(3)), "three"]);
    });
  });
}
