import type { Login } from "./logins.ts";
import type { Addresses } from "./service.ts";

interface Introduced extends Addresses {
  /** Whose passwords are known; nobody in a database that had an ADMIN of its own. */
  readonly logins: readonly Login[];
  readonly records: string;
  readonly folder: string;
}

/** What a newcomer needs to begin with. */
export function introductionOf({ api, operations, logins, records, folder }: Introduced): string {
  const rows: readonly (readonly [string, string])[] = [
    ["API", `${api}/api/v1`],
    ["page", `${operations}/    how the service is doing`],
    ["reference", `${operations}/api    what each endpoint takes and answers`],
    ...logins.map(({ role, email, password }): [string, string] => [role, `${email}  password  ${password}`]),
    ["records", records],
    ["files", folder],
  ];
  const table = rows.map(([name, value]) => `  ${name.padEnd(12)}${value}`).join("\n");
  const [first] = logins;
  const login = first
    ? `  curl -w '\\n' ${api}/api/v1/auth/login -H 'Content-Type: application/json' \\
    -d '${JSON.stringify({ email: first.email, password: first.password })}'`
    : "  The database had an ADMIN already, whose password is not known here.";
  return `\n${table}\n\n${login}\n\n  Ctrl-C stops the service; its records stay.\n`;
}
