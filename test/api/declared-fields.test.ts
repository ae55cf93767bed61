import assert from "node:assert/strict";
import { test } from "node:test";
import { newAssetFields } from "../../src/domain/asset.ts";
import { employeeChangeFields, registrationFields } from "../../src/domain/employee.ts";
import type { Field, Fields } from "../../src/domain/field.ts";
import { newLogFields } from "../../src/domain/maintenance-log.ts";
import type { Entry, EntryKind } from "../../src/domain/trail/entry.ts";
import { aLog, anAsset, aRegistration } from "../support/test-records.ts";
import { api, describeInWorlds } from "../support/world.ts";

/** Of a field that has no words and no bounds, or whose texts have a form. */
const ownValues: Readonly<Record<string, readonly (() => unknown)[]>> = {
  email: [() => aRegistration().email, () => `É.${aRegistration().email}`],
  phone: [() => "123456", () => "+45 (12) 34-56 789"],
  performedDate: [() => "2026-02-28T10:20", () => "2024-02-29T23:59:59.123456"],
};

/** Two values at least: one that is always stored shows with the other. */
function valuesOf(name: string, { schema, bounds }: Field<unknown>): readonly (() => unknown)[] {
  const own = ownValues[name];
  if (own !== undefined) return own;
  const words = schema["type"] === "boolean" ? [true, false] : schema["enum"];
  if (Array.isArray(words)) return words.map(word => () => word);
  assert.ok(bounds, `what may be sent as ${name} is not known here: add it to ownValues`);
  return [() => "𝒙".repeat(bounds.min), () => `é${"y".repeat(bounds.max - 2)}z`];
}

interface Kind {
  readonly fields: Fields;
  readonly whole: () => object;
  readonly create: () => Promise<string>;
  readonly list: string;
  readonly record: string;
  /** Sent, and in no response. */
  readonly secret?: readonly string[];
  /** Of what is seen, what the entry leaves out: it changes without a record of that. */
  readonly unsigned: readonly string[];
}

describeInWorlds("each declared field of a new record", world => {
  const token = world.tokens.ADMIN;
  const kinds: Readonly<Record<EntryKind, Kind>> = {
    employee: {
      fields: registrationFields,
      whole: () => aRegistration(),
      create: async () => `${api}/auth/register`,
      list: `${api}/employees`,
      record: `${api}/employees`,
      secret: ["password"],
      unsigned: ["firstName", "lastName", "email", "phone"],
    },
    asset: {
      fields: newAssetFields,
      whole: () => anAsset(),
      create: async () => `${api}/assets`,
      list: `${api}/assets`,
      record: `${api}/assets`,
      unsigned: [],
    },
    log: {
      fields: newLogFields,
      whole: () => aLog(),
      create: async () => `${api}/assets/${(await world.ports.assets.insert(anAsset())).id}/logs`,
      list: `${api}/logs`,
      record: `${api}/logs`,
      unsigned: [],
    },
  };

  for (const [kind, { fields, whole, create, list, record, secret = [], unsigned }] of Object.entries(
    kinds,
  )) {
    for (const [name, field] of Object.entries(fields)) {
      const seen = secret.includes(name)
        ? "is in no response"
        : "is answered, found, listed and in the trail";
      test(`${name} of a new ${kind} ${seen} as it was sent`, async () => {
        for (const make of valuesOf(name, field)) {
          const sent = make();
          const body = { ...whole(), [name]: sent };
          const { size } = (await world.trail.published.head()).head;
          const created = await world.call("POST", await create(), { token, body });
          assert.equal(created.status, 201, created.text);
          const { id } = created.json;
          const found = await world.call("GET", `${record}/${id}`, { token });
          const listed = await world.call("GET", list, { token });
          await world.cover();
          const { json: entries } = await world.call("GET", `${api}/trail/entries?from=${size}`, { token });
          const { entry } = entries.find(
            ({ entry }: { entry: Entry }) => entry.kind === kind && entry.id === id,
          );
          const stored = [created.json, found.json, listed.json.find((one: { id: number }) => one.id === id)];
          const expected = secret.includes(name) ? [] : [field.read(sent)];
          for (const one of stored) assert.deepEqual(name in one ? [one[name]] : [], expected);
          assert.deepEqual(name in entry ? [entry[name]] : [], unsigned.includes(name) ? [] : expected);
        }
      });
    }
  }

  for (const [name, field] of Object.entries(employeeChangeFields)) {
    test(`${name} of an employee is changed, found and listed as it was sent`, async () => {
      for (const make of valuesOf(name, field)) {
        const { employee } = await world.join("TECHNICIAN");
        const sent = make();
        const path = `${api}/employees/${employee.id}`;
        const expected = { ...employee, [name]: field.read(sent) };
        for (const body of [{ [name]: sent }, {}])
          assert.deepEqual((await world.call("PUT", path, { token, body })).json, expected);
        assert.deepEqual((await world.call("GET", path, { token })).json, expected);
        const { json: listed } = await world.call("GET", `${api}/employees`, { token });
        assert.deepEqual(
          listed.find(({ id }: { id: number }) => id === employee.id),
          expected,
        );
      }
    });
  }
});
