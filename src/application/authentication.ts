import type { EmailKey, Login } from "../domain/employee.ts";
import { DomainError } from "../domain/error.ts";
import type { LoginThrottle } from "./login-throttle.ts";
import type { Account, Ports, RequestContext } from "./ports.ts";

export function makeAuthentication({
  employees,
  passwords,
  tokens,
  throttle,
}: Pick<Ports, "employees" | "passwords" | "tokens"> & { readonly throttle: LoginThrottle }) {
  /**
   * The account of this email and password. Throws THROTTLED; where there is no such account, or `mayPass` denies it, counts a failure
   * and throws `refusal`.
   */
  async function verifyPassword(
    email: EmailKey,
    password: string,
    address: string,
    refusal: (account: Account | undefined) => DomainError,
    mayPass: (account: Account) => boolean = () => true,
  ): Promise<Account> {
    const refuseThrottled = () => throttle.refuseThrottled(email, address);
    refuseThrottled();
    const account = await employees.findAccount(email);
    // Checked again when its turn comes: others may have failed meanwhile, and then no verification is spent.
    const line = throttle.lineOf(email, address);
    const matches = await passwords.verify(account?.passwordHash, password, line, refuseThrottled);
    // And after the verification: of parallel attempts, those past the free failures must not reveal their outcome. So no `await` comes before the count.
    refuseThrottled();
    if (account !== undefined && matches && mayPass(account)) return account;
    throttle.countFailure(email, address);
    throw refusal(account);
  }

  return {
    verifyPassword,

    /** Throws LOGIN_FAILED, the same for an unknown email, a wrong password and an inactive employee, and THROTTLED. */
    async logIn({ email, password }: Login, { address, events }: RequestContext) {
      const account = await verifyPassword(email, password, address, loginFailed, isActive);
      throttle.countSuccess(email, address);
      const { employee } = account;
      events.info("logged in", { employeeId: employee.id });
      return { token: await tokens.sign(account), authUser: employee };
    },
  };
}

const isActive = ({ employee }: Account): boolean => employee.active;
const loginFailed = (account: Account | undefined): DomainError =>
  new DomainError("LOGIN_FAILED", "Wrong email or password", { employeeId: account?.employee.id });

export type Authentication = ReturnType<typeof makeAuthentication>;
