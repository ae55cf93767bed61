import { auditSettings } from "../config/audit-settings.ts";
import type { Declared } from "../config/read-settings.ts";
import {
  acceptTrailSettings,
  databaseSettings,
  passwordSettings,
  serveSettings,
  verifyDatabaseSettings,
} from "../config/settings.ts";

interface Help {
  /** In the list of all commands. */
  readonly summary: string;
  /** What follows the command. */
  readonly options?: string;
  readonly text: string;
  readonly settings: Declared;
}

const passwordSource =
  "The password comes from ADMIN_PASSWORD, from standard input, or, asked for twice, from a prompt that shows nothing.";

const commands: Readonly<Record<string, Help>> = {
  serve: {
    summary: "serve the API until SIGTERM or SIGINT",
    text: `It starts also while the database is down, never changes the schema, and stops on one that is not its own.
A listening socket that systemd passes on (LISTEN_FDS=1) is used in place of HOST and PORT.`,
    settings: serveSettings,
  },
  migrate: {
    summary: "bring the database's schema up to date",
    text: `It also makes the grants of the role maintenance_log_service. Safe to run twice, or by two processes at once.
Run it as the owner of the tables.`,
    settings: databaseSettings,
  },
  "create-admin": {
    summary: "create an ADMIN, or give an employee that role, a new password and activity",
    options: "--email E [--first-name F] [--last-name L] [--phone P] [--if-none]",
    text: `${passwordSource}

  --email E       the login name
  --first-name F  of a new employee; First without it
  --last-name L   of a new employee; Administrator without it
  --phone P       of a new employee; 000000 without it
  --if-none       do nothing when an active ADMIN exists`,
    settings: passwordSettings,
  },
  "set-password": {
    summary: "give an employee a new password, and revoke all tokens of that employee",
    options: "--email E",
    text: passwordSource,
    settings: passwordSettings,
  },
  check: {
    summary: "say what serve would refuse, or fail at, without serving",
    text: "Exit codes: 0 nothing would be refused, 1 something would, 69 no database, 78 wrong settings.",
    settings: serveSettings,
  },
  "export-logs": {
    summary: "write all maintenance logs, or those of an asset, to standard output",
    options: "[--asset ID] [--format ndjson|csv]",
    text: `Newest first. Every log that is there at the start is written once. An export is whole when the exit code is 0.

  --asset ID       only those of this asset
  --format ndjson  a JSON object a line, as the API answers it (the default)
  --format csv     RFC 4180, with a header line`,
    settings: databaseSettings,
  },
  openapi: {
    summary: "print the OpenAPI document of the API",
    text: "Needs neither settings nor a database.",
    settings: {},
  },
  "trail-key": {
    summary: "make a key that signs the trail",
    options: "NAME",
    text: `NAME is also what they call the log, without spaces and plus signs; for example example.com/maintenance.
The signer key, which is secret, goes to standard output; the verifier key, for everybody, to standard error.`,
    settings: {},
  },
  verify: {
    summary: "hold an export of the trail, one log, or the database against what was signed",
    options:
      "--key VKEY (--checkpoint FILE [--checkpoint FILE]… --entries FILE | --proof FILE --log FILE | --database)",
    text: `Offline, it needs neither settings nor a database. With --database it reads every record of one.

  --key VKEY         a verifier key of the trail; may be given again, after a change of key
  --checkpoint FILE  a checkpoint, new or old; each is held against as many entries as it covers
  --entries FILE     the output of export-trail
  --proof FILE       what GET /logs/{id}/proof answered
  --log FILE         the log as the API answers it; its fields are compared with those that are proven
  --database         every record against its hash, every hash against the tree, the tree against the checkpoint in
                     the database and the one in TRAIL_STATE_FILE; names what was changed, removed or slipped in,
                     a line each on standard error as soon as it is found, and their number at the end

Exit codes: 0 all of it holds, 1 something does not, and which, 66 a file cannot be read.`,
    settings: verifyDatabaseSettings,
  },
  audit: {
    summary: "read the trail over HTTP, and hold it against what was remembered of it",
    options: "--url URL --key VKEY --state FILE",
    text: `It reads what is new in the trail since the last time, and recomputes from it the tree of the newest checkpoint.
Needs neither the settings of the service nor its database: run it on another machine, by a timer.

  --url URL     where the service is, for example https://maintenance.example.com
  --key VKEY    a verifier key of the trail; may be given again, after a change of key
  --state FILE  remembers the last checkpoint that held; is made the first time, and replaced only when all of it holds

Exit codes: 0 all of it holds, 1 something does not, or could not be read.`,
    settings: auditSettings,
  },
  "export-trail": {
    summary: "write the entries of the trail to standard output",
    options: "[--from N]",
    text: `In their order, a line each, in the bytes that are hashed. An export is whole when the exit code is 0.

  --from N  begin with this entry; 0 without it`,
    settings: databaseSettings,
  },
  "accept-trail": {
    summary: "go on with the stored trail, though it contradicts what was signed",
    options: "--reason TEXT",
    text: `For a restore that was meant: signs the trail as it is stored now, in place of the one that was signed before,
and records both and the reason in the database. Whoever keeps older checkpoints will find that they contradict the
new ones: tell them why. Needs TRAIL_KEY, and TRAIL_STATE_FILE where serve has it.

  --reason TEXT  why, for those who read the trail later; at most 1,000 characters`,
    settings: acceptTrailSettings,
  },
};

const lineOf = (name: string, summary: string): string => `  ${name.padEnd(12)}  ${summary}`;

/** What one command takes, and the settings that it reads; the list of all commands for any other name. */
export function helpOf(name: string): string {
  const help = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (help === undefined) return usage();
  const { summary, options = "", text, settings } = help;
  const width = Math.max(...Object.values(settings).map(setting => setting.name.length));
  const lines = Object.values(settings).map(({ name, fallback, optional, example }) => {
    const otherwise =
      fallback === undefined ? (optional === true ? "optional" : "required") : `default ${fallback}`;
    return `  ${name.padEnd(width)}  ${otherwise}; for example: ${example}`;
  });
  const head = `usage: node dist/main.js ${name} ${options}`.trimEnd();
  const about = `${head}\n\n${name}: ${summary}.\n${text}`;
  if (lines.length === 0) return about;
  return `${about}\n\nSettings, each also as NAME_FILE, a file whose content is the value:\n\n${lines.join("\n")}`;
}

const usage = (): string =>
  [
    "usage: node dist/main.js COMMAND\n",
    ...Object.entries(commands).map(([name, { summary }]) => lineOf(name, summary)),
    lineOf("--help", "print this; after a command, what it takes"),
    lineOf("--version", "print the version"),
    "\nSettings come from the environment: see README.md.",
  ].join("\n");
