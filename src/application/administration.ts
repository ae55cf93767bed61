import type { Employee, Registration } from "../domain/employee.ts";
import type { Ports } from "./ports.ts";

/** What the operator does without being an employee: see to it that there is an ADMIN. */
export function makeAdministration({ employees, passwords }: Pick<Ports, "employees" | "passwords">) {
  return {
    hasActiveAdmin: (): Promise<boolean> => employees.hasActiveAdmin(),

    /** Creates an ADMIN, or gives the employee with that email the role, a new password and activity. */
    async appointAdmin({ password, ...employee }: Omit<Registration, "role">): Promise<Employee> {
      return employees.appointAdmin({ ...employee, passwordHash: await passwords.hash(password) });
    },
  };
}
