import {
  type Employee,
  type EmployeeChanges,
  emailKey,
  type PasswordChange,
  type Registration,
} from "../domain/employee.ts";
import { emailTaken, forbidden, invalid, recordChanged } from "../domain/error.ts";
import { type Role, rolesUpTo } from "../domain/role.ts";
import type { Authentication } from "./authentication.ts";
import type { LoginThrottle } from "./login-throttle.ts";
import type { Caller, Ports, RequestContext } from "./ports.ts";
import type { Sessions } from "./sessions.ts";

/** Whether an employee is still as the client knows it. */
type Expectation = (employee: Employee) => boolean;

export function makeEmployees({
  employees,
  passwords,
  authentication,
  throttle,
  sessions: { forgetAfter },
}: Pick<Ports, "employees" | "passwords"> & {
  readonly authentication: Authentication;
  readonly throttle: LoginThrottle;
  readonly sessions: Sessions;
}) {
  const reportAdmin = ({ id, role }: Employee, caller: Caller, { events }: RequestContext) => {
    if (role === "ADMIN") events.warn("admin created", { employeeId: id, byEmployeeId: caller.employeeId });
  };

  return {
    list: employees.list,
    find: employees.find,

    /** Throws NOT_FOUND, and CHANGED when the employee is not as the client expects. */
    async setActive(caller: Caller, id: number, active: boolean, isExpected?: Expectation): Promise<void> {
      const expected = isExpected && (await employees.find(id));
      if (expected !== undefined && !isExpected?.(expected)) throw recordChanged();
      await forgetAfter(employees.setActive(id, active, caller, expected));
    },

    /** Throws FORBIDDEN when the role is above the caller's own, CONFLICT when the email is taken. */
    async register(caller: Caller, { password, ...registration }: Registration, context: RequestContext) {
      refuseRoleAbove(caller, registration.role);
      const passwordHash = await passwords.hash(password, throttle.lineOf(caller.email, context.address));
      // A token of this email may have been found to be nobody's before.
      const employee = await forgetAfter(employees.insert({ ...registration, passwordHash }, caller));
      reportAdmin(employee, caller, context);
      return employee;
    },

    /**
     * Throws FORBIDDEN when the old or the new role is above the caller's own, NOT_FOUND, CONFLICT, and CHANGED when the
     * employee is not as the client expects.
     */
    async update(
      caller: Caller,
      id: number,
      changes: EmployeeChanges,
      context: RequestContext,
      isExpected?: Expectation,
    ): Promise<Employee> {
      if (changes.role !== undefined) refuseRoleAbove(caller, changes.role);
      const expected = isExpected && (await employees.find(id));
      if (expected !== undefined && !isExpected?.(expected)) {
        // What would be refused without a precondition, too, is refused for that reason (RFC 9110, section 13.2.1).
        refuseRoleAbove(caller, expected.role);
        const holder =
          changes.email === undefined ? undefined : await employees.findAccount(emailKey(changes.email));
        throw holder === undefined || holder.employee.id === id ? recordChanged() : emailTaken();
      }
      const { employee, formerRole } = await forgetAfter(
        employees.update(id, changes, rolesUpTo(caller.role), caller, expected),
      );
      if (employee.role !== formerRole) reportAdmin(employee, caller, context);
      return employee;
    },

    /**
     * Throws INVALID when the old password is not the caller's own, also when that has just been changed, and THROTTLED: a thief
     * of a token may guess it here no faster than at the login.
     */
    async changePassword(
      caller: Caller,
      { oldPassword, newPassword }: PasswordChange,
      { address, events }: RequestContext,
    ): Promise<void> {
      const refusal = () => {
        events.warn("password refused");
        return wrongPassword();
      };
      const account = await authentication.verifyPassword(caller.email, oldPassword, address, refusal);
      const next = await passwords.hash(newPassword, throttle.lineOf(caller.email, address));
      const isReplaced = await forgetAfter(employees.replacePasswordHash(account.passwordHash, next, caller));
      if (!isReplaced) throw wrongPassword();
      events.info("password changed");
    },
  };
}

export type Employees = ReturnType<typeof makeEmployees>;

const wrongPassword = () => invalid("Old password is incorrect");

function refuseRoleAbove(caller: Caller, role: Role): void {
  if (!rolesUpTo(caller.role).includes(role)) throw forbidden();
}
