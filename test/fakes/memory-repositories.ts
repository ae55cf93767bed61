import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../src/application/clock-and-log.ts";
import type { JsonList } from "../../src/application/json-list.ts";
import type { Account, Caller, EmployeeRecord, Repositories } from "../../src/application/ports.ts";
import { isLive } from "../../src/application/sessions.ts";
import type { Asset } from "../../src/domain/asset.ts";
import { type EmailKey, type Employee, emailKey } from "../../src/domain/employee.ts";
import { emailTaken, forbidden, notFound, recordChanged, tokenRevoked } from "../../src/domain/error.ts";
import {
  compareNewestFirst,
  type LogQuery,
  type MaintenanceLog,
  startOf,
} from "../../src/domain/maintenance-log.ts";
import type { EntryKind } from "../../src/domain/trail/entry.ts";
import { entryOf } from "../support/entry-bytes.ts";
import { makeMemoryTrail, type RecordsOf } from "./memory-trail.ts";

type StoredLog = Omit<MaintenanceLog, "assetName" | "performedByName">;
type StoredAsset = Omit<Asset, "lastLogDate">;

/** Small, so that a list of a few records already comes in several chunks. */
const chunkSize = 2;
const mostPageBytes = 256 * 1024;

/** With a limit they are a page, which ends early when it gets long. */
async function* inChunks<T>(rows: readonly T[], limit?: number): JsonList<T, T> {
  let room = limit === undefined ? Number.POSITIVE_INFINITY : mostPageBytes;
  const end = Math.min(rows.length, limit ?? rows.length);
  for (let at = 0; at < end && room > 0; at += chunkSize) {
    const chunk = rows.slice(at, Math.min(at + chunkSize, end));
    const content = Buffer.from(chunk.map(row => JSON.stringify(row)).join());
    room -= content.length;
    yield { content, next: at + chunk.length < rows.length ? chunk.at(-1) : undefined };
  }
}

