import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { columnsOf } from "../../../src/adapters/postgres/connection/rows.ts";
import { columnOf } from "../../../src/adapters/postgres/connection/statement.ts";
import { assetProperties } from "../../../src/domain/asset.ts";
import { employeeProperties } from "../../../src/domain/employee.ts";
import { logProperties } from "../../../src/domain/maintenance-log.ts";
import { type Properties, partOf } from "../../../src/domain/record.ts";
import { openDatabase } from "../../support/database.ts";
import { shared } from "../../support/left-open.ts";
import { othersThan } from "../../support/other-values.ts";
import { stocked } from "../../support/stocked.ts";
import { aLog } from "../../support/test-records.ts";

const records: Readonly<Record<string, Properties>> = {
  employee: employeeProperties,
  asset: assetProperties,
  maintenance_log: logProperties,
};
const withEvents = Object.entries(records).filter(([table]) => table !== "maintenance_log");

// What the migrations say themselves of the records that src/domain declares.
describe("the tables of the records", async () => {
  const opened = await shared(openDatabase());
  const owner = opened.session();
  const { maintenanceLogs, performer, asset } = await stocked(opened.connect());
  await maintenanceLogs.append(asset.id, performer, aLog());

  /** Does it in a transaction that is rolled back. */
  async function attempt<T>(run: (query: (statement: string) => Promise<Row[]>) => Promise<T>): Promise<T> {
    const rolledBack = new Error("rolled back");
    let result: { readonly value: T } | undefined;
    await owner
      .begin(async transaction => {
        result = { value: await run(async statement => [...(await transaction.unsafe(statement))]) };
        throw rolledBack;
      })
      .catch(error => {
        if (error !== rolledBack) throw error;
      });
    return (result ?? assert.fail()).value;
  }
  type Row = Record<string, unknown>;

  for (const [table, properties] of Object.entries(records)) {
    for (const [name, { is, field, schema }] of Object.entries(
      partOf(properties, "recorded", "stored") as Properties,
    )) {
      const column = columnOf(name).text;
      test(`have the bounds and words of ${name} in ${table}`, async () => {
        await owner.unsafe(`alter table ${table} disable trigger all`);
        const stateOf = (value: string) =>
          attempt(query => query(`update ${table} set ${column} = ${value}`)).then(
            () => undefined,
            error => error.code,
          );
        assert.equal(await stateOf("null"), is(null) ? undefined : name === "id" ? "428C9" : "23502");
        if (field?.bounds !== undefined) {
          const { min, max } = field.bounds;
          for (const length of [min, max]) assert.equal(await stateOf(`repeat('é', ${length})`), undefined);
          // The form of an email, which the service asks for, leaves none empty.
          for (const length of [...(min > 0 && name !== "email" ? [min - 1] : []), max + 1])
            assert.equal(await stateOf(`repeat('é', ${length})`), "23514");
        }
        const words = (schema["enum"] ?? []) as readonly string[];
        for (const word of words) {
          assert.equal(await stateOf(`'${word}'`), undefined);
          // Of a text with a check, or of a type of its own.
          assert.match((await stateOf(`'${word.toLowerCase()}'`)) ?? "", /^(23514|22P02)$/);
        }
        await owner.unsafe(`alter table ${table} enable trigger all`);
      });
    }
  }

  for (const [table, properties] of withEvents) {
    const recorded = partOf(properties, "recorded") as Properties;
    const { id: _, ...state } = recorded;
    const columns = columnsOf(state).text;

    for (const [name, type] of Object.entries(state)) {
      const column = columnOf(name).text;
      test(`record each change of ${name} in ${table}_event`, () =>
        attempt(async query => {
          const textOf = async () => {
            const [row] = await query(`select ${column}::text as value from ${table} where id = 1`);
            return row?.["value"] as string | null;
          };
          const newest = async (from: string) => {
            const [row] = await query(`select ${columns} from ${from} order by id desc limit 1`);
            return row;
          };
          const countOf = async () =>
            (await query(`select from ${table}_event where ${table}_id = 1`)).length;
          // Twice, so that a change from null and one to null are among them, where null may be.
          for (let n = 0; n < 2; n += 1) {
            const before = await countOf();
            const others = othersThan(await textOf(), column, type);
            for (const other of others) await query(`update ${table} set ${column} = ${other} where id = 1`);
            assert.equal(await countOf(), before + others.length, `${others}`);
            assert.deepEqual(
              await newest(`${table}_event where ${table}_id = 1`),
              await newest(`${table} where id = 1`),
            );
          }
        }));
    }

    test(`let the service record all that is recorded of ${table}`, async t => {
      if (!opened.hasUsers) return t.skip("the embedded database has one user for everybody");
      const stored = columnsOf(properties).text.replace(/^id, /, "");
      const [names, values] = table === "employee" ? [", email_folded, password_hash", ", '', ''"] : ["", ""];
      await attempt(async query => {
        await query("set local role maintenance_log_service");
        await query(
          `insert into ${table} (${stored}${names}) select ${stored}${values} from ${table} where id = 1`,
        );
      });
    });
  }
});
