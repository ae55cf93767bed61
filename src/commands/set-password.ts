import { makeArgon2PasswordHasher } from "../adapters/argon2-password-hasher.ts";
import { makeEmployeeRepository } from "../adapters/postgres/repositories/employee-repository.ts";
import { makeOperator } from "../application/operator.ts";
import { passwordSettings } from "../config/settings.ts";
import { emailKey } from "../domain/employee.ts";
import type { CommandContext } from "./command.ts";
import { eventsOf, withDatabase } from "./command-database.ts";
import { readNewPassword } from "./new-password.ts";

export async function runSetPassword(context: CommandContext, values: { readonly email: string }) {
  await withDatabase(passwordSettings, context, async (database, { adminPassword }) => {
    const employees = makeEmployeeRepository(database);
    const events = eventsOf(context);
    const operator = makeOperator({ employees, passwords: makeArgon2PasswordHasher(), events });
    const { id, email, active } = await operator.setPassword(emailKey(values.email), () =>
      readNewPassword(adminPassword, context),
    );
    context.print(`${email} has a new password (employee ${id}); all tokens are revoked`);
    if (!active) context.print("the employee is inactive and cannot log in");
  });
}
