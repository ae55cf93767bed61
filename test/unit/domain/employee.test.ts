import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { domainToASCII } from "node:url";
import fc from "fast-check";
import {
  emailKey,
  employeeChangeFields,
  passwordChangeFields,
  registrationFields,
} from "../../../src/domain/employee.ts";
import { readFields } from "../../../src/domain/field.ts";
import { aRegistration } from "../../support/test-records.ts";

const refused = (message: string) => ({ name: "DomainError", code: "INVALID", message });
const register = (sent: object) => readFields(registrationFields, { ...aRegistration(), ...sent });

describe("a registration", () => {
  const emailOfLength = (length: number) => `${"a".repeat(length - 6)}@ex.io`;
  const [badEmail, badPhone] = ["Invalid email format", "Invalid phone format"];
  const wide = `${"😀".repeat(72)}${" ".repeat(28)}`;

  // Beside the properties (test/unit/properties.test.ts), which hold lengths and forms against the specification.
  for (const [field, sent, kept] of [
    ["firstName", ` ${"a".repeat(50)} `, "a".repeat(50)],
    ["email", " ada@example.com\t", "ada@example.com"],
    ["email", "Ada.Lovelace+log@Mail.Example.COM", "Ada.Lovelace+log@Mail.Example.COM"],
    ["email", `  ${emailOfLength(254)}  `, emailOfLength(254)],
    ["phone", "12\u00a0345\t6", "12\u00a0345\t6"],
    ["phone", "  123456  ", "123456"],
    ["password", "  abcd  ", "  abcd  "],
    ["password", wide, wide],
  ] as const) {
    test(`keeps the ${field} ${JSON.stringify(sent).slice(0, 40)}`, () =>
      assert.equal(register({ [field]: sent })[field], kept));
  }

  for (const [field, sent, message] of [
    ["email", "ada@example", badEmail],
    ["email", "ada@example.c\u00a0om", badEmail],
    ["email", "ada@example.com,bob@example.com", badEmail],
    ["email", emailOfLength(255), "Email is too long"],
    ["phone", "12345a", badPhone],
    ["phone", "\u0661\u0662\u0663\u0664\u0665\u0666", badPhone],
    ["password", "  abc  ", "Password must be between 4 and 72 characters"],
    [
      "password",
      `abcd${" ".repeat(97)}`,
      "Password must be at most 100 characters with the white space around it",
    ],
    ["role", "admin", "Invalid role value"],
  ] as const) {
    test(`refuses the ${field} ${JSON.stringify(sent).slice(0, 40)}`, () =>
      assert.throws(() => register({ [field]: sent }), refused(message)));
  }
});

test("a change of an employee and of a password follow the rules of a registration", () => {
  for (const name of Object.keys(employeeChangeFields) as (keyof typeof employeeChangeFields)[]) {
    assert.equal(employeeChangeFields[name].schema, registrationFields[name].schema);
  }
  assert.throws(() => readFields(employeeChangeFields, { email: "ada" }), refused("Invalid email format"));
  assert.equal(readFields(employeeChangeFields, { phone: "  123456  " }).phone, "123456");
  assert.deepEqual(passwordChangeFields.newPassword.schema, registrationFields.password.schema);
  const changed = { oldPassword: "x", newPassword: `abcd${" ".repeat(97)}` };
  assert.throws(() => readFields(passwordChangeFields, changed), { code: "INVALID" });
});

