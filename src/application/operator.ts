import type { EmailKey, Employee, Registration } from "../domain/employee.ts";
import { notFound } from "../domain/error.ts";
import type { Ports } from "./ports.ts";

/** A command has nobody else to take turns with. */
const line = ["operator"];

export type Operator = ReturnType<typeof makeOperator>;

/** What the operator does to accounts, without a token. The password is read only when it is needed. */
export const makeOperator = ({
  employees,
  passwords,
  events,
}: Pick<Ports, "employees" | "passwords" | "events">) => ({
  /**
   * Registers an active ADMIN, or gives the employee with this email that role, a new password and activity.
   *
   * @returns undefined when `ifNone` is set and there is an active ADMIN: then nothing is changed
   */
  async appointAdmin(
    admin: Omit<Registration, "role" | "password">,
    ifNone: boolean,
    readPassword: () => Promise<string>,
  ): Promise<Employee | undefined> {
    if (ifNone && (await employees.hasActiveAdmin())) return undefined;
    const passwordHash = await passwords.hash(await readPassword(), line);
    const employee = await employees.appointAdmin({ ...admin, passwordHash });
    events.warn("admin created", { employeeId: employee.id });
    return employee;
  },

  /** Gives an employee a new password, which revokes all of their tokens. Throws NOT_FOUND. */
  async setPassword(email: EmailKey, readPassword: () => Promise<string>): Promise<Employee> {
    const account = await employees.findAccount(email);
    if (account === undefined) throw notFound("Employee");
    await employees.setPasswordHash(account.employee.id, await passwords.hash(await readPassword(), line));
    events.warn("password set", { employeeId: account.employee.id });
    return account.employee;
  },
});
