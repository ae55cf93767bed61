import type { CommandContext } from "./command.ts";
import { flag, type Options, option, repeated, required, type Values, withDefault } from "./options.ts";
import { auditOptions, verifyOptions } from "./verification-options.ts";

type SettingsName = Exclude<
  keyof typeof import("../config/settings.ts"),
  "everySetting" | "readServeSettings"
>;

/** A command, as the help shows it and as the program runs it. */
export interface Command<O extends Options = Options> {
  /** In the list of all commands. */
  readonly summary: string;
  readonly text: string;
  /** What follows the name without being an option. */
  readonly argument?: string;
  readonly options?: O;
  /** The settings that the help lists; the file of the command reads those that it needs. */
  readonly settings?: SettingsName;
  /** Loads its code when it is called: `verify`, `audit` and `trail-key` need no package of npm. */
  run(context: CommandContext, values: Values<O>, positionals: readonly string[]): Promise<void>;
}

/** Derives the type of the values from the options. */
const command = <O extends Options>(declared: Command<O>): Command => declared;

const passwordSource =
  "The password comes from ADMIN_PASSWORD, from standard input, or from a prompt that shows nothing and asks twice.";
const email = required("E", "the login name");

export const commands: Readonly<Record<string, Command>> = {
  serve: command({
    summary: "serve the API until SIGTERM or SIGINT",
    text: `Starts even if the database is down. Never changes the schema, and stops on a schema that it does not know.
A listening socket that systemd passes on (LISTEN_FDS=1) replaces HOST and PORT. SIGHUP reads the TLS files again.`,
    settings: "serveSettings",
    run: async context => (await import("./serve.ts")).runServe(context),
  }),
  migrate: command({
    summary: "bring the database's schema up to date",
    text: `Also makes the grants of the role maintenance_log_service. Safe to run twice, or by two processes at once.
Needs the owner of the tables. Refuses a database without records if TRAIL_STATE_FILE remembers some.`,
    settings: "storedTrailSettings",
    run: async context => (await import("./migrate.ts")).runMigrate(context),
  }),
  "create-admin": command({
    summary: "create an ADMIN, or give an employee that role, a new password and activity",
    text: passwordSource,
    options: {
      email,
      "first-name": withDefault("F", "First", "of a new employee"),
      "last-name": withDefault("L", "Administrator", "of a new employee"),
      phone: withDefault("P", "000000", "of a new employee"),
      "if-none": flag("do nothing when an active ADMIN exists"),
    },
    settings: "passwordSettings",
    run: async (context, values) => (await import("./accounts.ts")).runCreateAdmin(context, values),
  }),
  "set-password": command({
    summary: "give an employee a new password, and revoke all tokens of that employee",
    text: passwordSource,
    options: { email },
    settings: "passwordSettings",
    run: async (context, values) => (await import("./accounts.ts")).runSetPassword(context, values),
  }),
  check: command({
    summary: "report what would stop serve from starting, or would fail later",
    text: `Changes nothing. Exit codes: 0 nothing found, 1 something, 69 no database, 78 wrong settings.
With --records: 1 restore the database, 65 the database lacks the newest records, or does not extend TRAIL_STATE_FILE.`,
    options: {
      records: flag(
        "only whether the records of the trail are there, for a backup; needs DATABASE_URL and TRAIL_STATE_FILE alone",
      ),
    },
    settings: "serveSettings",
    run: async (context, values) => (await import("./check.ts")).runCheck(context, values),
  }),
  "export-logs": command({
    summary: "write all maintenance logs, or those of an asset, to standard output",
    text: "Newest first; every log that is there at the start, once. An export is whole when the exit code is 0.\nImport CSV into a spreadsheet as text, or the spreadsheet runs values that begin with =, +, - or @.",
    options: {
      asset: option("ID", "only those of this asset"),
      format: withDefault("ndjson|csv", "ndjson", "an object a line, or RFC 4180 with a header"),
    },
    settings: "databaseSettings",
    run: async (context, values) => (await import("./export-logs.ts")).runExportLogs(context, values),
  }),
  openapi: command({
    summary: "print the OpenAPI document of the API",
    text: "Needs neither settings nor a database.",
    run: async ({ write }) => {
      const { readMade } = await import("../adapters/protocol/made-documents.ts");
      await write(`${(await readMade("openapi.json")).trimEnd()}\n`);
    },
  }),
  "trail-key": command({
    summary: "make a key that signs the trail, or print the public half of one",
    text: `NAME is the name of the key and of the trail, without spaces and plus signs; for example example.com/maintenance.
The secret signer key goes to standard output, the public verifier key to standard error.`,
    argument: "[NAME]",
    options: {
      public: flag("make nothing: print the verifier key of TRAIL_KEY"),
    },
    settings: "trailKeySettings",
    run: async (context, values, names) =>
      (await import("./trail-key.ts")).runTrailKey(context, values, names),
  }),
  verify: command({
    summary: "check an export of the trail, one log, or the database against what was signed",
    text: `Takes --checkpoint and --entries, or --proof and --log, or --database; only --database needs settings.
Exit codes: 0 all of it holds, 1 something does not, 66 a file cannot be read.`,
    options: verifyOptions,
    settings: "storedTrailSettings",
    run: async (context, values) => (await import("./verify.ts")).runVerify(context, values),
  }),
  audit: command({
    summary: "read the trail over HTTP, and compare it with what was remembered of it",
    text: `Reads the entries since the last audit, and recomputes the tree of the newest checkpoint. Needs neither the settings
of the service nor its database: run it on another machine, by a timer.
Exit codes: 0 all that was read holds, 1 something does not, or could not be read, 66 a file of --checkpoint cannot be read.`,
    options: auditOptions,
    settings: "auditSettings",
    run: async (context, values) => (await import("./audit.ts")).runAudit(context, values),
  }),
  "export-trail": command({
    summary: "write the entries of the trail to standard output",
    text: "In their order, a line each (ended by U+000A alone), in the bytes that are hashed. An export is whole when the exit code is 0.",
    options: { from: withDefault("N", "0", "the entry to begin with") },
    settings: "databaseSettings",
    run: async (context, values) => (await import("./export-trail.ts")).runExportTrail(context, values),
  }),
  restored: command({
    summary: "prepare a restored database to take the place of the live one",
    text: `For the script maintenance-log restore, which restores a dump into a database of its own and exchanges the names.
names: who owns the database and who uses it, its name, and the name of the restored one.
prepare: migrates the restored database, examines it as serve does, and prints what it lacks of the live one.
finish: compares both again; then no token from before is valid, no id is issued again, and services take the trail.`,
    argument: "STEP",
    options: {
      key: repeated("VKEY", "with prepare: verify the restored database as verify --database does"),
      "gives-up": option("N", "fail if more than N records are lost"),
    },
    settings: "restoreSettings",
    run: async (context, values, steps) =>
      (await import("./restored.ts")).runRestored(context, values, steps),
  }),
  "accept-trail": command({
    summary: "go on with the stored trail, though it contradicts what was signed",
    text: `Signs the stored trail after a restore that was meant. Writes a signed note with the reason and with both trails into the
database; every service that remembers the same checkpoint then goes on. Checkpoints that others keep contradict the new
ones: tell them why. Needs TRAIL_KEY, and TRAIL_STATE_FILE where serve has it.`,
    options: {
      reason: required("TEXT", "why, for those who read the trail later; at most 1,000 characters"),
      "gives-up": withDefault(
        "N",
        "0",
        "how many signed entries the stored trail lacks, exactly; with another N the command prints the number and changes nothing",
      ),
    },
    settings: "acceptTrailSettings",
    run: async (context, values) => (await import("./accept-trail.ts")).runAcceptTrail(context, values),
  }),
};
