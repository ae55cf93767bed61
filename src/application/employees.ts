import type { ActivityFilter } from "../domain/activity.ts";
import type { Employee, EmployeeChanges, PasswordChange, Registration } from "../domain/employee.ts";
import { invalid, unauthorized } from "../domain/error.ts";
import { type Role, rolesUpTo } from "../domain/role.ts";
import type { Caller } from "./authentication.ts";
import type { JsonList, Ports } from "./ports.ts";

export function makeEmployees({
  employees,
  passwords,
  events,
}: Pick<Ports, "employees" | "passwords" | "events">) {
  const reportAdmin = ({ id, role }: Employee, caller: Caller) => {
    if (role === "ADMIN") events.warn("admin created", { employeeId: id, byEmployeeId: caller.employeeId });
  };
  return {
    list: (filter: ActivityFilter): JsonList<Employee> => employees.list(filter),

    /** Throws NOT_FOUND. */
    find: (id: number): Promise<Employee> => employees.find(id),

    /** Throws FORBIDDEN when the role is above the caller's own, CONFLICT when the email is taken. */
    async register(caller: Caller, { password, ...registration }: Registration): Promise<Employee> {
      refuseRoleAbove(caller, registration.role);
      const employee = await employees.insert({
        ...registration,
        passwordHash: await passwords.hash(password),
      });
      reportAdmin(employee, caller);
      return employee;
    },

    /** Throws FORBIDDEN when the old or the new role is above the caller's own, NOT_FOUND, CONFLICT. */
    async update(caller: Caller, id: number, changes: EmployeeChanges): Promise<Employee> {
      if (changes.role !== undefined) refuseRoleAbove(caller, changes.role);
      const employee = await employees.update(id, changes, rolesUpTo(caller.role));
      if (changes.role !== undefined) reportAdmin(employee, caller);
      return employee;
    },

    /** Throws NOT_FOUND. */
    deactivate: (id: number): Promise<void> => employees.setActive(id, false),

    /** Throws NOT_FOUND. */
    reactivate: (id: number): Promise<void> => employees.setActive(id, true),

    /** Throws INVALID when the old password is not the stored one, also when it has just been changed. */
    async changePassword(caller: Caller, { oldPassword, newPassword }: PasswordChange): Promise<void> {
      const passwordHash = (await employees.findCredentials(caller.employeeId))?.passwordHash;
      if (passwordHash === undefined || !(await passwords.verify(passwordHash, oldPassword)))
        throw wrongPassword();
      const next = await passwords.hash(newPassword);
      const { employeeId, tokenId } = caller;
      if (!(await employees.replacePasswordHash(employeeId, passwordHash, next, tokenId)))
        throw wrongPassword();
    },
  };
}

export type Employees = ReturnType<typeof makeEmployees>;

const wrongPassword = () => invalid("Old password is incorrect");

function refuseRoleAbove(caller: Caller, role: Role): void {
  if (!rolesUpTo(caller.role).includes(role)) throw unauthorized();
}
