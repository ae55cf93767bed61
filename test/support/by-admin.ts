import { makeMaintenanceLogs } from "../../src/application/maintenance-logs.ts";
import type { Account, Caller, Repositories } from "../../src/application/ports.ts";
import { type Employee, emailKey } from "../../src/domain/employee.ts";
import type { NewLog } from "../../src/domain/maintenance-log.ts";
import type { Role } from "../../src/domain/role.ts";
import { anEmployee } from "./test-records.ts";

/** An employee who asks with a token that was signed for this version. */
export const callerOf = (
  { id, email, role = "TECHNICIAN" }: Pick<Employee, "id" | "email"> & { readonly role?: Role },
  tokenVersion = 1,
  tokenId?: string,
): Caller => ({ employeeId: id, email: emailKey(email), role, tokenId, tokenVersion });

/**
 * The same repositories, on which it is an ADMIN who asks unless a test says otherwise, an account is asked for as a
 * client sends its email, and a log is written by its use case.
 */
export function byAdmin({ employees, assets, maintenanceLogs, ...others }: Repositories) {
  let appointed: Promise<Employee> | undefined;
  /** The ADMIN, as the operator appoints the first one. */
  const admin = (record = anEmployee()): Promise<Employee> => {
    appointed ??= employees.appointAdmin(record);
    return appointed;
  };
  const asked = async (): Promise<Caller> => {
    const account = (await employees.findAccount(emailKey((await admin()).email))) as Account;
    return callerOf(account.employee, account.tokenVersion);
  };
  return {
    ...others,
    admin,
    employees: {
      ...employees,
      findAccount: (email: string) => employees.findAccount(emailKey(email)),
      insert: async (employee: Parameters<typeof employees.insert>[0], by?: Caller) =>
        employees.insert(employee, by ?? (await asked())),
      async update(
        id: number,
        changes: Parameters<typeof employees.update>[1],
        editableRoles: Parameters<typeof employees.update>[2],
        by?: Caller,
        expected?: Employee,
      ) {
        const changed = await employees.update(id, changes, editableRoles, by ?? (await asked()), expected);
        return changed.employee;
      },
      setActive: async (id: number, active: boolean, by?: Caller, expected?: Employee) =>
        employees.setActive(id, active, by ?? (await asked()), expected),
    },
    assets: {
      ...assets,
      insert: async (asset: Parameters<typeof assets.insert>[0], by?: Caller) =>
        assets.insert(asset, by ?? (await asked())),
      setActive: async (id: number, active: boolean, by?: Caller) =>
        assets.setActive(id, active, by ?? (await asked())),
    },
    maintenanceLogs: {
      ...maintenanceLogs,
      append: (assetId: number, performer: Caller, log: NewLog, key?: string) =>
        makeMaintenanceLogs({ maintenanceLogs }).write(performer, assetId, log, key),
    },
  };
}
