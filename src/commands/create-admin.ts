import { makeArgon2PasswordHasher } from "../adapters/argon2-password-hasher.ts";
import { makeEmployeeRepository } from "../adapters/postgres/repositories/employee-repository.ts";
import { makeOperator } from "../application/operator.ts";
import { passwordSettings } from "../config/settings.ts";
import { registrationFields } from "../domain/employee.ts";
import { readFields } from "../domain/field.ts";
import type { CommandContext } from "./command.ts";
import { eventsOf, withDatabase } from "./command-database.ts";
import { readNewPassword } from "./new-password.ts";

const { password: _, role: __, ...adminFields } = registrationFields;

type Values = Readonly<Record<"email" | "first-name" | "last-name" | "phone", string>> & {
  readonly "if-none": boolean;
};

export async function runCreateAdmin(context: CommandContext, values: Values): Promise<void> {
  const sent = { ...values, firstName: values["first-name"], lastName: values["last-name"] };
  const admin = readFields(adminFields, sent);
  await withDatabase(passwordSettings, context, async (database, { adminPassword }) => {
    const employees = makeEmployeeRepository(database);
    const events = eventsOf(context);
    const operator = makeOperator({ employees, passwords: makeArgon2PasswordHasher(), events });
    const appointed = await operator.appointAdmin(admin, values["if-none"], () =>
      readNewPassword(adminPassword, context),
    );
    if (appointed === undefined) context.print("an active ADMIN exists: nothing to do");
    else context.print(`${appointed.email} is an active ADMIN (employee ${appointed.id})`);
  });
}
