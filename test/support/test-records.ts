import type { EmployeeRecord } from "../../src/application/ports.ts";
import { type Asset, type NewAsset, newAssetFields } from "../../src/domain/asset.ts";
import type { Employee, EmployeeChanges, Registration } from "../../src/domain/employee.ts";
import { readFields } from "../../src/domain/field.ts";
import type { MaintenanceLog, NewLog } from "../../src/domain/maintenance-log.ts";
import type { LogEntry } from "../../src/domain/trail/entry.ts";

// One record of each kind, from which a test says only what differs: no other file of test/ lists all fields of one.

let serial = 0;

/** As the repository stores it: each has an email of its own. */
export function anEmployee(changes: Partial<EmployeeRecord> = {}): EmployeeRecord {
  serial += 1;
  return {
    firstName: "Ada",
    lastName: "Byron",
    phone: "+45 12 34 56",
    email: `ada.${serial}@example.com`,
    role: "TECHNICIAN",
    passwordHash: `hash ${serial}`,
    ...changes,
  };
}

/** As clients see it. */
export function aStoredEmployee(changes: Partial<Employee> = {}): Employee {
  const { passwordHash: _, ...employee } = anEmployee();
  return { id: 1, ...employee, active: true, ...changes };
}

/** As somebody sends it to register: each has an email of its own. */
export function aRegistration(changes: Partial<Registration> = {}): Registration {
  const { passwordHash: _, ...employee } = anEmployee();
  return { ...employee, password: "secret 1", ...changes };
}

/** A change of an employee that changes nothing. */
export const noChange: EmployeeChanges = {
  firstName: undefined,
  lastName: undefined,
  email: undefined,
  phone: undefined,
  role: undefined,
};

/** As somebody sends it, and the repository stores it. */
export const anAsset = (changes: Partial<NewAsset> = {}): NewAsset => ({
  ...readFields(newAssetFields, { name: "Pump" }),
  ...changes,
});

/** As clients see it. */
export const aStoredAsset = (changes: Partial<Asset> = {}): Asset => ({
  id: 1,
  ...anAsset(),
  lastLogDate: null,
  ...changes,
});

/** As somebody sends it. */
export const aLog = (changes: Partial<NewLog> = {}): NewLog => ({
  performedDate: "2026-02-28T10:20:30",
  status: "PENDING",
  taskType: "MAINTENANCE",
  comment: "Oil changed",
  ...changes,
});

/** As clients see it. */
export const aStoredLog = (changes: Partial<MaintenanceLog> = {}): MaintenanceLog => ({
  id: 1,
  ...aLog(),
  assetId: 1,
  assetName: "Pump",
  performedByEmployeeId: 1,
  performedByName: "Ada Byron",
  ...changes,
});

/** As the trail has it. */
export function aLogEntry(changes: Partial<LogEntry> = {}): LogEntry {
  const { assetName: _, ...log } = aStoredLog();
  return { kind: "log", ...log, recordedAt: "2026-11-21T09:30:00.000000Z", ...changes };
}
