import type { Employee, Registration } from "../domain/employee.ts";
import { notFound } from "../domain/error.ts";
import type { Ports } from "./ports.ts";

/** What an operator does without being an employee: appoint an ADMIN and set passwords. */
export function makeAdministration({ employees, passwords }: Pick<Ports, "employees" | "passwords">) {
  return {
    hasActiveAdmin: (): Promise<boolean> => employees.hasActiveAdmin(),

    /** Creates an ADMIN, or gives the employee with that email the role, a new password and activity. */
    async appointAdmin({ password, ...employee }: Omit<Registration, "role">): Promise<Employee> {
      return employees.appointAdmin({ ...employee, passwordHash: await passwords.hash(password) });
    },

    /** Throws NOT_FOUND. */
    async findEmployee(email: string): Promise<Employee> {
      const account = await employees.findAccount(email);
      if (account === undefined) throw notFound("Employee");
      return account.employee;
    },

    /** Revokes all tokens of the employee. Throws NOT_FOUND. */
    async setPassword(id: number, password: string): Promise<void> {
      await employees.setPasswordHash(id, await passwords.hash(password));
    },
  };
}
