import type { Employee, Login } from "../domain/employee.ts";
import { DomainError } from "../domain/error.ts";
import type { Role } from "../domain/role.ts";
import type { Ports } from "./ports.ts";

/** The employee on whose behalf a request is made. */
export interface Caller {
  readonly employeeId: number;
  readonly email: string;
  readonly role: Role;
}

/**
 * Who stands behind a valid token: an employee, nobody (no `username`, or no known role),
 * or somebody whose email matches no employee.
 */
export type Identity =
  | { readonly kind: "employee"; readonly caller: Caller }
  | { readonly kind: "no username" | "no role" | "unknown employee" };

export const tokenNotValid = (): DomainError => new DomainError("FORBIDDEN", "Token is not valid");

export function makeAuthentication({
  employees,
  passwords,
  tokens,
}: Pick<Ports, "employees" | "passwords" | "tokens">) {
  return {
    /** Throws UNAUTHENTICATED, the same for an unknown email, a wrong password and an inactive employee. */
    async logIn({ email, password }: Login): Promise<{ token: string; authUser: Employee }> {
      const credentials = await employees.findCredentialsByEmail(email);
      const matches = await passwords.verify(credentials?.passwordHash, password);
      if (credentials === undefined || !matches || !credentials.employee.active) {
        throw new DomainError("UNAUTHENTICATED", "Wrong email or password");
      }
      return { token: await tokens.sign(credentials.employee), authUser: credentials.employee };
    },

    /** Throws FORBIDDEN for a token that is not valid, or whose `sub` and `username` are not the same employee. */
    async identify(token: string): Promise<Identity> {
      const { employeeId, email, role } = await tokens.verify(token);
      if (email === undefined) return { kind: "no username" };
      if (role === undefined) return { kind: "no role" };
      const employee = await employees.findByEmail(email);
      if (employee === undefined) return { kind: "unknown employee" };
      if (employeeId !== undefined && employeeId !== employee.id) throw tokenNotValid();
      return { kind: "employee", caller: { employeeId: employee.id, email, role } };
    },
  };
}

export type Authentication = ReturnType<typeof makeAuthentication>;
