import { UnsuitableDatabase } from "../../../application/unsuitable-database.ts";
import type { Statement } from "./statement.ts";

/** What a connection is for. */
export interface SessionNeeds {
  /** Whether a commit may be lost in a crash: DATABASE_DURABILITY is `any`. */
  readonly mayLoseCommits?: boolean;
  /** How long a connection is used before another one is opened in its place; without it, as long as it lasts. */
  readonly keptMilliseconds?: number;
  /** What each new connection is asked before it is used. */
  readonly check?: SessionCheck;
}

export interface SessionCheck {
  /** Without values. */
  readonly statement: Statement;
  /** Throws UnsuitableDatabase where the rows say that the server, or the session, will not do. */
  refuse(rows: readonly object[]): void;
}

/** What the server says of the session first. */
export interface SessionState {
  /** Whether the server takes writes. */
  readonly isWritable: boolean;
  /** Whether another session of this program has used this one. */
  readonly isUsed: boolean;
  readonly pid: number;
}

/**
 * Parameters on which the statements of this program depend. Otherwise the configuration of the server, the database or the
 * role would decide, and a role may set its own without any right.
 */
export const startupParameters = {
  application_name: "maintenance-log",
  // How times are read and written.
  DateStyle: "ISO",
  TimeZone: "Etc/UTC",
  // How the texts of statements are read.
  standard_conforming_strings: "on",
};

/** Those that a pooler (PgBouncer) would refuse at the start: by name, the SQL of the value. */
const pinned = {
  // The schema in which `migrate` made the tables, or is going to. Temporary tables come last, so that none hides one of ours.
  search_path: `coalesce(
    (select quote_ident(nspname) || ', pg_temp' from pg_catalog.pg_class, pg_catalog.pg_namespace
      where pg_class.oid = to_regclass('schema_migration') and pg_namespace.oid = relnamespace),
    quote_ident(current_schema()) || ', pg_temp', current_setting('search_path'))`,
  // Another level would roll back statements because of others that run at the same time.
  default_transaction_isolation: "'read committed'",
  // What PostgreSQL writes of its own definitions is compared with sql/protection.ndjson.
  quote_all_identifiers: "'off'",
  // A warning says that the wait for a synchronous standby was cancelled.
  client_min_messages: "'notice'",
  // Of our own: it shows that another session of this program has used the server's session.
  "maintenance_log.session": "'open'",
};

/** Without it a commit is acknowledged before it is on the disk, or on the synchronous standby. `remote_apply` waits for more. */
const commitPinned = {
  synchronous_commit: `case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end`,
};

/**
 * The first query of a connection, one round trip: the state of the session, what the check asks, and the parameters. The order
 * is that of the results.
 */
export function openingQuery({ mayLoseCommits, check }: SessionNeeds): string {
  const parameters = { ...pinned, ...(mayLoseCommits !== true && commitPinned) };
  return [
    `select current_setting('transaction_read_only') = 'off' as "isWritable", pg_backend_pid() as pid,
      coalesce(current_setting('maintenance_log.session', true) = 'open', false) as "isUsed"`,
    check === undefined ? "select 1" : check.statement.text,
    `select ${Object.entries(parameters).map(([name, value]) => `set_config('${name}', ${value}, false)`)}`,
  ].join(";");
}

/**
 * Throws UnsuitableDatabase behind a pooler that lends sessions by the transaction: no parameter lasts there. A session that
 * a pooler lends as a whole is new each time. The embedded PostgreSQL has one session for all, and no pooler before it.
 *
 * @param pid as the connection was told: a pooler has one of its own
 */
export function refuseLent({ isUsed, ...session }: SessionState, pid: number): void {
  if (!isUsed || session.pid === pid) return;
  throw new UnsuitableDatabase(
    "DATABASE_URL leads to a pooler that lends connections by the transaction: it has to lend whole sessions (PgBouncer: pool_mode = session)",
  );
}
