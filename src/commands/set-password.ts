import { makeArgon2PasswordHasher } from "../adapters/argon2-password-hasher.ts";
import { makeEmployeeRepository } from "../adapters/postgres/repositories/employee-repository.ts";
import { readSettings } from "../config/read-settings.ts";
import { passwordSettings } from "../config/settings.ts";
import { notFound } from "../domain/error.ts";
import { readOptions, type Surroundings } from "./command.ts";
import { withDatabase } from "./command-database.ts";
import { readNewPassword } from "./new-password.ts";

/** `set-password`: gives an employee a new password, and revokes all tokens of that employee. */
export async function runSetPassword(surroundings: Surroundings): Promise<void> {
  const { environment, args, readFile, sqlFolder, print } = surroundings;
  const sent = readOptions(args, { email: { type: "string" } }, ({ email }) => {
    if (email === undefined) throw new Error("--email is required");
    return email;
  });
  const settings = readSettings(passwordSettings, environment, readFile);
  await withDatabase(settings, sqlFolder, async database => {
    const employees = makeEmployeeRepository(database);
    const account = await employees.findAccount(sent);
    if (account === undefined) throw notFound("Employee");
    const { id, email, active } = account.employee;
    const password = await readNewPassword(settings.adminPassword, surroundings);
    await employees.setPasswordHash(id, await makeArgon2PasswordHasher().hash(password));
    print(`${email} has a new password (employee ${id}); all tokens are revoked`);
    if (!active) print("the employee is inactive and cannot log in");
  });
}
