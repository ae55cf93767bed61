import { makeArgon2PasswordHasher } from "../adapters/argon2-password-hasher.ts";
import { makeEmployeeRepository } from "../adapters/postgres/repositories/employee-repository.ts";
import { makeOperator, type Operator } from "../application/operator.ts";
import { passwordSettings } from "../config/settings.ts";
import { emailKey, registrationFields } from "../domain/employee.ts";
import { readFields } from "../domain/field.ts";
import type { CommandContext } from "./command.ts";
import { eventsOf, withDatabase } from "./command-database.ts";
import { readNewPassword } from "./new-password.ts";

const { password: _, role: __, ...adminFields } = registrationFields;

type AdminValues = Readonly<Record<"email" | "first-name" | "last-name" | "phone", string>> & {
  readonly "if-none": boolean;
};

export async function runCreateAdmin(context: CommandContext, values: AdminValues): Promise<void> {
  const sent = { ...values, firstName: values["first-name"], lastName: values["last-name"] };
  const admin = readFields(adminFields, sent);
  await withOperator(context, async (operator, readPassword) => {
    const appointed = await operator.appointAdmin(admin, values["if-none"], readPassword);
    if (appointed === undefined) context.print("an active ADMIN exists: nothing to do");
    else context.print(`${appointed.email} is an active ADMIN (employee ${appointed.id})`);
  });
}

export async function runSetPassword(context: CommandContext, values: { readonly email: string }) {
  await withOperator(context, async (operator, readPassword) => {
    const { id, email, active } = await operator.setPassword(emailKey(values.email), readPassword);
    context.print(`${email} has a new password (employee ${id}); all tokens are revoked`);
    if (!active) context.print("the employee is inactive and cannot log in");
  });
}

const withOperator = (
  context: CommandContext,
  use: (operator: Operator, readPassword: () => Promise<string>) => Promise<void>,
): Promise<void> =>
  withDatabase(passwordSettings, context, (database, { adminPassword }) => {
    const operator = makeOperator({
      employees: makeEmployeeRepository(database),
      passwords: makeArgon2PasswordHasher(),
      events: eventsOf(context),
    });
    return use(operator, () => readNewPassword(adminPassword, context));
  });
