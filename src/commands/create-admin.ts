import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { makeArgon2PasswordHasher } from "../adapters/argon2-password-hasher.ts";
import { commandLimits, connect } from "../adapters/postgres/connection/database.ts";
import { makeEmployeeRepository } from "../adapters/postgres/repositories/employee-repository.ts";
import { makeAdministration } from "../application/administration.ts";
import { readSettings } from "../config/read-settings.ts";
import { createAdminSettings } from "../config/settings.ts";
import { registrationFields } from "../domain/employee.ts";
import { readFields } from "../domain/field.ts";
import { CommandError, exitCodes, type Surroundings } from "./command.ts";

/** `create-admin`: makes an ADMIN, or gives an employee that role, a new password and activity. */
export async function runCreateAdmin(surroundings: Surroundings): Promise<void> {
  const { environment, args, readFile, stdin, print } = surroundings;
  const options = readOptions(args);
  const { databaseUrl, preparesStatements, adminPassword } = readSettings(
    createAdminSettings,
    environment,
    readFile,
  );
  const database = connect(databaseUrl, commandLimits, preparesStatements);
  try {
    const administration = makeAdministration({
      employees: makeEmployeeRepository(database),
      passwords: makeArgon2PasswordHasher(),
    });
    if (options.ifNone && (await administration.hasActiveAdmin())) {
      return print("an active ADMIN exists: nothing to do");
    }
    const password = adminPassword ?? (await readPassword(stdin));
    const { role: _, ...admin } = readFields(registrationFields, { ...options, role: "ADMIN", password });
    const { id, email } = await administration.appointAdmin(admin);
    print(`${email} is an active ADMIN (employee ${id})`);
  } finally {
    await database.close();
  }
}

function readOptions(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        email: { type: "string" },
        "first-name": { type: "string", default: "First" },
        "last-name": { type: "string", default: "Administrator" },
        phone: { type: "string", default: "000000" },
        "if-none": { type: "boolean", default: false },
      },
    });
    if (values.email === undefined) throw new Error("--email is required");
    return {
      email: values.email,
      firstName: values["first-name"],
      lastName: values["last-name"],
      phone: values.phone,
      ifNone: values["if-none"],
    };
  } catch (error) {
    throw new CommandError(exitCodes.usage, (error as Error).message);
  }
}

/** From a prompt that shows nothing, or from whatever is piped in, less one line end. */
async function readPassword(stdin: NodeJS.ReadStream): Promise<string> {
  if (!stdin.isTTY) return (await text(stdin)).replace(/\r?\n$/, "");
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: stdin, output: silent, terminal: true });
  process.stderr.write("Password: ");
  try {
    return await prompt.question("");
  } catch {
    // Ctrl-C or Ctrl-D.
    throw new CommandError(exitCodes.failure, "no password was given");
  } finally {
    prompt.close();
    process.stderr.write("\n");
  }
}
