import type postgres from "postgres";
import { makeRepositories } from "../../src/adapters/postgres/repositories/repositories.ts";
import { systemClock } from "../../src/adapters/system-clock.ts";
import { Numbering } from "../../src/application/trail/numbering.ts";
import { makeRecordingEventLog } from "../fakes/recording-event-log.ts";
import { connectTo } from "./connect-to.ts";
import { pollAll } from "./trail-stage.ts";

/** What the owner of the tables can do with triggers off, in a trail of 1,200 logs or more, and how it is named. */
export interface Tampering {
  readonly what: string;
  readonly statements: readonly string[];
  /** Whether the entries are then numbered again, so that hashes and tree fit the records. */
  readonly isNumberedAnew?: true;
  /** Of what `verify --database` says, each is the beginning of a line. */
  readonly found: readonly RegExp[];
}

const forged = "update maintenance_log set comment = 'forged' where id = 700";
const cutOff = ["delete from maintenance_log where id > 1000", "delete from trail_entry where index >= 1002"];
const notExtended = (where: string) => new RegExp(`^the checkpoint in ${where}, \\d+ .* is not extended`);

export const tamperings: readonly Tampering[] = [
  { what: "a change", statements: [forged], found: [/^log 700: changed$/] },
  {
    what: "a removal",
    statements: ["delete from maintenance_log where id = 3"],
    found: [/^log 3: removed; it had entry \d+$/],
  },
  {
    what: "an exchange of two comments",
    statements: [
      `update maintenance_log a set comment = b.comment from maintenance_log b
       where a.id in (8, 9) and b.id in (8, 9) and a.id <> b.id`,
    ],
    found: [/^log 8: changed$/, /^log 9: changed$/],
  },
  {
    what: "an insertion with an old date",
    statements: [
      `insert into maintenance_log (id, performed_date, status, task_type, comment, asset_id, performed_by_employee_id, recorded_at)
       overriding system value values (1000000, '2020-01-01', 'PENDING', 'ERROR', 'old', 1, 1, '2020-01-01')`,
    ],
    found: [/^log 1000000: has no entry: it was slipped in/],
  },
  {
    what: "a log that was backdated",
    statements: ["update maintenance_log set recorded_at = '2020-01-01' where id = 10"],
    found: [/^log 10: changed$/],
  },
  {
    what: "the end cut off, with its entries",
    statements: cutOff,
    found: [notExtended("database"), notExtended("TRAIL_STATE_FILE")],
  },
  {
    what: "the end cut off, with its entries and checkpoints",
    statements: [...cutOff, "delete from trail_checkpoint"],
    found: [notExtended("TRAIL_STATE_FILE")],
  },
  {
    what: "a log and its hash, but not the tree",
    statements: [forged, "update trail_entry set hash = decode(repeat('00', 32), 'hex') where index = 512"],
    found: [
      /^log 700: changed$/,
      ...[32, 2].map(
        (hash, at) =>
          new RegExp(`^hash ${hash} of level ${4 * (at + 1)} is not that of the entries below it$`),
      ),
    ],
  },
  {
    what: "a log, with its hash and the tree rewritten consistently",
    statements: [forged, "delete from trail_entry", "delete from trail_node", "delete from trail_checkpoint"],
    isNumberedAnew: true,
    found: [notExtended("TRAIL_STATE_FILE")],
  },
  {
    what: "an entry that is gone",
    statements: [
      // Longer ago than a record may be without an entry.
      `update employee_event set recorded_at = '2020-01-01'
       where id = (select record_id from trail_entry where index = 0 and kind = 'employee')`,
      "delete from trail_entry where index = 0",
    ],
    found: [/^employee \d+: has no entry/, /^entry 0 was removed$/],
  },
  {
    what: "a removal, after which the entry has no kind",
    statements: [
      "alter table trail_entry alter kind drop not null",
      "update trail_entry set kind = null where kind = 'log' and record_id = 24",
      "delete from maintenance_log where id = 24",
    ],
    found: [/^entry \d+: has no known kind$/],
  },
  {
    what: "a second entry of a log that was changed",
    statements: [
      forged,
      "alter table trail_entry drop constraint trail_entry_kind_record_id_key",
      `insert into trail_entry (index, kind, record_id, hash)
       select max(index) + 1, 'log', 700, decode(repeat('00', 32), 'hex') from trail_entry`,
    ],
    found: [/^log 700: changed$/, /^log 700: numbered twice$/],
  },
  {
    what: "an asset that was renamed",
    statements: ["update asset set name = 'Pomp' where id = 1"],
    found: [/^asset 1: changed without a record$/],
  },
  {
    what: "an employee who was promoted",
    statements: [
      "update employee set role = case role when 'ADMIN' then 'MANAGER' else 'ADMIN' end where id = 1",
    ],
    found: [/^employee 1: changed without a record$/],
  },
];

export const tamperedTables = [
  "maintenance_log",
  "trail_entry",
  "trail_node",
  "trail_checkpoint",
  "asset",
  "asset_event",
  "employee",
  "employee_event",
] as const;

/** Does it, and leaves the triggers off. */
export async function tamper(
  sql: postgres.Sql,
  url: string,
  { statements, isNumberedAnew }: Tampering,
): Promise<void> {
  const off = tamperedTables.map(table => `alter table ${table} disable trigger all`);
  // Sent as one text they are one transaction, so that no service sees a part of it.
  await sql.unsafe([...off, ...statements].join(";\n"));
  if (isNumberedAnew) await numberAnew(url);
}

/** As the service numbers, without its key: the owner can do that too. */
async function numberAnew(url: string): Promise<void> {
  const connected = connectTo(url);
  const ports = {
    ...makeRepositories(connected).trail,
    clock: systemClock,
    events: makeRecordingEventLog(),
  };
  await pollAll(new Numbering(ports));
  await connected.close();
}

/** Those of the patterns that no line matches. */
export const notNamed = ({ found }: Tampering, lines: readonly string[]): readonly RegExp[] =>
  found.filter(pattern => !lines.some(line => pattern.test(line)));
