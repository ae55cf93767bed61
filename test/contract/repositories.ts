import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { elementsOf, type JsonList } from "../../src/application/json-list.ts";
import type { Caller, Repositories } from "../../src/application/ports.ts";
import { isLive } from "../../src/application/sessions.ts";
import { assetProperties } from "../../src/domain/asset.ts";
import { employeeProperties } from "../../src/domain/employee.ts";
import type { ErrorCode } from "../../src/domain/error.ts";
import { logProperties, type NewLog } from "../../src/domain/maintenance-log.ts";
import { roles } from "../../src/domain/role.ts";
import { byAdmin, callerOf } from "../support/by-admin.ts";
import { aLog, anAsset, anEmployee, aStoredAsset, noChange } from "../support/test-records.ts";
import { succeeds } from "../support/until.ts";

export interface OpenRepositories extends Repositories {
  close(): Promise<void>;
}

export async function all<T>(list: JsonList<T>): Promise<T[]> {
  const elements: T[] = [];
  for await (const chunk of list) elements.push(...elementsOf<T>(chunk));
  return elements;
}

const refused = (code: ErrorCode, message: string) => ({ name: "DomainError", code, message });
const employeeNotFound = refused("NOT_FOUND", "Employee not found");
const assetNotFound = refused("NOT_FOUND", "Asset not found");
const emailTaken = refused("CONFLICT", "Email already exists");
const tokenNotValid = refused("TOKEN_REFUSED", "Token is not valid");
const unknownId = Number.MAX_SAFE_INTEGER;

