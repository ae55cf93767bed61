import type { Batches, Credentials, EmployeeRecord, Repositories } from "../../src/application/ports.ts";
import type { Asset } from "../../src/domain/asset.ts";
import { displayName, type Employee, foldEmail } from "../../src/domain/employee.ts";
import { emailTaken, notFound, performerUnknown, unauthorized } from "../../src/domain/error.ts";
import type { LogFilter, MaintenanceLog } from "../../src/domain/maintenance-log.ts";

type StoredLog = Omit<MaintenanceLog, "assetName" | "performedByName">;
type StoredAsset = Omit<Asset, "lastLogDate">;

/** Small, so that a list of a few records already comes in several batches. */
const batchSize = 2;

async function* inBatches<T>(rows: readonly T[]): Batches<T> {
  for (let at = 0; at < rows.length; at += batchSize) yield rows.slice(at, at + batchSize);
}

/** All records in memory, with the promises of the ports kept as PostgreSQL keeps them. */
export function makeMemoryRepositories(): Repositories {
  const employees: Credentials[] = [];
  const assets: StoredAsset[] = [];
  const logs: StoredLog[] = [];

  const ofId = (id: number) => employees.findIndex(({ employee }) => employee.id === id);
  const ofEmail = (email: string) =>
    employees.find(({ employee }) => foldEmail(employee.email) === foldEmail(email));
  const existing = (id: number): Credentials => {
    const found = employees[ofId(id)];
    if (found === undefined) throw notFound("Employee");
    return found;
  };
  const change = (id: number, changes: Partial<Employee>, passwordHash?: string): Employee => {
    const before = existing(id);
    const employee = { ...before.employee, ...changes };
    employees[ofId(id)] = { employee, passwordHash: passwordHash ?? before.passwordHash };
    return employee;
  };
  const insert = ({ passwordHash, ...record }: EmployeeRecord): Employee => {
    if (ofEmail(record.email) !== undefined) throw emailTaken();
    const { firstName, lastName, phone, email, role } = record;
    const employee = { id: employees.length + 1, firstName, lastName, phone, email, role, active: true };
    employees.push({ employee, passwordHash });
    return employee;
  };

  const shown = ({ performedByEmployeeId, assetId, ...log }: StoredLog): MaintenanceLog => ({
    ...log,
    assetId,
    assetName: assets[assetId - 1]?.name ?? "",
    performedByEmployeeId,
    performedByName: displayName(existing(performedByEmployeeId).employee),
  });
  const newestFirst = (keep: (log: StoredLog) => boolean): MaintenanceLog[] =>
    logs
      .filter(keep)
      .sort((a, b) => compare(b.performedDate, a.performedDate) || b.id - a.id)
      .map(shown);
  const matches =
    ({ status, taskType }: LogFilter) =>
    (log: StoredLog) =>
      (status === undefined || log.status === status) &&
      (taskType === undefined || log.taskType === taskType);

  return {
    employees: {
      list: ({ active }) =>
        inBatches(
          employees
            .map(({ employee }) => employee)
            .filter(employee => active === undefined || employee.active === active),
        ),
      find: async id => existing(id).employee,
      findByEmail: async email => ofEmail(email)?.employee,
      findCredentialsByEmail: async email => ofEmail(email),
      findCredentials: async id => employees[ofId(id)],
      insert: async record => insert(record),

      async update(id, changes, editableRoles) {
        if (!editableRoles.includes(existing(id).employee.role)) throw unauthorized();
        const sent = Object.entries(changes).filter(([, value]) => value !== undefined);
        const holder = changes.email === undefined ? undefined : ofEmail(changes.email);
        if (holder !== undefined && holder.employee.id !== id) throw emailTaken();
        return change(id, Object.fromEntries(sent));
      },

      async setActive(id, active) {
        change(id, { active });
      },

      async replacePasswordHash(id, expected, next) {
        if (employees[ofId(id)]?.passwordHash !== expected) return false;
        change(id, {}, next);
        return true;
      },

      async appointAdmin(record) {
        const holder = ofEmail(record.email);
        if (holder === undefined) return insert({ ...record, role: "ADMIN" });
        return change(holder.employee.id, { role: "ADMIN", active: true }, record.passwordHash);
      },

      hasActiveAdmin: async () =>
        employees.some(({ employee }) => employee.role === "ADMIN" && employee.active),
    },

    assets: {
      list: ({ active }) =>
        inBatches(
          assets
            .filter(asset => active === undefined || asset.active === active)
            .map(asset => ({ ...asset, lastLogDate: null })),
        ),

      async find(id) {
        const asset = assets[id - 1];
        if (asset === undefined) throw notFound("Asset");
        const [newest] = newestFirst(log => log.assetId === id);
        return { ...asset, lastLogDate: newest?.performedDate ?? null };
      },

      async insert({ name, description, active }) {
        const asset = { id: assets.length + 1, name, description, active };
        assets.push(asset);
        return { ...asset, lastLogDate: null };
      },

      async setActive(id, active) {
        const asset = assets[id - 1];
        if (asset === undefined) throw notFound("Asset");
        assets[id - 1] = { ...asset, active };
      },
    },

    maintenanceLogs: {
      async append(assetId, performer, { performedDate, status, taskType, comment }) {
        const employee = employees[ofId(performer.employeeId)]?.employee;
        if (employee === undefined || foldEmail(employee.email) !== foldEmail(performer.email)) {
          throw performerUnknown();
        }
        if (assets[assetId - 1] === undefined) throw notFound("Asset");
        const facts = { performedDate, status, taskType, comment };
        const log = { id: logs.length + 1, ...facts, assetId, performedByEmployeeId: employee.id };
        logs.push(log);
        return shown(log);
      },

      async find(id) {
        const log = logs[id - 1];
        if (log === undefined) throw notFound("Log");
        return shown(log);
      },

      list: filter => inBatches(newestFirst(matches(filter))),

      async *listOfAsset(assetId, filter) {
        if (assets[assetId - 1] === undefined) throw notFound("Asset");
        yield* inBatches(newestFirst(log => log.assetId === assetId && matches(filter)(log)));
      },

      async *listOfPerformer(employeeId) {
        existing(employeeId);
        yield* inBatches(newestFirst(log => log.performedByEmployeeId === employeeId));
      },

      listOfActiveAssets: limit =>
        inBatches(newestFirst(log => assets[log.assetId - 1]?.active === true).slice(0, limit)),
    },
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
