import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeRoutes, type RouteKey, type UseCases } from "../../src/adapters/http/api/routes.ts";
import { emailKey } from "../../src/domain/employee.ts";
import { mayAct, type RequiredRole, type Role, roles } from "../../src/domain/role.ts";
import { tilePath } from "../../src/domain/trail/tile.ts";
import { all } from "../contract/repositories.ts";
import { callerOf } from "../support/by-admin.ts";
import { aLog, anAsset, aRegistration } from "../support/test-records.ts";
import { describeInWorlds, password, type World } from "../support/world.ts";

/** Records that one route has for itself: the log is of the asset, and the employee wrote it. */
type Own = Readonly<Record<"employee" | "asset" | "log", number>>;

interface Row {
  readonly role: RequiredRole | "NONE";
  readonly status: 200 | 201 | 204;
  /** Which of them the `{id}` of the path names; the caller's own where it has to be. */
  readonly id?: keyof Own | "caller";
  /** Which of them a response has, itself or in a list. */
  readonly finds?: keyof Own;
  readonly body?: (holder: World["employees"][Role]) => object;
}

/** The access matrix of the specification, section 5, and of the decisions, written out by hand: each route with a request that succeeds. */
const specified: Readonly<Record<RouteKey, Row>> = {
  "GET /": { role: "AUTHENTICATED", status: 200 },
  "GET /routes": { role: "AUTHENTICATED", status: 200 },
  "GET /openapi.json": { role: "AUTHENTICATED", status: 200 },
  "POST /api/v1/auth/login": { role: "NONE", status: 200, body: ({ email }) => ({ email, password }) },
  "POST /api/v1/auth/register": { role: "MANAGER", status: 201, body: () => aRegistration() },
  "GET /api/v1/employees": { role: "AUTHENTICATED", status: 200, finds: "employee" },
  "GET /api/v1/employees/me": { role: "AUTHENTICATED", status: 200 },
  "GET /api/v1/employees/{id}": { role: "AUTHENTICATED", status: 200, id: "employee", finds: "employee" },
  "PUT /api/v1/employees/{id}": {
    role: "MANAGER",
    status: 200,
    id: "employee",
    finds: "employee",
    body: () => ({ firstName: "Grace" }),
  },
  "DELETE /api/v1/employees/{id}": { role: "ADMIN", status: 204, id: "employee" },
  "PATCH /api/v1/employees/{id}": { role: "ADMIN", status: 204, id: "employee" },
  "PATCH /api/v1/employees/{id}/password": {
    role: "AUTHENTICATED",
    status: 204,
    id: "caller",
    body: () => ({ oldPassword: password, newPassword: password }),
  },
  "GET /api/v1/assets": { role: "AUTHENTICATED", status: 200, finds: "asset" },
  "GET /api/v1/assets/{id}": { role: "AUTHENTICATED", status: 200, id: "asset", finds: "asset" },
  "POST /api/v1/assets": { role: "MANAGER", status: 201, body: () => anAsset() },
  "PATCH /api/v1/assets/{id}": { role: "MANAGER", status: 204, id: "asset" },
  "DELETE /api/v1/assets/{id}": { role: "ADMIN", status: 204, id: "asset" },
  "GET /api/v1/assets/{id}/logs": { role: "AUTHENTICATED", status: 200, id: "asset", finds: "log" },
  "POST /api/v1/assets/{id}/logs": { role: "TECHNICIAN", status: 201, id: "asset", body: () => aLog() },
  "GET /api/v1/logs": { role: "AUTHENTICATED", status: 200, finds: "log" },
  "GET /api/v1/logs/active-assets": { role: "AUTHENTICATED", status: 200 },
  "GET /api/v1/logs/{id}": { role: "AUTHENTICATED", status: 200, id: "log", finds: "log" },
  "GET /api/v1/logs/employee/{id}": { role: "MANAGER", status: 200, id: "employee", finds: "log" },
  "GET /api/v1/logs/{id}/proof": { role: "AUTHENTICATED", status: 200, id: "log" },
  "GET /api/v1/trail": { role: "AUTHENTICATED", status: 200 },
  "GET /api/v1/trail/checkpoint": { role: "AUTHENTICATED", status: 200 },
  "GET /api/v1/trail/tile/{path}": { role: "AUTHENTICATED", status: 200 },
  "GET /api/v1/trail/entries": { role: "AUTHENTICATED", status: 200 },
};
const keys = Object.keys(specified) as RouteKey[];

/** Those of which a record has an entity tag. */
const tagged: readonly RouteKey[] = [
  "GET /api/v1/employees/me",
  "GET /api/v1/employees/{id}",
  "GET /api/v1/logs/{id}",
];

const challenge = (parameters = "") => `Bearer realm="maintenance-log"${parameters}`;
const unknownId = 999_999;
/** Preconditions that nothing meets, which are asked after all that comes before them. */
const ifOther = { "if-match": '"other"', "if-none-match": "*" };
const everybody = { active: undefined };

