import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { makeRoutes, type UseCases } from "../../src/adapters/http/api/routes.ts";
import { makeDatabase, serviceLimits } from "../../src/adapters/postgres/connection/database.ts";
import { readDatabaseUrl } from "../../src/adapters/postgres/connection/database-url.ts";
import { type Link, openLink } from "../../src/adapters/postgres/connection/link.ts";
import { Pool } from "../../src/adapters/postgres/connection/pool.ts";
import { isRefused } from "../../src/adapters/postgres/connection/sqlstate.ts";
import { script, sql } from "../../src/adapters/postgres/connection/statement.ts";
import { makeRepositories } from "../../src/adapters/postgres/repositories/repositories.ts";
import { stateOf } from "../../src/commands/service.ts";
import { openDatabase } from "../support/database.ts";
import { aLog, anAsset, aRegistration } from "../support/test-records.ts";
import { api, openWorld, password } from "../support/world.ts";

/** What each route is sent; the client compares each response with what the OpenAPI document says of its route. */
const bodies: Readonly<Record<string, object>> = {
  [`POST ${api}/auth/register`]: aRegistration(),
  [`PUT ${api}/employees/{id}`]: { firstName: "Grace" },
  [`PATCH ${api}/employees/{id}/password`]: { oldPassword: password, newPassword: "secret 2" },
  [`POST ${api}/assets`]: anAsset(),
  [`POST ${api}/assets/{id}/logs`]: aLog(),
};

describe("a statement of a request that PostgreSQL refuses", async () => {
  const opened = await openDatabase();
  const url = readDatabaseUrl(opened.url);
  /** What PostgreSQL raises in place of the statements of a route. */
  let planted: { readonly state: string; readonly constraint: string } | undefined;
  let plantedStatements = 0;
  let isLogin = false;

  const plantedLink = (link: Link): Link =>
    Object.assign(Object.create(link), {
      server: link.server,
      isOpen: () => link.isOpen(),
      cancel: () => link.cancel(),
      close: () => link.close(),
      send(...[statement, form]: Parameters<Link["send"]>) {
        const isOfToken = statement.text.includes("token_version as");
        if (planted === undefined || (isOfToken && !isLogin)) return link.send(statement, form);
        plantedStatements += 1;
        const { state, constraint } = planted;
        const raise = `raise 'planted' using errcode = '${state}', constraint = '${constraint}'`;
        return link.send(script(`do $$ begin ${raise}; end $$`), form);
      },
    });
  const pool = new Pool<Link>(serviceLimits, {
    open: async signal => {
      const [server] = url.servers;
      return plantedLink(await openLink(url, server as NonNullable<typeof server>, {}, signal));
    },
    isBroken: error => !isRefused(error),
    isUsable: link => link.isOpen(),
    suspect: () => {},
  });
  const database = makeDatabase(pool);
  const world = await openWorld({ repositories: makeRepositories(database) });
  after(async () => {
    await world.close();
    await database.close();
    await opened.drop();
  });
  const { ADMIN: admin } = world.tokens;
  const { id } = world.employees.ADMIN;
  const asset = await world.ports.assets.insert(anAsset());
  await world.call("POST", `${api}/assets/${asset.id}/logs`, { token: admin, body: aLog() });
  await world.cover();

  for (const [state, constraint, status] of [
    ["23505", "asset_pkey", 500],
    ["23X01", "of_an_operator", 500],
    ["40X01", "", 500],
    ["40P01", "", 503],
    ["53X01", "", 500],
    ["57X01", "", 500],
    ["XX0X1", "", 500],
  ] as const) {
    test(`is ${status} with an event on every route, fails the look of /readyz, and is none of the client's doing: ${state} ${constraint}`, async () => {
      const met = new Set<string>();
      for (const { method, path } of makeRoutes({} as UseCases)) {
        const route = `${method} ${path}`;
        isLogin = path.endsWith("/login");
        const body = isLogin ? { email: world.employees.ADMIN.email, password } : bodies[route];
        const target = path.replace("{id}", String(path.includes("/employee") ? id : 1));
        planted = { state, constraint };
        plantedStatements = 0;
        const before = world.recorded.length;
        const answer = await world.call(method, target.replace("{path}", "0/000.p/1"), {
          token: admin,
          ...(body && { body }),
        });
        planted = undefined;
        const events = world.recorded.slice(before).filter(({ event }) => event === "request failed");
        if (plantedStatements === 0) {
          assert.ok(answer.status < 400, `${route}: ${answer.status}`);
          continue;
        }
        met.add(route);
        // What a poll cannot find out is answered from the one before.
        if (answer.status < 400 && path.startsWith(`${api}/trail`)) continue;
        assert.equal(answer.status, status, route);
        const [event, ...others] = events;
        assert.deepEqual(
          [event?.level, event?.details?.["code"], others.length],
          [status === 503 ? "warn" : "error", state, 0],
          route,
        );
        assert.doesNotMatch(answer.text, /planted|constraint|pkey/);
      }
      const look = () => stateOf(database.query(sql`select 1`).then(() => []));
      planted = { state, constraint };
      const { cause, ...shown } = await look();
      planted = undefined;
      const word = status === 503 ? "not available" : "fails";
      assert.deepEqual(shown, { database: word, schema: "unknown" });
      assert.match(String(cause), /planted/);
      assert.deepEqual(await look(), { database: "ok", schema: "ok" });
      assert.ok(met.size > 18, [...met].join());
      // No connection was lost over it.
      const { inUse, idle } = database.load();
      assert.deepEqual([inUse, idle > 0], [0, true]);
      assert.equal((await world.call("GET", `${api}/assets/1`, { token: admin })).status, 200);
    });
  }
});
