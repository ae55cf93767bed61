import type { Login } from "./logins.ts";
import type { Addresses } from "./service.ts";

interface Introduced extends Addresses {
  /** Whose passwords are known; nobody in a database that had an ADMIN of its own. */
  readonly logins: readonly Login[];
  readonly records: string;
  readonly folder: string;
  readonly verifierKey: string;
  /** Commands that show demo records, if there are any. */
  readonly looks: string | undefined;
}

/** What a newcomer needs to begin with. */
export function introductionOf(introduced: Introduced): string {
  const { api, operations, logins, records, folder, verifierKey, looks } = introduced;
  const rows: readonly (readonly [string, string])[] = [
    ["API", `${api}/api/v1`],
    ["page", `${operations}/    how the service is doing`],
    ["reference", `${operations}/api    what each endpoint takes and answers`],
    ...logins.map(({ role, email, password }): [string, string] => [role, `${email}  password  ${password}`]),
    ["records", records],
    ["files", folder],
    ["trail", `${verifierKey}    the key that verifies it`],
  ];
  const table = rows.map(([name, value]) => `  ${name.padEnd(12)}${value}`).join("\n");
  const [admin] = logins;
  const session = admin
    ? [
        "  In another terminal, in this folder:",
        sessionOf(api, admin),
        ...(looks === undefined ? [] : [looks]),
        proofOf(folder, verifierKey),
      ].join("\n\n")
    : "  The database had an ADMIN already, whose password is not known here.";
  return `\n${table}\n\n${session}\n\n  Ctrl-C stops the service; its records stay.\n`;
}

/** Logs in, and defines a command that reads a path of the API. */
export const sessionOf = (
  api: string,
  { email, password }: Login,
): string => `  TOKEN=$(curl -sS ${api}/api/v1/auth/login -H 'Content-Type: application/json' \\
    -d '${JSON.stringify({ email, password })}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
  get() { curl -sS -H "Authorization: Bearer $TOKEN" "${api}/api/v1$1"; }`;

const proofOf = (
  folder: string,
  verifierKey: string,
): string => `  # Prove the newest log (the first session in README.md writes one), without asking the service or its database:
  ID=$(get '/logs?limit=1' | sed 's/^\\[{"id":\\([0-9]*\\).*/\\1/')
  get /logs/$ID > '${folder}/log.json'; get /logs/$ID/proof > '${folder}/log.proof'
  node --import tsx src/main.ts verify --key '${verifierKey}' --proof '${folder}/log.proof' --log '${folder}/log.json'`;
