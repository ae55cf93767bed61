import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newAssetFields } from "../../../src/domain/asset.ts";
import {
  employeeChangeFields,
  loginFields,
  passwordChangeFields,
  registrationFields,
} from "../../../src/domain/employee.ts";
import { type Field, type Fields, readFields } from "../../../src/domain/field.ts";
import { newLogFields } from "../../../src/domain/maintenance-log.ts";
import { aLog, anAsset, aRegistration } from "../../support/test-records.ts";

interface Input {
  readonly fields: Fields;
  /** What may be sent, and is read as it is. */
  readonly whole: object;
  /** What a client is told where a value is missing, in the order of declaration. */
  readonly missing: Readonly<Record<string, string>>;
  /** What is read where a value is absent or null; others are required. */
  readonly absent?: Readonly<Record<string, unknown>>;
  /** Texts that may be blank. */
  readonly mayBeBlank?: readonly string[];
}

/** By what name messages call a field. */
const labelOf = (name: string) =>
  name.replace(/^./, first => first.toUpperCase()).replace(/\B[A-Z]/g, letter => ` ${letter.toLowerCase()}`);
/** Words, and a date, have messages of their own. */
const isText = (name: string, { schema }: Field<unknown>) =>
  schema["type"] === "string" && schema["enum"] === undefined && name !== "performedDate";

const required = (...names: readonly string[]) =>
  Object.fromEntries(names.map(name => [name, `${labelOf(name)} is required`]));
const changed = ["firstName", "lastName", "email", "phone", "role"];

const inputs: Readonly<Record<string, Input>> = {
  registration: {
    fields: registrationFields,
    whole: aRegistration(),
    missing: required("firstName", "lastName", "email", "password", "phone", "role"),
  },
  "change of an employee": {
    fields: employeeChangeFields,
    whole: { firstName: "Ada", lastName: "Byron", email: "a@b.c", phone: "123456", role: "ADMIN" },
    missing: required(...changed),
    absent: Object.fromEntries(changed.map(name => [name, undefined])),
  },
  login: {
    fields: loginFields,
    // Form and length are left to the comparison, so that they tell nothing about the rules.
    whole: { email: "ada", password: " x " },
    missing: required("email", "password"),
  },
  "change of the password": {
    fields: passwordChangeFields,
    whole: { oldPassword: " x ", newPassword: "new secret" },
    missing: required("oldPassword", "newPassword"),
  },
  "new asset": {
    fields: newAssetFields,
    whole: anAsset({ description: " as sent\n", active: false }),
    missing: required("name"),
    absent: { description: "", active: true },
    mayBeBlank: ["description"],
  },
  "new log": {
    fields: newLogFields,
    whole: aLog({ comment: "  as sent\n" }),
    missing: {
      performedDate: "Performed date required",
      status: "Status required",
      taskType: "Task type required",
      comment: "Comment required",
    },
    mayBeBlank: ["comment"],
  },
};

const emailEnd = "@b.c";
/** A value of so many characters, which JavaScript counts twice where the field takes any character. */
const samples: Readonly<Record<string, (length: number) => string>> = {
  email: length => `${"x".repeat(Math.max(0, length - emailEnd.length))}${emailEnd}`,
  phone: length => "1".repeat(length),
};
const letters = (length: number) => "𝒙".repeat(length);

const refused = (message: string | undefined) => ({ name: "DomainError", code: "INVALID", message });

for (const [name, { fields, whole, missing, absent = {}, mayBeBlank = [] }] of Object.entries(inputs)) {
  describe(`a ${name}`, () => {
    const read = (sent: object) => readFields(fields, { ...whole, ...sent });

    test("is read whole, without what it does not declare", () => {
      assert.deepEqual(Object.keys(whole).sort(), Object.keys(fields).sort());
      assert.deepEqual(read({ id: 7, isAdmin: true, performedByEmployeeId: 9, lastLogDate: "x" }), whole);
    });

    test("takes nothing that an object inherits", () => {
      const [first] = Object.values(missing);
      if (Object.keys(absent).length < Object.keys(fields).length)
        assert.throws(() => readFields(fields, Object.create(whole)), refused(first));
    });

    for (const field of Object.keys(fields)) {
      test(`${field in absent ? "may be without" : "needs"} ${field}`, () => {
        for (const none of [undefined, null]) {
          if (field in absent)
            assert.deepEqual(read({ [field]: none }), { ...whole, [field]: absent[field] });
          else assert.throws(() => read({ [field]: none }), refused(missing[field]));
        }
        for (const blank of ["", " \t\n", "\u200b\u0007\u00a0"]) {
          if (mayBeBlank.includes(field)) assert.equal(read({ [field]: blank })[field], blank);
          else if (field in missing) assert.throws(() => read({ [field]: blank }), refused(missing[field]));
        }
      });
    }

    for (const [field, declared] of Object.entries(fields)) {
      if (!isText(field, declared)) continue;
      const label = labelOf(field);
      test(`wants text for ${field}`, () => {
        for (const other of [7, true, ["Ada"], { text: "Ada" }])
          assert.throws(() => read({ [field]: other }), refused(`${label} must be a string`));
        for (const unstorable of ["Ada\0", "\ud800Ada"])
          assert.throws(
            () => read({ [field]: unstorable }),
            refused(`${label} must not contain NUL characters or lone surrogates`),
          );
      });
    }

    test("says what is missing in the order of its fields, before it judges any", () => {
      const faulty = Object.fromEntries(Object.keys(fields).map(each => [each, 7]));
      const names = Object.keys(missing);
      for (const [at, first] of names.entries()) {
        const blank = (each: string) => (mayBeBlank.includes(each) ? null : "");
        const sent = Object.fromEntries(names.slice(at).map(each => [each, blank(each)]));
        assert.throws(() => read({ ...faulty, ...sent }), refused(missing[first]));
      }
    });

    for (const [field, { bounds, read }] of Object.entries(fields)) {
      if (bounds === undefined) continue;
      const { min, max, trimmed } = bounds;
      const sample = samples[field] ?? letters;
      test(`takes ${min} to ${max} characters for ${field}, white space at its ends ${trimmed ? "left out" : "counted"}`, () => {
        const label = field.endsWith("assword") ? "Password" : labelOf(field);
        // An email and a phone number have a form, which tells more.
        const message = field in samples ? /./ : `${label} must be between ${min} and ${max} characters`;
        for (const length of [min, max]) read(sample(length));
        const padded = `  ${sample(max)}\n`;
        if (trimmed) read(padded);
        else assert.throws(() => read(padded), { message });
        assert.throws(() => read(sample(max + 1)), { message });
        if (min > 0) assert.throws(() => read(sample(min - 1)), { message });
      });
    }
  });
}