describe("the login name", () => {
  test("is the same email in any case, with or without surrounding whitespace", () => {
    assert.equal(emailKey(`${" ".repeat(5_000)}Ada@Example.COM\n`), emailKey("ada@example.com"));
    assert.equal(emailKey("ÅSE@example.com"), emailKey("åse@example.com"));
    assert.equal(emailKey("JOSE\u0301@example.com"), emailKey("jos\u00e9@example.com"));
    assert.equal(emailKey("ΝΙΚΟΣ@example.gr"), emailKey("νικοσ@example.gr"));
    assert.equal(emailKey("νικος@example.gr"), emailKey("νικοσ@example.gr"));
    assert.equal(emailKey("İpek@example.com"), emailKey("I\u0307pek@example.com"));
  });

  test("differs for different emails", () => {
    for (const [one, other] of [
      ["ada@example.com", "adam@example.com"],
      ["ada+log@example.com", "ada@example.com"],
      ["ırmak@example.com", "irmak@example.com"],
      ["strauß@example.com", "strauss@example.com"],
      ["x@straße.example", "x@strasse.example"],
      // What a URL takes for the end of a host, for a port, for an encoded character, or for an address.
      ["x@ü.example/y.z", "x@ü.example"],
      ["x@ü.example?y.z", "x@ü.example"],
      ["x@ü.example#y.z", "x@ü.example"],
      ["x@ü.example\\y.z", "x@ü.example"],
      ["x@ü.example:80", "x@ü.example"],
      ["x@%61ü.example", "x@aü.example"],
      ["x@0x7f.1", "x@127.0.0.1"],
    ] as const)
      assert.notEqual(emailKey(one), emailKey(other), one);
  });

  test("is the same email with its domain in Unicode and as browsers send it", () => {
    for (const domain of [
      "xn--mnchen-3ya.example",
      "XN--MNCHEN-3YA.Example",
      "MÜNCHEN.example",
      "mu\u0308nchen.example",
    ])
      assert.equal(emailKey(`x@${domain}`), emailKey("x@münchen.example"), domain);
    for (const unicode of [
      "νικος.gr",
      "ΝΙΚΟΣ.gr",
      "straße.example",
      "STRAẞE.example",
      "İ.example",
      "😀.example",
    ])
      assert.equal(emailKey(`x@${domainToASCII(unicode.toLowerCase())}`), emailKey(`x@${unicode}`), unicode);
    assert.equal(emailKey("x@ｅｘａｍｐｌｅ.com"), emailKey("x@example.com"));
    assert.equal(emailKey("x@example。com"), emailKey("x@example.com"));
  });

  test("is folded like other text where the domain is none", () => {
    for (const domain of [
      "xn--a.example",
      "ü\u200db.example",
      "ü|x.example",
      "[ü].example",
      `${"ü".repeat(254)}.example`,
    ])
      assert.equal(emailKey(`X@${domain.toUpperCase()}`), `x@${domain}`);
    assert.equal(emailKey("ada＠example.com"), "ada＠example.com");
    assert.equal(emailKey("Münch"), "münch");
  });

  /** Those with another case or form. */
  const changing = Array.from({ length: 0x110000 }, (_, codePoint) => String.fromCodePoint(codePoint)).filter(
    character =>
      character.isWellFormed() &&
      !/\p{Script=Hangul}/u.test(character) &&
      new Set([character.toLowerCase(), character.toUpperCase(), character.normalize("NFKD")]).size > 1,
  );
  const isOneKey = (email: string) =>
    [emailKey(email), email.toLowerCase(), email.normalize("NFD"), email.normalize("NFC")].every(
      form => emailKey(form) === emailKey(email),
    );

  test("has one form for each character, in either part, whatever its case and Unicode form", () => {
    // The capital has no composed form, the small letter has one.
    assert.equal(emailKey("J\u030c@example.com"), emailKey("\u01f0@example.com"));
    const emails = changing.flatMap(character => [`x${character}@example.com`, `x@é${character}a.example`]);
    assert.ok(emails.length > 10_000);
    assert.deepEqual(
      emails.filter(email => !isOneKey(email)),
      [],
    );
  });

  test("has one form for each text", () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom(...changing, ..."@.-a1", "xn--"),
        fc.string({ unit: "binary", maxLength: 1 }),
      ),
      maxLength: 12,
    });
    fc.assert(
      fc.property(text, text, (local, domain) => isOneKey(`${local}@${domain}`)),
      { numRuns: 500 },
    );
  });

  test("is that of nobody where an email is longer than that of any employee can be", () => {
    const most = changing.reduce((a, b) => (emailKey(b).length > emailKey(a).length ? b : a));
    const [one, other] = [most, "😀"].map(character => `${character.repeat(250)}@a.b`) as [string, string];
    assert.equal(register({ email: one }).email, one);
    const nobody = emailKey("x".repeat(2_000));
    assert.equal(new Set([nobody, emailKey(one), emailKey(other)]).size, 3);
    assert.equal(emailKey(`${"y".repeat(2_000)}@example.com`), nobody);
    assert.throws(() => register({ email: nobody }), refused("Invalid email format"));
  });

  test("takes no longer for a domain than for other text, however long it is", () => {
    const email = `x@${"\u4e00\u9fff\u6c34".repeat(500)}`;
    const before = process.cpuUsage();
    for (let i = 0; i < 100; i += 1) emailKey(email);
    const { user } = process.cpuUsage(before);
    assert.ok(user < 200_000, `${user} µs for 100 emails`);
  });
});
