import type { Employee, Login } from "../domain/employee.ts";
import { DomainError } from "../domain/error.ts";
import type { LoginThrottle } from "./login-throttle.ts";
import type { Origin, Ports } from "./ports.ts";
import type { Sessions } from "./sessions.ts";

export function makeAuthentication({
  employees,
  passwords,
  tokens,
  throttle,
  sessions,
}: Pick<Ports, "employees" | "passwords" | "tokens"> & {
  readonly throttle: LoginThrottle;
  readonly sessions: Sessions;
}) {
  return {
    identify: sessions.identify,

    /** Throws LOGIN_FAILED, the same for an unknown email, a wrong password and an inactive employee, and THROTTLED. */
    async logIn(
      { email, password }: Login,
      { address, events }: Origin,
    ): Promise<{ token: string; authUser: Employee }> {
      const refuseThrottled = () => throttle.refuseThrottled(email, address);
      refuseThrottled();
      const account = await employees.findAccount(email);
      // Others may have failed while it waited: then it costs no verification.
      const line = throttle.lineOf(email, address);
      const matches = await passwords.verify(account?.passwordHash, password, line, refuseThrottled);
      // And those that ran in parallel must not reveal their outcome.
      refuseThrottled();
      if (account === undefined || !matches || !account.employee.active) {
        throttle.countFailure(email, address);
        const employeeId = account?.employee.id;
        throw new DomainError("LOGIN_FAILED", "Wrong email or password", { employeeId });
      }
      throttle.countSuccess(email, address);
      const { employee } = account;
      events.info("logged in", { employeeId: employee.id });
      return { token: await tokens.sign(account), authUser: employee };
    },
  };
}

export type Authentication = ReturnType<typeof makeAuthentication>;
