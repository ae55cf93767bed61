import { auditSettings } from "../config/audit-settings.ts";
import type { Declared } from "../config/read-settings.ts";
import {
  acceptTrailSettings,
  checkSettings,
  createAdminSettings,
  exportLogsSettings,
  migrateSettings,
  serveSettings,
  setPasswordSettings,
  verifyDatabaseSettings,
} from "../config/settings.ts";

export const usage = `usage: node dist/main.js COMMAND

  serve         serve the API
  migrate       bring the database's schema up to date
  create-admin  create an ADMIN, or give an employee that role, a new password and activity
  set-password  give an employee a new password, and revoke all tokens of that employee
  check         say what serve would refuse, or fail at, without serving
  export-logs   write all maintenance logs, or those of an asset, to standard output
  openapi       print the OpenAPI document of the API
  trail-key     make a key that signs the trail
  verify        hold an export of the trail, one log, or the database against what was signed
  audit         read the trail over HTTP, and hold it against what was remembered of it
  export-trail  write the entries of the trail to standard output
  accept-trail  go on with the stored trail, though it contradicts what was signed
  --help        print this; after a command, what it takes
  --version     print the version

Settings come from the environment: see README.md.`;

interface Help {
  /** What follows the command. */
  readonly options?: string;
  readonly text: string;
  readonly settings: Declared;
}

const commands: Readonly<Record<string, Help>> = {
  serve: {
    text: `Serves the API until SIGTERM or SIGINT, and then finishes what is under way, for 10 seconds at most.
It starts also while the database is down, never changes the schema, and stops on one that is not its own.
A listening socket that systemd passes on (LISTEN_FDS=1) is used in place of HOST and PORT.`,
    settings: serveSettings,
  },
  migrate: {
    text: `Brings the database's schema up to date and makes the grants of the role maintenance_log_service.
Safe to run twice, or by two processes at once. Run it as the owner of the tables.`,
    settings: migrateSettings,
  },
  "create-admin": {
    options: "--email E [--first-name F] [--last-name L] [--phone P] [--if-none]",
    text: `Creates an ADMIN, or gives the employee with that email the role, a new password and activity.
The password comes from ADMIN_PASSWORD, from standard input, or, asked for twice, from a prompt that shows nothing.

  --email E       the login name
  --first-name F  of a new employee; First without it
  --last-name L   of a new employee; Administrator without it
  --phone P       of a new employee; 000000 without it
  --if-none       do nothing when an active ADMIN exists`,
    settings: createAdminSettings,
  },
  "set-password": {
    options: "--email E",
    text: `Gives an employee who has forgotten it a new password, and revokes all tokens of that employee.
The password comes from ADMIN_PASSWORD, from standard input, or, asked for twice, from a prompt that shows nothing.

  --email E  the login name`,
    settings: setPasswordSettings,
  },
  check: {
    text: `Reads the settings of serve, reaches the database, compares its schema, and looks at its durability and at
the rights of the role. Prints a line for each thing that would be refused, and changes nothing.

Exit codes: 0 nothing would be refused, 1 something would, 69 no database, 78 wrong settings.`,
    settings: checkSettings,
  },
  "export-logs": {
    options: "[--asset ID] [--format ndjson|csv]",
    text: `Writes maintenance logs to standard output, newest first. Every log that is there at the start is written once;
nothing is held in the database meanwhile. An export is whole when the exit code is 0.

  --asset ID       only those of this asset
  --format ndjson  a JSON object a line, as the API answers it (the default)
  --format csv     RFC 4180, with a header line`,
    settings: exportLogsSettings,
  },
  openapi: {
    text: "Prints the OpenAPI document of the API. Needs neither settings nor a database.",
    settings: {},
  },
  "trail-key": {
    options: "NAME",
    text: `Makes a key that signs the trail's checkpoints. NAME is also what they call the log, without spaces and plus
signs; for example example.com/maintenance.
The signer key, which is secret, goes to standard output; the verifier key, for everybody, to standard error.`,
    settings: {},
  },
  "export-trail": {
    options: "[--from N]",
    text: `Writes the entries of the trail to standard output in their order, a line each, in the bytes that are hashed.
An export is whole when the exit code is 0.

  --from N  begin with this entry; 0 without it`,
    settings: exportLogsSettings,
  },
  "accept-trail": {
    options: "--reason TEXT",
    text: `Goes on after a restore that was meant: signs the trail as it is stored now, in place of the one that was
signed before, and records both and the reason in the database. Whoever keeps older checkpoints will find that
they contradict the new ones: tell them why. Needs TRAIL_KEY, and TRAIL_STATE_FILE where serve has it.

  --reason TEXT  why, for those who read the trail later; at most 1,000 characters`,
    settings: acceptTrailSettings,
  },
  verify: {
    options:
      "--key VKEY (--checkpoint FILE [--checkpoint FILE]… --entries FILE | --proof FILE --log FILE | --database)",
    text: `Verifies offline, which needs neither settings nor a database. With --database it reads every record of one.

  --key VKEY         a verifier key of the trail; may be given again, after a change of key
  --checkpoint FILE  a checkpoint, new or old; each is held against as many entries as it covers
  --entries FILE     the output of export-trail
  --proof FILE       what GET /logs/{id}/proof answered
  --log FILE         the log as the API answers it; its fields are compared with those that are proven
  --database         every record against its hash, every hash against the tree, the tree against the checkpoint in
                     the database and the one in TRAIL_STATE_FILE; names what was changed, removed or slipped in

Exit codes: 0 all of it holds, 1 something does not, and which, 64 wrong arguments, 66 a file cannot be read,
74 the output cannot be written whole.`,
    settings: verifyDatabaseSettings,
  },
  audit: {
    options: "--url URL --key VKEY --state FILE",
    text: `Reads over HTTP what is new in the trail since the last time, and recomputes from it the tree of the newest
checkpoint. Needs neither the settings of the service nor its database: run it on another machine, by a timer.

  --url URL     where the service is, for example https://maintenance.example.com
  --key VKEY    a verifier key of the trail; may be given again, after a change of key
  --state FILE  remembers the last checkpoint that held; is made the first time, and replaced only when all of it holds

Exit codes: 0 all of it holds, 1 something does not, or could not be read, 64 wrong arguments, 74 the output cannot be
written whole, 78 wrong settings.`,
    settings: auditSettings,
  },
};

/** What one command takes, and the settings that it reads. */
export function helpOf(name: string): string {
  const help = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (help === undefined) return usage;
  const { options = "", text, settings } = help;
  const width = Math.max(...Object.values(settings).map(setting => setting.name.length));
  const lines = Object.values(settings).map(({ name, fallback, optional, example }) => {
    const otherwise =
      fallback === undefined ? (optional === true ? "optional" : "required") : `default ${fallback}`;
    return `  ${name.padEnd(width)}  ${otherwise}; for example: ${example}`;
  });
  const head = `usage: node dist/main.js ${name} ${options}`.trimEnd();
  if (lines.length === 0) return `${head}\n\n${text}`;
  return `${head}\n\n${text}\n\nSettings, each also as NAME_FILE, a file whose content is the value:\n\n${lines.join("\n")}`;
}