/** All records in memory, with the promises of the ports kept as PostgreSQL keeps them. */
export function makeMemoryRepositories(clock: Pick<Clock, "now"> = { now: () => new Date() }): Repositories {
  const employees: Account[] = [];
  const assets: StoredAsset[] = [];
  const logs: StoredLog[] = [];
  const keyed = new Map<string, StoredLog>();
  const records: RecordsOf = { log: [], employee: [], asset: [] };

  const recordedAt = () => clock.now().toISOString().replace("Z", "000Z");
  const addRecord = (kind: EntryKind, state: object, by?: Caller) =>
    records[kind].push({
      kind,
      recordId: records[kind].length + 1,
      entry: entryOf(kind, { ...state, changedBy: by?.employeeId ?? null, recordedAt: recordedAt() }),
    });

  const ofId = (id: number) => employees.findIndex(({ employee }) => employee.id === id);
  const ofEmail = (key: EmailKey) => employees.find(({ employee }) => emailKey(employee.email) === key);
  const existing = (id: number): Account => {
    const found = employees[ofId(id)];
    if (found === undefined) throw notFound("Employee");
    return found;
  };
  const refuseRevoked = (by: Caller): void => {
    const account = employees[ofId(by.employeeId)];
    if (account === undefined || !isLive(account, by)) throw tokenRevoked();
  };
  const refuseChanged = (id: number, expected: Employee | undefined): void => {
    if (expected !== undefined && !isDeepStrictEqual({ ...existing(id).employee }, { ...expected })) {
      throw recordChanged();
    }
  };
  const seconds = () => Math.floor(clock.now().getTime() / 1_000);
  const change = (
    id: number,
    changes: Partial<Employee>,
    by: Caller | undefined,
    password?: PasswordChange,
  ): Employee => {
    const before = existing(id);
    const employee = { ...before.employee, ...changes };
    const isRevoking =
      password !== undefined ||
      employee.role !== before.employee.role ||
      emailKey(employee.email) !== emailKey(before.employee.email) ||
      (before.employee.active && !employee.active);
    const revoked = {
      tokenVersion: before.tokenVersion + 1,
      tokensValidFrom: seconds() + 1,
      survivingTokenId: password?.survivingTokenId ?? null,
    };
    const passwordHash = password?.passwordHash ?? before.passwordHash;
    employees[ofId(id)] = { ...before, ...(isRevoking && revoked), employee, passwordHash };
    const { role, active } = before.employee;
    if (employee.role !== role || employee.active !== active) addRecord("employee", employee, by);
    return employee;
  };
  const insert = ({ passwordHash, ...record }: EmployeeRecord, by?: Caller): Employee => {
    if (ofEmail(emailKey(record.email)) !== undefined) throw emailTaken();
    const employee = { id: employees.length + 1, ...record, active: true };
    const account = { tokenVersion: 1, survivingTokenId: null, tokensValidFrom: seconds() };
    employees.push({ employee, passwordHash, ...account });
    addRecord("employee", employee, by);
    return employee;
  };

  const shown = ({ performedByEmployeeId, assetId, ...log }: StoredLog): MaintenanceLog => ({
    ...log,
    assetId,
    assetName: assets[assetId - 1]?.name ?? "",
    performedByEmployeeId,
    performedByName: displayName(existing(performedByEmployeeId).employee),
  });
  const listed = (part: LogQuery, isOfList: (log: StoredLog) => boolean): MaintenanceLog[] =>
    logs
      .filter(log => isOfList(log) && isOfPart(log, part))
      .sort(compareNewestFirst)
      .map(shown);

  return {
    employees: {
      list: ({ active }) =>
        inChunks(
          employees
            .map(({ employee }) => employee)
            .filter(employee => active === undefined || employee.active === active),
        ),
      find: async id => existing(id).employee,
      findAccount: async key => ofEmail(key),
      async insert(record, by) {
        refuseRevoked(by);
        return insert(record, by);
      },

      async update(id, changes, editableRoles, by, expected) {
        refuseRevoked(by);
        const { role: formerRole } = existing(id).employee;
        if (!editableRoles.includes(formerRole)) throw forbidden();
        refuseChanged(id, expected);
        const sent = Object.entries(changes).filter(([, value]) => value !== undefined);
        const holder = changes.email === undefined ? undefined : ofEmail(emailKey(changes.email));
        if (holder !== undefined && holder.employee.id !== id) throw emailTaken();
        return { employee: change(id, Object.fromEntries(sent), by), formerRole };
      },

      async setActive(id, active, by, expected) {
        refuseRevoked(by);
        refuseChanged(id, expected);
        change(id, { active }, by);
      },

      async replacePasswordHash(expected, passwordHash, by) {
        refuseRevoked(by);
        if (existing(by.employeeId).passwordHash !== expected) return false;
        change(by.employeeId, {}, by, { passwordHash, survivingTokenId: by.tokenId });
        return true;
      },

      async setPasswordHash(id, passwordHash) {
        change(id, {}, undefined, { passwordHash, survivingTokenId: undefined });
      },

      async appointAdmin(record) {
        const holder = ofEmail(emailKey(record.email));
        if (holder === undefined) return insert({ ...record, role: "ADMIN" });
        const { passwordHash } = record;
        return change(holder.employee.id, { role: "ADMIN", active: true }, undefined, {
          passwordHash,
          survivingTokenId: undefined,
        });
      },

      hasActiveAdmin: async () =>
        employees.some(({ employee }) => employee.role === "ADMIN" && employee.active),
    },

    assets: {
      list: ({ active }) =>
        inChunks(
          assets
            .filter(asset => active === undefined || asset.active === active)
            .map(asset => ({ ...asset, lastLogDate: null })),
        ),

      async find(id) {
        const asset = assets[id - 1];
        if (asset === undefined) throw notFound("Asset");
        const [newest] = listed({}, log => log.assetId === id);
        return { ...asset, lastLogDate: newest?.performedDate ?? null };
      },

      async insert(sent, by) {
        refuseRevoked(by);
        const asset = { id: assets.length + 1, ...sent };
        assets.push(asset);
        addRecord("asset", asset, by);
        return { ...asset, lastLogDate: null };
      },

      async setActive(id, active, by) {
        refuseRevoked(by);
        const asset = assets[id - 1];
        if (asset === undefined) throw notFound("Asset");
        assets[id - 1] = { ...asset, active };
        if (asset.active !== active) addRecord("asset", { ...asset, active }, by);
      },
    },

    maintenanceLogs: {
      async append(assetId, performer, sent, key) {
        const employee = employees[ofId(performer.employeeId)]?.employee;
        if (employee === undefined || emailKey(employee.email) !== performer.email) {
          return { outcome: "no performer" };
        }
        if (!isLive(existing(employee.id), performer)) return { outcome: "revoked" };
        if (assets[assetId - 1] === undefined) return { outcome: "no asset" };
        const slot = `${employee.id} ${key}`;
        const earlier = key === undefined ? undefined : keyed.get(slot);
        if (earlier !== undefined) return { outcome: "key in use", log: shown(earlier) };
        const log = { id: logs.length + 1, ...sent, assetId, performedByEmployeeId: employee.id };
        logs.push(log);
        addRecord("log", { ...log, performedByName: displayName(employee) }, performer);
        keyed.set(slot, log);
        return { outcome: "written", log: shown(log) };
      },

      async find(id) {
        const log = logs[id - 1];
        if (log === undefined) throw notFound("Log");
        return shown(log);
      },

      list: part =>
        inChunks(
          listed(part, () => true),
          part.limit,
        ),

      async *listOfAsset(assetId, part) {
        if (assets[assetId - 1] === undefined) throw notFound("Asset");
        yield* inChunks(
          listed(part, log => log.assetId === assetId),
          part.limit,
        );
      },

      async *listOfPerformer(employeeId, part) {
        existing(employeeId);
        yield* inChunks(
          listed(part, log => log.performedByEmployeeId === employeeId),
          part.limit,
        );
      },

      listOfActiveAssets: (filter, limit) =>
        inChunks(listed(filter, log => assets[log.assetId - 1]?.active === true).slice(0, limit)),
    },

    trail: makeMemoryTrail(records, kind => records[kind].length),
  };
}

interface PasswordChange {
  readonly passwordHash: string;
  readonly survivingTokenId: string | undefined;
}

function isOfPart(log: StoredLog, part: LogQuery): boolean {
  const { status, taskType, performedFrom = "" } = part;
  const start = startOf(part);
  return (
    (status === undefined || log.status === status) &&
    (taskType === undefined || log.taskType === taskType) &&
    log.performedDate >= performedFrom &&
    (start === undefined || compareNewestFirst(start, log) < 0)
  );
}

const displayName = ({ firstName, lastName }: Employee): string => `${firstName} ${lastName}`;
