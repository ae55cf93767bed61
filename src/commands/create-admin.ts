import { makeArgon2PasswordHasher } from "../adapters/argon2-password-hasher.ts";
import { makeEmployeeRepository } from "../adapters/postgres/repositories/employee-repository.ts";
import { readSettings } from "../config/read-settings.ts";
import { passwordSettings } from "../config/settings.ts";
import { registrationFields } from "../domain/employee.ts";
import { readFields } from "../domain/field.ts";
import { readOptions, type Surroundings } from "./command.ts";
import { withDatabase } from "./command-database.ts";
import { readNewPassword } from "./new-password.ts";

const { password: _, role: __, ...adminFields } = registrationFields;

/** `create-admin`: makes an ADMIN, or gives an employee that role, a new password and activity. */
export async function runCreateAdmin(surroundings: Surroundings): Promise<void> {
  const { environment, args, readFile, sqlFolder, print } = surroundings;
  const { "if-none": ifNone, ...sent } = readOptions(args, options, values => {
    if (values.email === undefined) throw new Error("--email is required");
    return { ...values, firstName: values["first-name"], lastName: values["last-name"] };
  });
  const settings = readSettings(passwordSettings, environment, readFile);
  const admin = readFields(adminFields, sent);
  await withDatabase(settings, sqlFolder, async database => {
    const employees = makeEmployeeRepository(database);
    if (ifNone && (await employees.hasActiveAdmin())) return print("an active ADMIN exists: nothing to do");
    const password = await readNewPassword(settings.adminPassword, surroundings);
    const passwordHash = await makeArgon2PasswordHasher().hash(password);
    const { id, email } = await employees.appointAdmin({ ...admin, passwordHash });
    print(`${email} is an active ADMIN (employee ${id})`);
  });
}

const options = {
  email: { type: "string" },
  "first-name": { type: "string", default: "First" },
  "last-name": { type: "string", default: "Administrator" },
  phone: { type: "string", default: "000000" },
  "if-none": { type: "boolean", default: false },
} as const;