test("the route table is the specified matrix", () => {
  const declared = makeRoutes({} as UseCases).map(({ method, path, role, result }) => [
    `${method} ${path}`,
    { role, status: result.status },
  ]);
  assert.deepEqual(
    Object.fromEntries(declared),
    Object.fromEntries(keys.map(key => [key, { role: specified[key].role, status: specified[key].status }])),
    "write each new route into the matrix above, with the role that it was meant to have",
  );
});

describeInWorlds("every route", async world => {
  test("is in /routes, whatever the client prefers", async () => {
    const asked = { token: world.tokens.TECHNICIAN, headers: { accept: "text/html" } };
    const expected = keys.map(key => {
      const { role } = specified[key];
      const [method, path] = key.split(" ");
      return { method, path, roles: role === "NONE" ? [] : [role] };
    });
    const byPath = (a: object, b: object) => JSON.stringify(a).localeCompare(JSON.stringify(b));
    const { json } = await world.call("GET", "/routes", asked);
    assert.deepEqual(json.sort(byPath), expected.sort(byPath));
  });

  const makeOwn = async (): Promise<Own> => {
    const { employee } = await world.join("TECHNICIAN");
    const { id: asset } = await world.ports.assets.insert(anAsset());
    const { log } = await world.ports.maintenanceLogs.append(asset, callerOf(employee), aLog());
    return { employee: employee.id, asset, log: log.id };
  };
  const owns = new Map<RouteKey, Own>();
  for (const key of keys) owns.set(key, await makeOwn());
  await world.cover();
  const { size } = (await world.trail.published.head()).head;

  /** All that a client could have changed. */
  const stored = async () => {
    const { employees, assets, maintenanceLogs } = world.ports;
    const accounts = Object.values(world.employees).map(({ email }) =>
      employees.findAccount(emailKey(email)),
    );
    return Promise.all([
      all(employees.list(everybody)),
      all(assets.list(everybody)),
      all(maintenanceLogs.list({})),
      ...accounts,
    ]);
  };

  for (const key of keys) {
    const { role, status, id, finds, body } = specified[key];
    const [method = "", path = ""] = key.split(" ");
    const own = owns.get(key) as Own;
    const idFor = (holder: Role) => (id === "caller" ? world.employees[holder].id : id && own[id]);

    describe(`${key} (${role})`, () => {
      interface Sent {
        readonly token?: string | undefined;
        readonly headers?: Record<string, string>;
        readonly as?: string;
        readonly id?: number | string | undefined;
        /** In place of the body. */
        readonly raw?: string;
      }
      const send = (holder: Role, { as = method, headers = {}, raw, ...sent }: Sent = {}) => {
        const target = path
          .replace("{id}", String(sent.id ?? idFor(holder)))
          .replace("{path}", tilePath({ level: 0, index: 0, width: Math.min(size, 256) }));
        const token = "token" in sent ? sent.token : world.tokens[holder];
        return world.call(as, target, {
          token,
          headers,
          ...(body && (raw === undefined ? { body: body(world.employees[holder]) } : { raw })),
        });
      };
      const outcome = async (...sent: Parameters<typeof send>) => {
        const { status, json, headers } = await send(...sent);
        return { status, msg: json?.msg, challenge: headers.get("www-authenticate") };
      };
      const refused = async (expected: object, ...sent: Parameters<typeof send>) =>
        assert.deepEqual(await outcome(...sent), { challenge: null, ...expected });
      const changingNothing = (refusals: () => Promise<void>) => async () => {
        const before = method === "GET" ? undefined : await stored();
        await refusals();
        if (before !== undefined) assert.deepEqual(await stored(), before);
      };

      const holders = role === "NONE" ? roles : roles.filter(holder => mayAct(holder, role));
      const [holder] = holders as [Role];

      for (const holder of holders) {
        test(`is ${status} for ${holder}`, async () => {
          const response = await send(holder);
          assert.deepEqual([response.status, response.text === ""], [status, status === 204], response.text);
          assert.equal(response.headers.get("www-authenticate"), null);
          if (status === 201) {
            // A reference that holds behind a prefix.
            const base = `http://x/prefix${path.replace("{id}", String(idFor(holder)))}`;
            const { pathname } = new URL(response.headers.get("location") ?? "", base);
            assert.match(pathname, /^\/prefix\//);
            const found = await world.call("GET", pathname.replace("/prefix", ""), {
              token: world.tokens.ADMIN,
            });
            assert.deepEqual([found.status, found.json.id], [200, response.json.id]);
          }
          if (finds === undefined) return;
          const found = [response.json].flat().map(record => record.id);
          assert.ok(found.includes(own[finds]), `${own[finds]} among ${found}`);
          if (path.endsWith("{id}") && id === finds) assert.deepEqual(found, [own[finds]]);
        });
      }

      if (role === "NONE") {
        test("is open without a token and with a broken one", async () => {
          for (const headers of [{}, ifOther])
            for (const token of [undefined, "broken"])
              assert.equal((await send(holder, { token, headers })).status, status);
        });
        return;
      }

      test(
        "is closed without a token and with a broken one",
        changingNothing(async () => {
          const missing = { status: 403, msg: "Token is missing", challenge: challenge() };
          await refused(missing, holder, { token: undefined });
          await refused(missing, holder, { token: undefined, headers: ifOther });
          const invalid = {
            status: 403,
            msg: "Token is not valid",
            challenge: challenge(', error="invalid_token"'),
          };
          await refused(invalid, holder, { token: "broken" });
        }),
      );

      const unauthorized = {
        status: 403,
        msg: "Unauthorized",
        challenge: challenge(', error="insufficient_scope"'),
      };
      for (const other of roles.filter(other => !holders.includes(other))) {
        test(
          `does not let ${other} through`,
          changingNothing(async () => {
            for (const headers of [{}, ifOther]) await refused(unauthorized, other, { headers });
          }),
        );
      }

      if (id === "caller") {
        test(
          "is for the own id alone",
          changingNothing(() => refused(unauthorized, "ADMIN", { id: own.employee })),
        );
      } else if (id !== undefined) {
        test(
          "is 404 for an id that nothing has, and 400 for what is none",
          changingNothing(async () => {
            const subject = { employee: "Employee", asset: "Asset", log: "Log" }[id];
            for (const sent of [unknownId, 0, -1, "99999999999999999999", "-99999999999999999999"])
              await refused({ status: 404, msg: `${subject} not found` }, holder, { id: sent });
            if (method === "GET" || path.includes("employees"))
              await refused({ status: 404, msg: `${subject} not found` }, holder, {
                id: unknownId,
                headers: ifOther,
              });
            for (const sent of ["x", "1x", "1.0", "1%20", "%E0"])
              await refused({ status: 400, msg: "Invalid id" }, holder, { id: sent, headers: ifOther });
          }),
        );
      }

      test("goes by the preconditions of its request", async () => {
        const changed = { status: 412, msg: "The record has changed" };
        if (method === "GET") {
          const tag = (await send(holder)).headers.get("etag");
          assert.equal(tag !== null, tagged.includes(key));
          if (tag !== null) assert.match(tag, /^"[\w-]{43}"$/);
          // What has no tag is sent whatever the conditions.
          const [matched, unmatched] = tag === null ? [status, status] : [304, 412];
          const ofTag = [
            [{ "if-none-match": String(tag) }, 304],
            [{ "if-none-match": `"other",, W/${tag}` }, 304],
            [{ "if-none-match": '"other"' }, status],
            [{ "if-none-match": "no tag" }, status],
            [{ "if-match": `W/${tag}` }, 412],
            [{ "if-match": "" }, 412],
            [{ "if-match": `"other",, ${tag}` }, status],
          ] as const;
          for (const as of ["GET", "HEAD"]) {
            for (const [headers, expected] of [
              [{ "if-none-match": "*" }, matched],
              [{ "if-match": '"other"' }, unmatched],
              // Of both the first decides.
              [{ "if-match": '"other"', "if-none-match": "*" }, unmatched],
              [{ "if-match": "*", "if-none-match": "*" }, matched],
              ...(tag === null ? [] : ofTag),
            ] as const) {
              const response = await send(holder, { as, headers });
              assert.equal(response.status, expected, JSON.stringify(headers));
              assert.equal(response.headers.get("etag"), expected === 412 ? null : tag);
              if (expected === 304)
                assert.deepEqual([response.text, response.headers.get("content-type")], ["", null]);
            }
          }
          return;
        }
        await changingNothing(async () => {
          await refused(changed, holder, { headers: ifOther });
          // Where there is no tag, before the body is read.
          if (!path.includes("employees/{id}") || id === "caller")
            await refused(changed, holder, { headers: ifOther, raw: "{" });
        })();
        assert.equal((await send(holder, { headers: { "if-match": "*" } })).status, status);
        const ifNew = { headers: { "if-none-match": "*" } };
        // What a POST makes is not there yet.
        if (method === "POST") assert.equal((await send(holder, ifNew)).status, status);
        else await changingNothing(() => refused(changed, holder, ifNew))();
      });

      if (method === "GET") {
        test("has the same head for HEAD, and no body", async () => {
          const [got, asked] = [await send(holder), await send(holder, { as: "HEAD" })];
          assert.deepEqual([asked.status, asked.text], [status, ""]);
          for (const name of ["content-type", "content-length", "etag", "link", "cache-control"])
            assert.equal(asked.headers.get(name), got.headers.get(name), name);
          assert.equal((await send(holder, { as: "HEAD", token: undefined })).status, 403);
        });
      }
    });
  }
});
