import assert from "node:assert/strict";
import { test } from "node:test";
import { isRole, mayAct, type Role, readRole, roles, rolesUpTo } from "../../../src/domain/role.ts";

test("an employee may act in, and grant, each role up to their own", () => {
  const upTo: Readonly<Record<Role, readonly Role[]>> = {
    TECHNICIAN: ["TECHNICIAN"],
    MANAGER: ["TECHNICIAN", "MANAGER"],
    ADMIN: ["TECHNICIAN", "MANAGER", "ADMIN"],
  };
  for (const role of roles) {
    assert.deepEqual(rolesUpTo(role), upTo[role]);
    assert.equal(mayAct(role, "AUTHENTICATED"), true);
    for (const wanted of roles)
      assert.equal(mayAct(role, wanted), upTo[role].includes(wanted), `${role}: ${wanted}`);
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