/** What every implementation of the three repositories promises. */
export function repositoryContract(name: string, openRepositories: () => Promise<OpenRepositories>): void {
  describe(`repositories: ${name}`, () => {
    let opened: ReturnType<typeof byAdmin>;
    let close: () => Promise<void>;
    before(async () => {
      const repositories = await openRepositories();
      opened = byAdmin(repositories);
      close = repositories.close;
    });
    after(() => close());

    const append = async (assetId: number, performer: Caller, log: NewLog) =>
      (await opened.maintenanceLogs.append(assetId, performer, log)).log;

    describe("employees", () => {
      test("an inserted employee is active, has an id and is found again without its hash", async () => {
        const record = anEmployee({ role: "MANAGER" });
        const { passwordHash, ...visible } = record;
        const employee = await opened.employees.insert(record);
        assert.deepEqual({ ...employee }, { id: employee.id, ...visible, active: true });
        assert.deepEqual(Object.keys(employee), Object.keys(employeeProperties));
        assert.ok(Number.isSafeInteger(employee.id));
        assert.deepEqual(await opened.employees.find(employee.id), employee);
      });

      test("an email whose domain is written as browsers send it is the one in Unicode", async () => {
        const { employees } = opened;
        const [sent, inAscii, other] = [
          anEmployee({ email: "Jo@MÜNCHEN.example" }),
          "jo@xn--mnchen-3ya.example",
          "jo@muenchen.example",
        ] as const;
        const employee = await employees.insert(sent);
        assert.equal(employee.email, sent.email);
        assert.equal((await employees.findAccount(inAscii))?.employee.id, employee.id);
        await assert.rejects(employees.insert(anEmployee({ email: inAscii })), emailTaken);
        const changed = await employees.update(employee.id, { ...noChange, email: inAscii }, roles);
        assert.equal(changed.email, inAscii);
        // It is the same login name: nothing is revoked.
        assert.equal((await employees.findAccount(sent.email))?.tokenVersion, 1);
        assert.equal(await employees.findAccount(other), undefined);
        const asset = await opened.assets.insert(anAsset());
        const { performedByEmployeeId } = await append(
          asset.id,
          callerOf({ ...employee, email: sent.email }),
          aLog(),
        );
        assert.equal(performedByEmployeeId, employee.id);
      });

      test("an account is found by its email in any case, also beyond ASCII, which is kept as sent; an unknown one is undefined", async () => {
        const record = anEmployee({ email: "Élise.Case@Example.com" });
        const employee = await opened.employees.insert(record);
        assert.equal(employee.email, record.email);
        const account = (await opened.employees.findAccount(" éLISE.case@example.COM ")) ?? assert.fail();
        const { passwordHash } = record;
        const { tokensValidFrom } = account;
        assert.ok(tokensValidFrom > 0);
        const fresh = { passwordHash, tokenVersion: 1, survivingTokenId: null, tokensValidFrom };
        assert.deepEqual(account, { employee, ...fresh });
        for (const unknown of ["elise.case@example.com", "nobody@example.com"])
          assert.equal(await opened.employees.findAccount(unknown), undefined);
      });

      test("an update changes what was sent and nothing else", async () => {
        const record = anEmployee();
        const before = await opened.employees.insert(record);
        assert.deepEqual({ ...(await opened.employees.update(before.id, noChange, roles)) }, { ...before });
        const some = { ...noChange, firstName: "Grace", email: `grace.${before.id}@example.com` };
        const after = { ...before, firstName: "Grace", email: some.email };
        assert.deepEqual({ ...(await opened.employees.update(before.id, some, roles)) }, after);
        const rest = { ...noChange, lastName: "Hopper", phone: "000 111", role: "ADMIN" as const };
        await opened.employees.update(before.id, rest, roles);
        const { employee, passwordHash, tokenVersion } =
          (await opened.employees.findAccount(after.email)) ?? {};
        assert.deepEqual(employee, { ...after, lastName: "Hopper", phone: "000 111", role: "ADMIN" });
        assert.deepEqual([passwordHash, tokenVersion], [record.passwordHash, 3]);
      });

      test("a change of what is no longer as expected changes nothing, and of simultaneous ones one succeeds", async () => {
        const before = await opened.employees.insert(anEmployee());
        const named = (firstName: string) => ({ ...noChange, firstName });
        const changed = { name: "DomainError", code: "CHANGED" };
        const after = await opened.employees.update(before.id, named("Grace"), roles, undefined, before);
        assert.equal(after.firstName, "Grace");
        await assert.rejects(
          opened.employees.update(before.id, named("Mary"), roles, undefined, before),
          changed,
        );
        await assert.rejects(opened.employees.setActive(before.id, false, undefined, before), changed);
        assert.deepEqual({ ...(await opened.employees.find(before.id)) }, { ...after });
        const names = ["Anna", "Bea", "Cleo"];
        const results = await Promise.allSettled(
          names.map(name => opened.employees.update(before.id, named(name), roles, undefined, after)),
        );
        assert.deepEqual(results.map(({ status }) => status).sort(), ["fulfilled", "rejected", "rejected"]);
        const now = await opened.employees.find(before.id);
        await opened.employees.setActive(before.id, false, undefined, now);
        assert.equal((await opened.employees.find(before.id)).active, false);
      });

      test("an unknown id is not found", async () => {
        for (const id of [0, unknownId]) {
          await assert.rejects(opened.employees.find(id), employeeNotFound);
          await assert.rejects(opened.employees.update(id, noChange, roles), employeeNotFound);
          await assert.rejects(opened.employees.setActive(id, false), employeeNotFound);
        }
      });

      test("of many replacements of one password hash exactly one succeeds", async () => {
        const { passwordHash, ...record } = anEmployee();
        const employee = await opened.employees.insert({ ...record, passwordHash });
        const caller = callerOf(employee, 1, "token");
        const outcomes = await Promise.all(
          Array.from({ length: 10 }, (_, i) =>
            opened.employees.replacePasswordHash(passwordHash, `next ${i}`, caller),
          ),
        );
        assert.equal(outcomes.filter(Boolean).length, 1);
        const next = `next ${outcomes.indexOf(true)}`;
        assert.equal((await opened.employees.findAccount(employee.email))?.passwordHash, next);
        const unknown = { ...caller, employeeId: unknownId };
        await assert.rejects(opened.employees.replacePasswordHash(next, "x", unknown), tokenNotValid);
      });

      describe("revocation", () => {
        const stateOf = async (email: string) => {
          const { employee: _, ...state } = (await opened.employees.findAccount(email)) ?? {
            employee: undefined,
          };
          return state as { tokenVersion: number; survivingTokenId: string | null; tokensValidFrom: number };
        };

        test("a change of role, email, password or to inactive counts the version up; nothing else does", async () => {
          const { id, email } = await opened.employees.insert(anEmployee());
          const before = await stateOf(email);
          assert.deepEqual([before.tokenVersion, before.survivingTokenId], [1, null]);
          const moved = `moved.${id}@example.com`;
          const employees = opened.employees;
          for (const [change, version] of [
            [
              () =>
                employees.update(
                  id,
                  { ...noChange, firstName: "Mary", phone: "000 000", role: "TECHNICIAN" },
                  roles,
                ),
              1,
            ],
            [() => employees.update(id, { ...noChange, email: email.toUpperCase() }, roles), 1],
            [() => employees.setActive(id, true), 1],
            [() => employees.setActive(id, false), 2],
            [() => employees.setActive(id, false), 2],
            [() => employees.setActive(id, true), 2],
            [() => employees.update(id, { ...noChange, role: "MANAGER" }, roles), 3],
            [() => employees.update(id, { ...noChange, role: "TECHNICIAN" }, roles), 4],
            [() => employees.update(id, { ...noChange, email: moved }, roles), 5],
            [() => employees.update(id, { ...noChange, email }, roles), 6],
          ] as const) {
            await change();
            const account = (await employees.findAccount(email)) ?? (await employees.findAccount(moved));
            assert.equal(account?.tokenVersion, version);
          }
          assert.ok((await stateOf(email)).tokensValidFrom > before.tokensValidFrom);
        });

        test("a password change names the token that lives on, until something else is revoked", async () => {
          const record = anEmployee();
          const employee = await opened.employees.insert(record);
          const { id, email } = employee;
          const survivors = async () => {
            const { tokenVersion, survivingTokenId } = await stateOf(email);
            return [tokenVersion, survivingTokenId];
          };
          const replace = (passwordHash: string, tokenVersion: number, next: string, survivor?: string) =>
            opened.employees.replacePasswordHash(
              passwordHash,
              next,
              callerOf(employee, tokenVersion, survivor),
            );
          await replace(record.passwordHash, 1, "second", "token 1");
          assert.deepEqual(await survivors(), [2, "token 1"]);
          await replace("second", 2, "third", "token 1");
          assert.deepEqual(await survivors(), [3, "token 1"]);
          await replace("third", 3, "fourth");
          assert.deepEqual(await survivors(), [4, null]);
          await replace("fourth", 4, "fifth", "token 2");
          await opened.employees.update(id, { ...noChange, firstName: "Mary" }, roles);
          assert.deepEqual(await survivors(), [5, "token 2"]);
          await opened.employees.setActive(id, false);
          assert.deepEqual(await survivors(), [6, null]);
        });

        test("a token that was revoked since cannot be made the one that lives on", async () => {
          const record = anEmployee({ role: "MANAGER" });
          const employee = await opened.employees.insert(record);
          const { id, email } = employee;
          const replace = (tokenVersion: number) =>
            opened.employees.replacePasswordHash(
              record.passwordHash,
              "next",
              callerOf(employee, tokenVersion, "token 1"),
            );
          await opened.employees.update(id, { ...noChange, role: "TECHNICIAN" }, roles);
          await assert.rejects(replace(1), tokenNotValid);
          await opened.employees.setActive(id, false);
          await assert.rejects(replace(3), tokenNotValid, "not even with the right version when inactive");
          const { tokenVersion, survivingTokenId } = await stateOf(email);
          assert.deepEqual([tokenVersion, survivingTokenId], [3, null]);
        });

        test("an appointment to ADMIN revokes every token", async () => {
          const record = anEmployee({ role: "ADMIN" });
          const employee = await opened.employees.insert(record);
          const { email } = employee;
          const caller = callerOf(employee, 1, "token 1");
          await opened.employees.replacePasswordHash(record.passwordHash, "second", caller);
          await opened.employees.appointAdmin({ ...record, passwordHash: "third" });
          const { tokenVersion, survivingTokenId } = await stateOf(email);
          assert.deepEqual([tokenVersion, survivingTokenId], [3, null]);
        });
      });

      test("a password that the operator sets revokes every token, and changes nothing else", async () => {
        const record = anEmployee();
        const employee = await opened.employees.insert(record);
        const caller = callerOf(employee, 1, "token 1");
        await opened.employees.replacePasswordHash(record.passwordHash, "second", caller);
        await opened.employees.setPasswordHash(employee.id, "third");
        const credentials = await opened.employees.findAccount(employee.email);
        const { tokensValidFrom = 0 } = credentials ?? {};
        const revoked = { tokenVersion: 3, survivingTokenId: null, tokensValidFrom };
        assert.deepEqual(credentials, { employee, passwordHash: "third", ...revoked });
        assert.ok(tokensValidFrom > 0);
        await assert.rejects(opened.employees.setPasswordHash(unknownId, "x"), employeeNotFound);
      });
    });

    describe("a change by a caller", () => {
      /** Every way of writing, with what it asks for as a thunk. */
      const changesBy = async (caller: Caller) => {
        const { employees, assets, maintenanceLogs } = opened;
        const other = await employees.insert(anEmployee());
        const asset = await assets.insert(anAsset());
        const rename = { ...noChange, firstName: "Mary" };
        const key = `key-${other.id}`;
        return {
          register: () => employees.insert(anEmployee(), caller),
          "change another employee": () => employees.update(other.id, rename, roles, caller),
          "change themselves": () => employees.update(caller.employeeId, rename, roles, caller),
          "deactivate another employee": () => employees.setActive(other.id, false, caller),
          "reactivate themselves": () => employees.setActive(caller.employeeId, true, caller),
          "create an asset": () => assets.insert(anAsset(), caller),
          "deactivate an asset": () => assets.setActive(asset.id, false, caller),
          "write a log": () => maintenanceLogs.append(asset.id, caller, aLog()),
          "write a log with a key": () => maintenanceLogs.append(asset.id, caller, aLog(), key),
          "write the same log again": () => maintenanceLogs.append(asset.id, caller, aLog(), key),
        };
      };
      const records = async () => [
        await all(opened.employees.list({ active: undefined })),
        await all(opened.assets.list({ active: undefined })),
        await all(opened.maintenanceLogs.list({})),
      ];

      test("is made while the caller's token lives", async () => {
        const caller = callerOf(await opened.employees.insert(anEmployee({ role: "ADMIN" })));
        for (const change of Object.values(await changesBy(caller))) await change();
      });

      for (const [what, revoke] of [
        ["was deactivated", (id: number) => opened.employees.setActive(id, false)],
        [
          "has another role",
          (id: number) => opened.employees.update(id, { ...noChange, role: "MANAGER" }, roles),
        ],
        ["has a new password", (id: number) => opened.employees.setPasswordHash(id, "next")],
      ] as const) {
        test(`is refused, and nothing written, when the caller ${what}`, async () => {
          const caller = callerOf(await opened.employees.insert(anEmployee({ role: "ADMIN" })), 1, "token 1");
          const changes = await changesBy(caller);
          await revoke(caller.employeeId);
          const before = await records();
          for (const [name, change] of Object.entries(changes)) {
            await assert.rejects(change(), tokenNotValid, name);
          }
          assert.deepEqual(await records(), before);
        });
      }

      test("is made while its token is live by the rule of the sessions", async () => {
        const record = anEmployee({ role: "ADMIN" });
        const employee = await opened.employees.insert(record);
        const survivor = callerOf(employee, 1, "token 1");
        const outcomes: boolean[] = [];
        for (const prepare of [
          async () => {},
          () => opened.employees.replacePasswordHash(record.passwordHash, "second", survivor),
          () => opened.employees.setActive(employee.id, false),
          () => opened.employees.setActive(employee.id, true),
        ]) {
          await prepare();
          const account = await opened.employees.findAccount(employee.email);
          assert.ok(account);
          for (const tokenVersion of [1, 2, 3]) {
            for (const tokenId of ["token 1", "token 2", undefined]) {
              const caller = callerOf(employee, tokenVersion, tokenId);
              const expected = isLive(account, caller);
              for (const change of [
                () => opened.assets.insert(anAsset(), caller),
                () => opened.employees.update(employee.id, noChange, roles, caller),
              ]) {
                assert.equal(await succeeds(change()), expected, JSON.stringify({ account, caller }));
              }
              outcomes.push(expected);
            }
          }
        }
        assert.equal(outcomes.filter(isMade => isMade).length, 3 + 5 + 0 + 3);
      });

      test("of what is not there says so, and that the token is dead before that", async () => {
        const employee = await opened.employees.insert(anEmployee({ role: "ADMIN" }));
        const caller = callerOf(employee);
        const attempts = [
          [() => opened.employees.update(unknownId, noChange, roles, caller), employeeNotFound],
          [() => opened.employees.setActive(unknownId, false, caller), employeeNotFound],
          [() => opened.assets.setActive(unknownId, false, caller), assetNotFound],
          [() => opened.maintenanceLogs.append(unknownId, caller, aLog()), assetNotFound],
        ] as const;
        for (const [attempt, expected] of attempts) await assert.rejects(attempt(), expected);
        await opened.employees.setActive(employee.id, false);
        for (const [attempt] of attempts) await assert.rejects(attempt(), tokenNotValid);
      });
    });

    describe("the first admin", () => {
      test("is appointed when there is none, with a new account or with an existing one", async () => {
        const { close, ...repositories } = await openRepositories();
        const own = byAdmin(repositories);
        try {
          const record = anEmployee();
          assert.equal(await own.employees.hasActiveAdmin(), false);
          const admin = await own.admin(record);
          assert.equal(admin.role, "ADMIN");
          assert.equal(await own.employees.hasActiveAdmin(), true);

          const technician = await own.employees.insert(anEmployee());
          await own.employees.setActive(technician.id, false);
          await own.employees.setActive(admin.id, false);
          assert.equal(await own.employees.hasActiveAdmin(), false);

          const again = {
            ...record,
            email: technician.email.toUpperCase(),
            firstName: "Other",
            passwordHash: "new",
          };
          const appointed = await own.employees.appointAdmin(again);
          assert.deepEqual({ ...appointed }, { ...technician, role: "ADMIN", active: true });
          assert.equal((await own.employees.findAccount(technician.email))?.passwordHash, "new");
          assert.equal(await own.employees.hasActiveAdmin(), true);
        } finally {
          await close();
        }
      });
    });

    describe("assets", () => {
      test("an inserted asset is found again, without a log date", async () => {
        const asset = await opened.assets.insert(anAsset({ description: "Left of the door" }));
        assert.deepEqual({ ...asset }, aStoredAsset({ id: asset.id, description: "Left of the door" }));
        assert.deepEqual(Object.keys(asset), Object.keys(assetProperties));
        assert.deepEqual(await opened.assets.find(asset.id), asset);
        assert.equal((await opened.assets.insert(anAsset({ active: false }))).active, false);
      });

      test("the log date is that of the latest performed date, and null in lists", async () => {
        const { id } = await opened.assets.insert(anAsset());
        const performer = callerOf(await opened.employees.insert(anEmployee()));
        for (const performedDate of [
          "2026-03-29T02:30:00.5",
          "2026-03-29T02:30:00.25",
          "1999-12-31T23:59:59",
        ]) {
          await append(id, performer, aLog({ performedDate }));
        }
        assert.equal((await opened.assets.find(id)).lastLogDate, "2026-03-29T02:30:00.5");
        const listed = (await all(opened.assets.list({ active: undefined }))).find(asset => asset.id === id);
        assert.equal(listed?.lastLogDate, null);
      });

      test("an unknown id is not found", async () => {
        for (const id of [0, unknownId]) {
          await assert.rejects(opened.assets.find(id), assetNotFound);
          await assert.rejects(opened.assets.setActive(id, false), assetNotFound);
        }
      });
    });

    describe("maintenance logs", () => {
      test("an appended log, also of an inactive asset, answers with the names and is found again, with those of today", async () => {
        const asset = await opened.assets.insert(anAsset({ name: "Boiler", active: false }));
        const employee = await opened.employees.insert(
          anEmployee({ firstName: "Grace", lastName: "Hopper" }),
        );
        const log = await append(asset.id, callerOf(employee), aLog());
        assert.deepEqual(
          { ...log },
          {
            id: log.id,
            ...aLog(),
            assetId: asset.id,
            assetName: "Boiler",
            performedByEmployeeId: employee.id,
            performedByName: "Grace Hopper",
          },
        );
        assert.deepEqual(Object.keys(log), Object.keys(logProperties));
        assert.deepEqual(await opened.maintenanceLogs.find(log.id), log);
        const changes = { ...noChange, firstName: "Mary", lastName: "Shelley" };
        await opened.employees.update(employee.id, changes, roles);
        await opened.employees.setActive(employee.id, false);
        assert.equal((await opened.maintenanceLogs.find(log.id)).performedByName, "Mary Shelley");
      });

      test("nothing is written for an unknown asset or performer; the performer is asked for first", async () => {
        const asset = await opened.assets.insert(anAsset());
        const employee = await opened.employees.insert(anEmployee());
        const { maintenanceLogs } = opened;
        const performerUnknown = refused("UNAUTHENTICATED", "No employee matches the token");
        await assert.rejects(maintenanceLogs.append(unknownId, callerOf(employee), aLog()), assetNotFound);
        for (const performer of [
          { ...callerOf(employee), employeeId: unknownId },
          callerOf({ ...employee, email: "other@example.com" }),
        ]) {
          await assert.rejects(maintenanceLogs.append(asset.id, performer, aLog()), performerUnknown);
          await assert.rejects(maintenanceLogs.append(unknownId, performer, aLog()), performerUnknown);
        }
        assert.deepEqual(await all(maintenanceLogs.listOfAsset(asset.id, {})), []);
        assert.deepEqual(await all(maintenanceLogs.listOfPerformer(employee.id, {})), []);
      });

      describe("idempotency keys", () => {
        async function openAsset() {
          const asset = await opened.assets.insert(anAsset());
          const employee = await opened.employees.insert(anEmployee());
          const send = (log: NewLog, key?: string, assetId = asset.id, performer = callerOf(employee)) =>
            opened.maintenanceLogs.append(assetId, performer, log, key);
          return {
            asset,
            send,
            written: () => all(opened.maintenanceLogs.listOfAsset(asset.id, {})),
          };
        }
        const reused = refused("UNPROCESSABLE", "Idempotency-Key was used for another log");

        test("another log under the same key is refused, on another asset too", async () => {
          const { send, written } = await openAsset();
          const other = await opened.assets.insert(anAsset());
          await send(aLog(), "key");
          for (const changes of [
            { performedDate: "2026-02-28T10:20:30.000001" },
            { status: "CANCELLED" },
            { taskType: "ERROR" },
            { comment: "" },
          ] as const) {
            await assert.rejects(send(aLog(changes), "key"), reused);
          }
          await assert.rejects(send(aLog(), "key", other.id), reused);
          assert.equal((await written()).length, 1);
        });

        test("keys are each employee's own, and differ in case", async () => {
          const { asset, send, written } = await openAsset();
          const other = callerOf(await opened.employees.insert(anEmployee()));
          const sent = [
            await send(aLog(), "key"),
            await send(aLog({ comment: "other" }), "key", asset.id, other),
            await send(aLog({ comment: "another" }), "KEY"),
            await send(aLog()),
            await send(aLog()),
          ];
          assert.ok(sent.every(({ isReplay }) => !isReplay));
          assert.equal((await written()).length, sent.length);
        });

        test("of fifty at once one writes and the others find what it wrote", async () => {
          const { send, written } = await openAsset();
          const answers = await Promise.all(Array.from({ length: 50 }, () => send(aLog(), "key")));
          assert.equal(answers.filter(({ isReplay }) => !isReplay).length, 1);
          assert.equal(new Set(answers.map(({ log }) => log.id)).size, 1);
          assert.equal((await written()).length, 1);
        });

        test("a key that comes again with logs without one is a replay, and each of the others a log", async () => {
          const { send, written } = await openAsset();
          await send(aLog(), "key");
          const answers = await Promise.all([send(aLog(), "key"), send(aLog()), send(aLog())]);
          assert.deepEqual(
            answers.map(({ isReplay }) => isReplay),
            [true, false, false],
          );
          assert.equal((await written()).length, 3);
        });

        test("a key under which nothing could be written is free", async () => {
          const { send } = await openAsset();
          await assert.rejects(send(aLog(), "key", unknownId), assetNotFound);
          assert.equal((await send(aLog(), "key")).isReplay, false);
        });
      });

      test("the newest logs of active assets are exactly as many as asked for, however long they are", async () => {
        const asset = await opened.assets.insert(anAsset());
        const performer = callerOf(await opened.employees.insert(anEmployee()));
        const log = aLog({ performedDate: "9999-12-31T23:59:59.95", comment: "漢".repeat(10_000) });
        const written = await Promise.all(Array.from({ length: 25 }, () => append(asset.id, performer, log)));
        const ids = written.map(({ id }) => id).sort((a, b) => b - a);
        const newest = async (limit: number) =>
          (await all(opened.maintenanceLogs.listOfActiveAssets({}, limit))).map(({ id }) => id);
        for (const limit of [1, 9, 10, 12, 24, 25])
          assert.deepEqual(await newest(limit), ids.slice(0, limit));
        const whole = (await newest(Number.POSITIVE_INFINITY)).length;
        for (const limit of [whole, 100_000, Number.MAX_SAFE_INTEGER, 1e300]) {
          assert.equal((await newest(limit)).length, whole);
        }
        assert.equal((await newest(whole - 1)).length, whole - 1);
        const { performedDate } = log;
        const status = "PENDING" as const;
        const filtered = opened.maintenanceLogs.listOfActiveAssets(
          { performedFrom: performedDate, status },
          1_001,
        );
        assert.deepEqual(
          (await all(filtered)).map(({ id }) => id),
          ids,
        );
      });

      test("an unknown log, asset or employee is not found", async () => {
        for (const id of [0, unknownId]) {
          await assert.rejects(opened.maintenanceLogs.find(id), refused("NOT_FOUND", "Log not found"));
          await assert.rejects(all(opened.maintenanceLogs.listOfAsset(id, {})), assetNotFound);
          await assert.rejects(all(opened.maintenanceLogs.listOfPerformer(id, {})), employeeNotFound);
        }
      });
    });
  });
}
