import {
  type Employee,
  type EmployeeChanges,
  emailKey,
  type PasswordChange,
  type Registration,
} from "../domain/employee.ts";
import { emailTaken, invalid, recordChanged, unauthorized } from "../domain/error.ts";
import { type Role, rolesUpTo } from "../domain/role.ts";
import type { LoginThrottle } from "./login-throttle.ts";
import type { Caller, Origin, Ports } from "./ports.ts";
import type { Sessions } from "./sessions.ts";

/** Whether an employee is still as the client knows it. */
type Expectation = (employee: Employee) => boolean;

export function makeEmployees({
  employees,
  passwords,
  throttle,
  sessions: { forgetAfter },
}: Pick<Ports, "employees" | "passwords"> & {
  readonly throttle: LoginThrottle;
  readonly sessions: Sessions;
}) {
  const reportAdmin = ({ id, role }: Employee, caller: Caller, { events }: Origin) => {
    if (role === "ADMIN") events.warn("admin created", { employeeId: id, byEmployeeId: caller.employeeId });
  };

  /**
   * Returns the stored hash. Throws INVALID when the password is not the caller's own, and THROTTLED: a thief of a token may
   * guess it here no faster than at the login.
   */
  async function verifyPassword(
    caller: Caller,
    password: string,
    { address, events }: Origin,
  ): Promise<string> {
    const refuseThrottled = () => throttle.refuseThrottled(caller.email, address);
    refuseThrottled();
    const passwordHash = (await employees.findAccount(caller.email))?.passwordHash;
    const line = throttle.lineOf(caller.email, address);
    const matches = await passwords.verify(passwordHash, password, line, refuseThrottled);
    refuseThrottled();
    if (passwordHash !== undefined && matches) return passwordHash;
    throttle.countFailure(caller.email, address);
    events.warn("password refused");
    throw wrongPassword();
  }

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
    async register(
      caller: Caller,
      { password, ...registration }: Registration,
      origin: Origin,
    ): Promise<Employee> {
      refuseRoleAbove(caller, registration.role);
      const passwordHash = await passwords.hash(password, throttle.lineOf(caller.email, origin.address));
      const employee = await forgetAfter(employees.insert({ ...registration, passwordHash }, caller));
      reportAdmin(employee, caller, origin);
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
      origin: Origin,
      isExpected?: Expectation,
    ): Promise<Employee> {
      if (changes.role !== undefined) refuseRoleAbove(caller, changes.role);
      const expected = isExpected && (await employees.find(id));
      if (expected !== undefined && !isExpected?.(expected)) {
        refuseRoleAbove(caller, expected.role);
        const holder =
          changes.email === undefined ? undefined : await employees.findAccount(emailKey(changes.email));
        throw holder === undefined || holder.employee.id === id ? recordChanged() : emailTaken();
      }
      const employee = await forgetAfter(
        employees.update(id, changes, rolesUpTo(caller.role), caller, expected),
      );
      if (changes.role !== undefined) reportAdmin(employee, caller, origin);
      return employee;
    },

    /** Throws what `verifyPassword` does, also when the password has just been changed. */
    async changePassword(caller: Caller, change: PasswordChange, origin: Origin): Promise<void> {
      const passwordHash = await verifyPassword(caller, change.oldPassword, origin);
      const next = await passwords.hash(change.newPassword, throttle.lineOf(caller.email, origin.address));
      const isReplaced = await forgetAfter(employees.replacePasswordHash(passwordHash, next, caller));
      if (!isReplaced) throw wrongPassword();
      origin.events.info("password changed");
    },
  };
}

export type Employees = ReturnType<typeof makeEmployees>;

const wrongPassword = () => invalid("Old password is incorrect");

function refuseRoleAbove(caller: Caller, role: Role): void {
  if (!rolesUpTo(caller.role).includes(role)) throw unauthorized();
}
