import { parseArgs } from "node:util";
import { makeArgon2PasswordHasher } from "../adapters/argon2-password-hasher.ts";
import { commandLimits, connect } from "../adapters/postgres/connection/database.ts";
import { makeEmployeeRepository } from "../adapters/postgres/repositories/employee-repository.ts";
import { makeAdministration } from "../application/administration.ts";
import { readSettings } from "../config/read-settings.ts";
import { setPasswordSettings } from "../config/settings.ts";
import { CommandError, exitCodes, type Surroundings } from "./command.ts";
import { readNewPassword } from "./new-password.ts";

/** `set-password`: gives an employee a new password, and revokes all tokens of that employee. */
export async function runSetPassword(surroundings: Surroundings): Promise<void> {
  const { environment, args, readFile, print } = surroundings;
  const sent = readOptions(args);
  const { databaseUrl, preparesStatements, adminPassword } = readSettings(
    setPasswordSettings,
    environment,
    readFile,
  );
  const database = connect(databaseUrl, commandLimits, preparesStatements);
  try {
    const administration = makeAdministration({
      employees: makeEmployeeRepository(database),
      passwords: makeArgon2PasswordHasher(),
    });
    const { id, email, active } = await administration.findEmployee(sent);
    await administration.setPassword(id, await readNewPassword(adminPassword, surroundings));
    print(`${email} has a new password (employee ${id}); all tokens are revoked`);
    if (!active) print("the employee is inactive and cannot log in");
  } finally {
    await database.close();
  }
}

function readOptions(args: readonly string[]): string {
  try {
    const { values } = parseArgs({ args: [...args], options: { email: { type: "string" } } });
    if (values.email === undefined) throw new Error("--email is required");
    return values.email;
  } catch (error) {
    throw new CommandError(exitCodes.usage, (error as Error).message);
  }
}
