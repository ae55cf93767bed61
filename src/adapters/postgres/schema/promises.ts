import { entryKinds } from "../../../domain/trail/entry.ts";
import { probeLimits, serviceLimits, trailLimits } from "../connection/database.ts";
import { ownSchema, type Statement, sql, unionOf } from "../connection/statement.ts";
import { newestFaults } from "../trail/comparisons.ts";
import { subjects, tableOf } from "../trail/entries.ts";
import type { Schema } from "./migrations.ts";
import { protectionFaults } from "./protection.ts";
import { missingRights, needlessRights } from "./rights.ts";

/** How the program uses the database. */
export interface Use {
  /** Whether a crash must not take back a commit. */
  readonly isDurable: boolean;
}

/** What the program relies on in its database. */
export interface DatabasePromise {
  /** As `check` and SECURITY.md name it; several promises may share a name. */
  readonly name: string;
  /**
   * What `serve` does not do while the promise is broken. *Start*: nor is it ready if it runs already. *Readiness*: it runs and
   * is not ready. *Signing*: the trail itself checks this at each poll. *Nothing*: `check` only warns. For the other three, `check` fails.
   */
  readonly prevents: "start" | "readiness" | "signing" | "nothing";
  /** Selects a text for each fault; none where the promise holds. */
  readonly faults: Statement;
  /** What the operator can do. */
  readonly remedy: string;
}

/** Those that matter for this use of the database. */
export const promisesFor = ({ isDurable }: Use, promises: readonly DatabasePromise[]) =>
  promises.filter(({ name }) => isDurable || name !== "durability");

/** The number of connections of one service. */
const connections = serviceLimits.connections + trailLimits.connections + probeLimits.connections;

const canLose = (setting: Statement): Statement =>
  sql`select concat('the database can lose what it has acknowledged (', ${setting}, ')')`;
const durabilityRemedy = "see DATABASE_DURABILITY";

/** The tables that the trail covers, with the kind of their entries: employees and assets, and those whose rows are records. */
const coveredTables = [...subjects, ...entryKinds.map(kind => ({ kind, table: tableOf[kind] }))];

/** A table in which nothing is left of what the trail covers. */
const emptied = unionOf(
  coveredTables.map(
    ({ kind, table }) => sql`
      select 'the table ${table} is empty, though the trail has entries of its records'
      where exists (select from trail_entry where kind = ${kind}::trail_kind) and not exists (select from ${table})`,
  ),
);

/** Promises that each new connection is checked for. */
export const ofConnections: readonly DatabasePromise[] = [
  {
    // LATIN1 cannot store every character, and SQL_ASCII counts bytes where a length is meant in characters.
    name: "encoding",
    prevents: "start",
    faults: sql`
      select concat('the encoding of the database is ', current_setting('server_encoding'), ', not UTF8')
      where current_setting('server_encoding') <> 'UTF8'`,
    remedy: "create it with encoding 'UTF8' template template0",
  },
  {
    // Otherwise `migrate` makes, and `serve` shows, a second and empty set of tables.
    name: "search path",
    prevents: "start",
    faults: sql`
      select case when schemas = 0 then concat('search_path (', path, ') names no schema that exists')
        else concat('search_path (', path, ') has the tables of this program in ', found, ' schemas') end
      from (
        select current_setting('search_path') as path, cardinality(current_schemas(false)) as schemas, (
          select count(*) from pg_class join pg_namespace on pg_namespace.oid = relnamespace
          where relname = 'schema_migration' and nspname = any (current_schemas(false))
        ) as found
      ) as path where schemas = 0 or found > 1`,
    remedy: "set it for the role to the one schema of the tables",
  },
  {
    // With another session_replication_role, PostgreSQL enforces no foreign key.
    name: "foreign keys",
    prevents: "start",
    faults: sql`
      select concat('session_replication_role is ', current_setting('session_replication_role'), ', not origin')
      where current_setting('session_replication_role') <> 'origin'`,
    remedy: "reset it for the role and the database",
  },
  {
    // A crash can take back a commit (PostgreSQL documentation, 20.5).
    name: "durability",
    prevents: "start",
    faults: sql`
      ${canLose(sql`string_agg(name || ' off', ', ' order by name)`)}
      from (values ('fsync'), ('full_page_writes')) as setting (name) where current_setting(name) = 'off' having count(*) > 0`,
    remedy: durabilityRemedy,
  },
];

/** What PostgreSQL's catalogs are asked, at the start and for `/readyz`. */
export const ofCatalogs = ({ protection, rights }: Schema): readonly DatabasePromise[] => [
  {
    name: "durability",
    prevents: "start",
    faults: sql`
      ${canLose(sql`concat('table ', relname, ' is not logged')`)}
      from pg_class where relnamespace = ${ownSchema} and relkind = 'r' and relpersistence <> 'p'`,
    remedy: "alter table … set logged",
  },
  {
    name: "writes",
    prevents: "readiness",
    faults: sql`select 'the database takes no writes' where current_setting('transaction_read_only') = 'on'`,
    remedy: "is it a standby?",
  },
  {
    name: "protection",
    prevents: "start",
    faults: sql`select fault from (${protectionFaults(protection)}) as found`,
    remedy: "run migrate, which puts back what it can",
  },
  {
    name: "rights",
    prevents: "readiness",
    faults: missingRights(rights),
    remedy: "run migrate, or grant maintenance_log_service to the role",
  },
  {
    name: "needless rights",
    prevents: "nothing",
    faults: needlessRights(rights),
    remedy: "",
  },
  {
    name: "freeze",
    prevents: "nothing",
    faults: sql`
      select 'sql/freeze_schema.sql was run, and its freeze is not in force'
      where to_regproc('refuse_schema_change') is not null
        and not exists (select from pg_event_trigger where evtname = 'schema_frozen' and evtenabled = 'A')`,
    remedy: "a superuser may enable it: alter event trigger schema_frozen enable always",
  },
  {
    name: "connections",
    prevents: "nothing",
    faults: sql`
      select concat(what, ' may have ', most, ' connections, and a service needs ', ${connections}::integer) from (
        select concat('role ', rolname) as what, rolconnlimit as most from pg_roles where rolname = current_user
        union all select concat('database ', datname), datconnlimit from pg_database where datname = current_database()
      ) as bound where most between 0 and ${connections} - 1`,
    remedy: "raise its connection limit, or requests get 503",
  },
];

/** The tables whose rows get their ids from a sequence. */
const withSequence = [
  ...coveredTables.map(({ table }) => table),
  sql`trail_checkpoint`,
  sql`trail_acceptance`,
];

/** A sequence that issues ids a second time: it was set back, or the data was copied without it, as logical replication does. */
const setBack = unionOf(
  withSequence.map(
    table => sql`
      select concat('the sequence of ${table} issues ids that are taken: the owner of the tables has to run select setval(''${table}_id_seq'', ', newest, ')')
      from (select max(id) as newest from ${table}) as ids, ${table}_id_seq where newest >= last_value + is_called::integer`,
  ),
);

/** What the records are asked that the trail covers. */
export const ofRecords: readonly DatabasePromise[] = [
  {
    name: "records",
    prevents: "start",
    faults: emptied,
    remedy: "restore a backup, or go back to the database that has the records",
  },
  {
    name: "newest records",
    prevents: "signing",
    faults: newestFaults,
    remedy: "run verify --database, which names all such records",
  },
];

/** What the rows of the tables are asked. */
export const ofTables: readonly DatabasePromise[] = [
  { name: "sequences", prevents: "readiness", faults: setBack, remedy: "" },
  ...ofRecords,
];
