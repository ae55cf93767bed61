import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { encode, forge, goodClaims, hs256, signed } from "../support/forge.ts";
import { aRegistration } from "../support/test-records.ts";
import { api, describeInWorlds, password } from "../support/world.ts";

const login = `${api}/auth/login`;
const register = `${api}/auth/register`;
const wrong = { status: 401, msg: "Wrong email or password" };

/** What somebody sends, be it wrong. */
const registration = (changes: Readonly<Record<string, unknown>> = {}) => ({
  ...aRegistration(),
  ...changes,
});

describeInWorlds("authentication", world => {
  describe("login", () => {
    test("answers a token and the employee, and never the password", async () => {
      const employee = world.employees.MANAGER;
      const { status, json, text } = await world.call("POST", login, {
        body: { email: employee.email, password },
      });
      assert.equal(status, 200);
      assert.deepEqual(Object.keys(json), ["token", "authUser"]);
      assert.deepEqual(json.authUser, { ...employee });
      assert.doesNotMatch(text, /password|hash|secret/i);
      assert.equal((await world.call("GET", `${api}/assets`, { token: json.token })).status, 200);
    });

    test("takes an email with a quotation mark, as everything else that means something in SQL", async () => {
      for (const email of ["a'b@c.d", "a'--@c.d", "$1@c.d", "a\\'b@c.d"]) {
        const body = registration({ email });
        const token = world.tokens.MANAGER;
        assert.equal((await world.call("POST", register, { token, body })).status, 201, email);
        const { status, json } = await world.call("POST", login, {
          body: { email, password: body.password },
        });
        assert.deepEqual([status, json.authUser.email], [200, email]);
      }
    });

    test("an unknown email, a wrong password and an inactive employee get the same answer", async () => {
      const { employee } = await world.join("TECHNICIAN");
      await world.call("DELETE", `${api}/employees/${employee.id}`, { token: world.tokens.ADMIN });
      for (const body of [
        { email: "nobody@example.com", password },
        { email: world.employees.ADMIN.email, password: "secret 2" },
        { email: world.employees.ADMIN.email, password: ` ${password}` },
        { email: employee.email, password },
      ]) {
        const answer = await world.call("POST", login, { body });
        assert.deepEqual([answer.status, answer.json], [401, wrong], JSON.stringify(body));
        assert.equal(answer.headers.get("www-authenticate"), 'Bearer realm="maintenance-log"');
      }
      await world.call("PATCH", `${api}/employees/${employee.id}`, { token: world.tokens.ADMIN });
      const again = await world.call("POST", login, { body: { email: employee.email, password } });
      assert.equal(again.status, 200);
    });
  });

  describe("registration", () => {
    test("creates an active employee with trimmed strings, who can log in", async () => {
      const sent = registration({
        firstName: " Grace ",
        lastName: "\tHopper\n",
        phone: " +45 (12) 34-56 ",
      });
      const body = { ...sent, email: ` ${sent.email} ` };
      const { status, json } = await world.call("POST", register, { token: world.tokens.MANAGER, body });
      assert.equal(status, 201);
      assert.deepEqual(json, {
        id: json.id,
        firstName: "Grace",
        lastName: "Hopper",
        phone: "+45 (12) 34-56",
        email: sent.email,
        role: "TECHNICIAN",
        active: true,
      });
      const loggedIn = await world.call("POST", login, {
        body: { email: sent.email, password: sent.password },
      });
      assert.deepEqual(loggedIn.json.authUser, json);
    });

    test("nobody grants a role above their own", async () => {
      const attempt = async (granter: "MANAGER" | "ADMIN", role: string) =>
        (await world.call("POST", register, { token: world.tokens[granter], body: registration({ role }) }))
          .status;
      assert.equal(await attempt("MANAGER", "TECHNICIAN"), 201);
      assert.equal(await attempt("MANAGER", "MANAGER"), 201);
      assert.equal(await attempt("MANAGER", "ADMIN"), 403);
      assert.equal(await attempt("ADMIN", "ADMIN"), 201);
    });
  });

  describe("tokens", () => {
    const path = `${api}/assets`;
    const claims = () => goodClaims(world.employees.ADMIN.email, "ADMIN", world.clock.now());
    const notValid = { status: 403, msg: "Token is not valid" };
    const noUser = { status: 403, msg: "No user was added from the token" };

    test("a token without sub is accepted, and one with the sub of the same employee", async () => {
      assert.equal((await world.call("GET", path, { token: forge(claims()) })).status, 200);
      const token = forge({ ...claims(), sub: String(world.employees.ADMIN.id) });
      assert.equal((await world.call("GET", path, { token })).status, 200);
    });

    test("the scheme is Bearer in any case", async () => {
      const headers = { authorization: `bearer ${world.tokens.ADMIN}` };
      assert.equal((await world.call("GET", path, { headers })).status, 200);
    });

    for (const [what, token] of [
      ["garbage", () => "garbage"],
      ["another secret", () => forge(claims(), { secret: "another secret of more than thirty-two bytes" })],
      ["the sub of another employee", () => forge({ ...claims(), sub: String(world.employees.MANAGER.id) })],
      ["the email of no employee", () => forge({ ...claims(), username: "nobody@example.com" })],
      ["= behind its signature", () => `${forge(claims())}=`],
      ["= behind its payload, and signed so", () => signed(`${encode(hs256)}.${encode(claims())}=`)],
    ] as const) {
      test(`a token with ${what} is 403 Token is not valid, on an unknown path too`, async () => {
        for (const target of [path, "/nope"]) {
          const answer = await world.call("GET", target, { token: token() });
          assert.deepEqual([answer.status, answer.json], [403, notValid]);
        }
      });
    }

    test("another scheme, or no token after the scheme, is 403 Token is not valid", async () => {
      for (const authorization of ["Basic YTpi", "Bearer", "Bearer ", world.tokens.ADMIN, "Bearer a b"]) {
        const answer = await world.call("GET", path, { headers: { authorization } });
        assert.deepEqual([answer.status, answer.json], [403, notValid], authorization);
      }
    });

    test("a token without username, or without exactly one known role, has no user", async () => {
      for (const changes of [{ username: undefined }, { roles: [] }]) {
        for (const target of [path, "/nope"]) {
          const answer = await world.call("GET", target, { token: forge({ ...claims(), ...changes }) });
          assert.deepEqual([answer.status, answer.json], [403, noUser], JSON.stringify(changes));
        }
      }
    });

    test("a token stops working when its lifetime is over", async () => {
      const { token } = await world.join("ADMIN");
      world.clock.advance(3_599);
      assert.equal((await world.call("GET", path, { token })).status, 200);
      world.clock.advance(1);
      assert.deepEqual((await world.call("GET", path, { token })).json, notValid);
      world.clock.advance(-3_600);
    });

    test("a new employee who takes over a freed email does not inherit the old token", async () => {
      const { employee, token } = await world.join("MANAGER");
      const freed = { email: `moved.${employee.id}@example.com` };
      await world.call("PUT", `${api}/employees/${employee.id}`, {
        token: world.tokens.ADMIN,
        body: freed,
      });
      const body = registration({ email: employee.email });
      assert.equal((await world.call("POST", register, { token: world.tokens.ADMIN, body })).status, 201);
      assert.deepEqual((await world.call("GET", path, { token })).json, notValid);
    });
  });
});
