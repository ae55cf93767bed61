import { makeMaintenanceLogs } from "../../src/application/maintenance-logs.ts";
import type { Author, Caller, Repositories } from "../../src/application/ports.ts";
import { type Employee, emailKey } from "../../src/domain/employee.ts";
import type { NewLog } from "../../src/domain/maintenance-log.ts";
import type { Role } from "../../src/domain/role.ts";

/** An employee who asks with a token that was signed for this version. */
export const callerOf = (
  { id, email, role = "TECHNICIAN" }: Pick<Employee, "id" | "email"> & { readonly role?: Role },
  tokenVersion = 1,
  tokenId?: string,
): Caller => ({ employeeId: id, email: emailKey(email), role, tokenId, tokenVersion });

/**
 * The same repositories, on which it is the operator who asks unless a test says otherwise, an account is asked for as a
 * client sends its email, and a log is written by its use case.
 */
export function byOperator({ employees, assets, maintenanceLogs, ...others }: Repositories) {
  const operator = "operator" as Author;
  return {
    ...others,
    employees: {
      ...employees,
      findAccount: (email: string) => employees.findAccount(emailKey(email)),
      insert: (employee: Parameters<typeof employees.insert>[0], by = operator) =>
        employees.insert(employee, by),
      update: (
        id: number,
        changes: Parameters<typeof employees.update>[1],
        editableRoles: Parameters<typeof employees.update>[2],
        by = operator,
        expected?: Employee,
      ) => employees.update(id, changes, editableRoles, by, expected).then(({ employee }) => employee),
      setActive: (id: number, active: boolean, by = operator, expected?: Employee) =>
        employees.setActive(id, active, by, expected),
    },
    assets: {
      ...assets,
      insert: (asset: Parameters<typeof assets.insert>[0], by = operator) => assets.insert(asset, by),
      setActive: (id: number, active: boolean, by = operator) => assets.setActive(id, active, by),
    },
    maintenanceLogs: {
      ...maintenanceLogs,
      append: (assetId: number, performer: Caller, log: NewLog, key?: string) =>
        makeMaintenanceLogs({ maintenanceLogs }).write(performer, assetId, log, key),
    },
  };
}
