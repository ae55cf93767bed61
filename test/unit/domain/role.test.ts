import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  isRole,
  mayAct,
  type RequiredRole,
  type Role,
  readRole,
  rolesUpTo,
} from "../../../src/domain/role.ts";

const effective: readonly (readonly [Role, readonly RequiredRole[]])[] = [
  ["TECHNICIAN", ["TECHNICIAN", "AUTHENTICATED"]],
  ["MANAGER", ["TECHNICIAN", "MANAGER", "AUTHENTICATED"]],
  ["ADMIN", ["TECHNICIAN", "MANAGER", "ADMIN", "AUTHENTICATED"]],
];
const required: readonly RequiredRole[] = ["AUTHENTICATED", "TECHNICIAN", "MANAGER", "ADMIN"];

describe("the hierarchy of roles", () => {
  for (const [role, expected] of effective) {
    for (const wanted of required) {
      const allowed = expected.includes(wanted);
      test(`${role} ${allowed ? "may" : "may not"} act where ${wanted} is required`, () => {
        assert.equal(mayAct(role, wanted), allowed);
      });
    }
  }
});

describe("the roles that one may grant and edit", () => {
  const upTo: readonly (readonly [Role, readonly Role[]])[] = [
    ["TECHNICIAN", ["TECHNICIAN"]],
    ["MANAGER", ["TECHNICIAN", "MANAGER"]],
    ["ADMIN", ["TECHNICIAN", "MANAGER", "ADMIN"]],
  ];
  for (const [role, expected] of upTo) {
    test(`reach up to one's own for ${role}, and AUTHENTICATED is none of them`, () => {
      assert.deepEqual(rolesUpTo(role), expected);
    });
  }
});

test("a role is one of three words, in their exact case", () => {
  for (const role of ["TECHNICIAN", "MANAGER", "ADMIN"]) {
    assert.deepEqual([readRole(role), isRole(role)], [role, true]);
  }
  for (const other of ["AUTHENTICATED", "NONE", "admin", " ADMIN", "", 2, null, undefined, ["ADMIN"]]) {
    assert.throws(() => readRole(other), { code: "INVALID", message: "Invalid role value" });
    assert.equal(isRole(other), false);
  }
});
