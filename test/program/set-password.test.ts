import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { openDatabase } from "../support/database.ts";
import { runProgram, startService } from "../support/program.ts";
import { until } from "../support/until.ts";

const email = "ada@example.com";

describe("set-password", async () => {
  const database = await openDatabase();
  const firstSettings = { DATABASE_URL: database.url, ADMIN_PASSWORD: "first password" };
  await runProgram(["create-admin", "--email", email], firstSettings);
  const SECRET_KEY = "a secret of the password tests, 32 bytes";
  const service = await startService({ ...firstSettings, SECRET_KEY, DATABASE_DURABILITY: "any" });
  after(async () => {
    await service.stop();
    await database.drop();
  });
  const run = (args: readonly string[], stdin: string | Uint8Array, settings = {}) =>
    runProgram(["set-password", ...args], { DATABASE_URL: database.url, ...settings }, stdin);
  const login = (password: string) =>
    service.call("POST", "/api/v1/auth/login", { body: { email, password } });

  test("gives an employee a new password, revokes their tokens, and changes nothing else", async () => {
    const { token, authUser } = (await login("first password")).json;
    const outcome = await run(["--email", ` ${email.toUpperCase()}`], "second password\n");
    const [event, said] = outcome.stdout.split("\n");
    const { time: _, ...logged } = JSON.parse(event ?? "");
    assert.deepEqual(logged, { level: "warn", event: "password set", employeeId: 1 });
    assert.equal(said, `${email} has a new password (employee 1); all tokens are revoked`);
    assert.deepEqual([outcome.code, outcome.stderr], [0, ""]);
    assert.equal((await login("first password")).status, 401);
    assert.deepEqual((await login("second password")).json.authUser, authUser);
    // The service asks for an account twice a second.
    await until(async () => (await service.call("GET", "/", { token })).status === 403);
    await run(["--email", email], "", { ADMIN_PASSWORD: "third password" });
    assert.equal((await login("third password")).status, 200);
  });

  test("says what is wrong with its arguments and its password", async () => {
    for (const [args, password, code, message] of [
      [[], "x", 64, "--email is missing"],
      [["--email", "nobody@example.com"], "a password", 65, "Employee not found"],
      [["--email", email], "abc", 65, "Password must be between 4 and 72 characters"],
      [["--email", email], `abcd${" ".repeat(200_000)}x`, 65, "Password must be between 4 and 72 characters"],
      [["--email", email], Buffer.from("p\xe4ssword\n", "latin1"), 65, "the password is not in UTF-8"],
    ] as const) {
      const outcome = await run(args, password);
      assert.deepEqual([outcome.code, outcome.stdout], [code, ""]);
      assert.ok(outcome.stderr.startsWith(`set-password: ${message}`), outcome.stderr);
    }
  });

  test("takes no byte order mark, which PowerShell writes first, for a part of the password", async () => {
    await run(["--email", email], "\ufeffwritten by PowerShell\r\n");
    assert.equal((await login("written by PowerShell")).status, 200);
  });

  test("does not activate anybody, and says so", async () => {
    await database.session()`update employee set active = false`;
    const { stdout } = await run(["--email", email], "fourth password");
    assert.match(stdout, /\nthe employee is inactive and cannot log in\n$/);
    assert.equal((await login("fourth password")).status, 401);
  });
});
