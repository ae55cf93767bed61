import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { bootDebian, type Container, noContainer } from "../support/debian-container.ts";
import { chaptersOf, password, typedInto } from "../support/pasted-page.ts";
import { copyProject, make, packageIn } from "../support/project-copy.ts";

/** As on a Debian 13 that was a Debian 12. */
const packages = {
  older: "bookworm",
  installed: ["postgresql-15", "openssl", "curl"],
  downloaded: ["postgresql-17"],
};

const blocksOf = (path: string, title: string): readonly string[] =>
  chaptersOf(path).find(chapter => chapter.title === title)?.blocks ?? [];
const steps = chaptersOf("docs/major-upgrade.md")
  .filter(({ title }) => /^\d\. /.test(title))
  .flatMap(({ blocks }) => blocks);
const [goBack = ""] = blocksOf("docs/major-upgrade.md", "Go back");
const dropFreeze =
  "runuser -u postgres -- psql -d maintenance -c 'drop event trigger schema_frozen' -c 'drop function refuse_schema_change'";
const [freeze = ""] = blocksOf("docs/operations.md", "Freeze of the schema");

/** How many rows of each kind there are, and how the triggers are enabled, in the cluster at a port. */
const stateAt = (port: number) => `
  runuser -u postgres -- psql -p ${port} -d maintenance -At <<'END'
select concat_ws(' ', 'rows:', (select count(*) from employee), (select count(*) from asset), (select count(*) from maintenance_log));
select concat_ws(' ', 'triggers:', string_agg(distinct tgenabled::text, ' ')) from pg_trigger where not tgisinternal;
select concat_ws(' ', 'freeze:', string_agg(evtenabled::text, ' ')) from pg_event_trigger;
END`;

describe("major-upgrade.md, pasted into a Debian 13 with PostgreSQL 15", {
  skip: noContainer() ?? false,
}, () => {
  let folder: string;
  let container: Container;
  const run = (script: string): Promise<string> => container.run(script);
  async function paste(blocks: readonly string[]): Promise<void> {
    const shell = container.openShell();
    for (const block of ["cd\n", ...blocks]) await shell.paste(block, typedInto(block));
    shell.close();
  }

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "maintenance-log-upgrade-"));
    const copy = copyProject(folder, "project");
    make(copy, "deb");
    container = await bootDebian(folder, "trixie", packages);
    execFileSync("cp", [packageIn(copy), join(container.root, "root")]);
    // An order of text that depends on the release, as a cluster gets from the locale of its machine.
    await run(`
      cd /root
      export DEBIAN_FRONTEND=noninteractive
      apt-get install -y ./maintenance-log-service_*.deb < /dev/null
      localedef -i en_US -f UTF-8 en_US.UTF-8
      pg_dropcluster --stop 15 main
      pg_createcluster --start --locale en_US.UTF-8 15 main`);
    await paste(blocksOf("docs/operations.md", "Installation").slice(1));
    await run(`
      api=http://127.0.0.1:7070/api/v1
      token=$(curl --silent --fail --json '{"email":"you@example.com","password":"${password}"}' $api/auth/login | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
      send() { curl --silent --fail --header "Authorization: Bearer $token" --json "$2" "$api/$1"; }
      send assets '{"name":"Pump","description":""}'
      send assets/1/logs '{"performedDate":"2026-01-01T10:00","status":"COMPLETED","taskType":"MAINTENANCE","comment":"before"}'
      runuser -u postgres -- psql -c "update pg_database set datcollversion = '2.36'"`);
    await paste([freeze]);
  });
  after(async () => {
    await container?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("the method dump loses all rows of a frozen schema and ends with 0, and keeps them without", async () => {
    await run(`
      DEBIAN_FRONTEND=noninteractive apt-get install -y postgresql-17 < /dev/null
      systemctl stop maintenance-log.socket maintenance-log.service
      pg_ctlcluster 15 main stop
      pg_createcluster --port 5440 --locale en_US.UTF-8 15 tried
      rm -r /var/lib/postgresql/15/tried
      cp -a /var/lib/postgresql/15/main /var/lib/postgresql/15/tried
      pg_ctlcluster 15 main start
      pg_ctlcluster 15 tried start
      pg_upgradecluster --method=dump 15 tried`);
    assert.equal(await run(stateAt(5440)), "rows: 0 0 0\ntriggers: A\nfreeze: A\n");
    await run(`
      pg_dropcluster --stop 17 tried
      pg_conftool 15 tried set port 5440
      echo auto > /etc/postgresql/15/tried/start.conf
      systemctl daemon-reload
      pg_ctlcluster 15 tried start
      export PGPORT=5440
      ${dropFreeze}
      pg_upgradecluster --method=dump 15 tried`);
    assert.equal(await run(stateAt(5440)), "rows: 1 1 1\ntriggers: O\nfreeze:\n");
    await run(`
      export DATABASE_URL=$(sed 's/:5432/:5440/' /etc/maintenance-log-service/credentials/owner-database-url)
      maintenance-log migrate`);
    assert.equal(await run(stateAt(5440)), "rows: 1 1 1\ntriggers: A\nfreeze:\n");
    await run(`
      pg_dropcluster --stop 17 tried
      pg_dropcluster 15 tried
      systemctl start maintenance-log.socket maintenance-log.service`);
  });

  test("the page keeps the records, the triggers and the freeze, and orders the indexes anew", async () => {
    assert.ok(steps.length === 6 && steps[3]?.includes("reindexdb"));
    // All but the last step, and back; then once more.
    await paste([...steps.slice(0, -1), goBack]);
    assert.match(await run("pg_lsclusters --no-header"), /^15 +main +5432 online .*\n$/);
    assert.equal(await run(stateAt(5432)), "rows: 1 1 1\ntriggers: A\nfreeze: A\n");
    await run("curl --silent --fail --retry 9 --retry-all-errors http://127.0.0.1:7071/readyz");
    await paste(steps);
    assert.match(await run("pg_lsclusters --no-header"), /^17 +main +5432 online .*\n$/);
    assert.equal(await run(stateAt(5432)), "rows: 1 1 1\ntriggers: A\nfreeze: A\n");
    assert.match(
      await run("journalctl -u maintenance-log-verify.service"),
      /3 entries: all records match, and the tree extends the checkpoints\n.*\n.*\n$/,
    );
    const stale = "datcollversion <> pg_database_collation_actual_version(oid)";
    assert.equal(
      await run(
        `runuser -u postgres -- psql -At -c "select datcollversion <> '', ${stale} from pg_database where datname = 'maintenance'"`,
      ),
      "t|f\n",
    );
    await assert.rejects(
      run("runuser -u postgres -- psql -d maintenance -c 'alter table asset add column x int'"),
      /ALTER TABLE is refused: the schema is frozen/,
    );
    assert.equal(await run("systemctl --failed --no-legend --plain"), "");
    await run(
      "curl --silent --fail http://127.0.0.1:7071/readyz && systemctl start maintenance-log-backup.service",
    );
  });
});
