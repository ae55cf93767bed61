import assert from "node:assert/strict";
import { test } from "node:test";
import { isLong } from "../support/long-form.ts";
import { describeRestores, units } from "../support/restore-stage.ts";

const logs = isLong ? 100_000 : 10_000;
const comments = "first second third fourth fifth";

/** Adds a text to a set, and returns whether the set did not have the text. */
const isNew = (seen: Set<string>, text: string): boolean => seen.size < seen.add(text).size;

describeRestores("maintenance-log restore, killed", stage => {
  test("at each of its steps: the old database is served whole, or the new one, and what is written then is given up by its number alone", async t => {
    const begun = new Set<string>();
    const ended = new Set<string>();
    let step = 1;
    for (; ; step += 1) {
      stage.machine.killAt(step);
      const { code } = await stage.restore("--gives-up", "2", stage.dump);
      stage.machine.killAt(undefined);
      const isOld = stage.commentsIn("maintenance") === comments;
      if (!isOld) assert.equal(stage.commentsIn("maintenance"), "first second third", `step ${step}`);
      if (code === 0) break;
      // In the short form another restore begins once in each state that a kill leaves. It is run to its end once in each state of what serves.
      const served = `${isOld ? "old" : "new"} database, ${stage.running().length} of ${units.length} units`;
      const left = [served, ...stage.leftovers()].join(", ");
      if (isNew(begun, left) || isLong) {
        const comment = `written-after-step-${step}`;
        await stage.write(comment);
        // With the number of before: what was written since is not given up.
        const again = await stage.restore("--gives-up", isOld ? "2" : "0", stage.dump);
        assert.deepEqual(
          [again.code, stage.running()],
          [1, units],
          `step ${step}: ${again.stdout}${again.stderr}`,
        );
        const most = isOld ? "3" : "1";
        assert.match(
          again.stderr,
          new RegExp(`the dump lacks ${most} records: .* add --gives-up ${most}$`, "m"),
        );
        assert.equal(
          stage.commentsIn("maintenance"),
          `${isOld ? comments : "first second third"} ${comment}`,
        );
        if (isNew(ended, served)) {
          const last = await stage.restore("--gives-up", most, stage.dump);
          assert.equal(last.code, 0, `step ${step}: ${last.stdout}${last.stderr}`);
          stage.isRestored();
          await stage.goesOn();
          await stage.isWhole();
        }
      }
      stage.reset();
    }
    t.diagnostic(`${step} restores left ${begun.size} states`);
    assert.deepEqual(
      [...ended],
      [
        "old database, 5 of 5 units",
        "old database, 1 of 5 units",
        "new database, 1 of 5 units",
        "new database, 5 of 5 units",
      ],
    );
  });

  test(`after ${logs} logs: how long the services are stopped`, async t => {
    const { machine } = stage;
    const sql = machine.asOwner();
    await sql`
      insert into maintenance_log (performed_date, status, task_type, comment, asset_id, performed_by_employee_id)
      select '2026-01-01', 'COMPLETED', 'MAINTENANCE', 'Oil changed, filter cleaned, two bolts replaced: ' || n, asset.id, employee.id
      from asset, employee, generate_series(1, ${logs}::int) n`;
    await sql.end();
    await stage.sign(7 + logs);
    const { code, stdout, stderr } = await stage.restore(stage.backUp());
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^lost: 0 /m);
    assert.deepEqual(stage.running("running"), [units[0]], "no service runs meanwhile");
    assert.deepEqual(stage.running(), units);
    t.diagnostic(`the services were stopped for ${stage.stoppedSeconds().toFixed(1)} s`);
  });
});
