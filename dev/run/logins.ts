import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { demoEmployees, readDemoState } from "../demo/state.ts";

export const adminEmail = "admin@example.com";

export interface Login {
  readonly role: string;
  readonly email: string;
  readonly password: string;
}

/** The employees whose passwords the data folder keeps: the ADMIN first. */
export function loginsOf(folder: string): readonly Login[] {
  const file = join(folder, "admin-password");
  const admin = existsSync(file)
    ? [{ role: "ADMIN", email: adminEmail, password: readFileSync(file, "utf8").trim() }]
    : [];
  const passwords = readDemoState(folder)?.passwords;
  const others = demoEmployees.flatMap(({ role, email }) => {
    const password = passwords?.[role];
    return password === undefined ? [] : [{ role, email, password }];
  });
  return [...admin, ...others];
}
