import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { EmailKey } from "../../src/domain/employee.ts";
import { makeMemoryRepositories } from "../fakes/memory-repositories.ts";
import { startDripping } from "../support/dripping-request.ts";
import { repositoriesListing } from "../support/own-reads.ts";
import { dial } from "../support/raw-client.ts";
import { aLog, anAsset, aRegistration, aStoredLog, noChange } from "../support/test-records.ts";
import { deferred, until } from "../support/until.ts";
import { api, describeInWorlds, lifetimeSeconds, openWorld, password } from "../support/world.ts";

describeInWorlds("a token that ends while the body of its request arrives", async world => {
  const { id: assetId } = await world.ports.assets.insert(anAsset());

  /** A request to every route that reads a body, by somebody who may send it. */
  const requestsOf = (id: number) => [
    { method: "POST", path: `${api}/auth/register`, body: aRegistration({ role: "ADMIN" }) },
    { method: "PUT", path: `${api}/employees/${id}`, body: { firstName: "Mary" } },
    { method: "POST", path: `${api}/assets`, body: { name: "Crane" } },
    { method: "POST", path: `${api}/assets/${assetId}/logs`, body: aLog() },
    {
      method: "PATCH",
      path: `${api}/employees/${id}/password`,
      body: { oldPassword: password, newPassword: "another 1" },
    },
  ];
  const state = async () => {
    const answers = ["employees", "assets", "logs"].map(list =>
      world.call("GET", `${api}/${list}`, { token: world.tokens.ADMIN }),
    );
    return (await Promise.all(answers)).map(({ text }) => text);
  };

  for (const [how, revoke] of [
    [
      "by a deactivation here",
      (id: number) => world.call("DELETE", `${api}/employees/${id}`, { token: world.tokens.ADMIN }),
    ],
    [
      "by a change of role in another process",
      async (id: number) => {
        await world.ports.employees.update(id, { ...noChange, role: "MANAGER" }, ["ADMIN"]);
        world.clock.advance(0.5);
      },
    ],
  ] as const) {
    test(`is refused on every route when it is revoked ${how}, and nothing is written`, async () => {
      for (const { method, path, body } of requestsOf(0)) {
        const { employee, token } = await world.join("ADMIN");
        const own = path.replace("/employees/0", `/employees/${employee.id}`);
        const request = await startDripping(world.port, { method, path: own, token, body });
        await revoke(employee.id);
        const stored = await state();
        const { status, text } = await request.finish();
        assert.equal(status, 403, `${method} ${own}: ${text}`);
        assert.ok(text.endsWith('{"status":403,"msg":"Token is not valid"}'), text);
        assert.deepEqual(await state(), stored);
      }
    });
  }

  test("is 401 on create-log when nobody has its email any more, as at the start of a request", async () => {
    const { employee, token } = await world.join("TECHNICIAN");
    const path = `${api}/assets/${assetId}/logs`;
    const request = await startDripping(world.port, { method: "POST", path, token, body: aLog() });
    const email = `${randomUUID()}@example.com`;
    await world.call("PUT", `${api}/employees/${employee.id}`, {
      token: world.tokens.ADMIN,
      body: { email },
    });
    assert.equal((await request.finish()).status, 401);
  });

  test("goes on when it is the one that changed its own password", async () => {
    const { employee, token } = await world.join("MANAGER");
    const request = await startDripping(world.port, {
      method: "POST",
      path: `${api}/assets`,
      token,
      body: { name: "Crane" },
    });
    const change = { oldPassword: password, newPassword: "another 1" };
    const path = `${api}/employees/${employee.id}/password`;
    assert.equal((await world.call("PATCH", path, { token, body: change })).status, 204);
    assert.equal((await request.finish()).status, 201);
  });
});

test("a list that began goes on to its end when its token ends meanwhile", async () => {
  const { promise: held, resolve: goOn } = deferred();
  const list = async function* () {
    yield { content: Buffer.from("{}"), next: aStoredLog() };
    await held;
    yield { content: Buffer.from("{}"), next: undefined };
  };
  await using world = await openWorld({ repositories: repositoriesListing(list) });
  const { employee, token } = await world.join("TECHNICIAN");
  const { socket, closed, text } = await dial(world.port);
  const head = `GET ${api}/logs HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  socket.write(head);
  await until(() => text() !== "");
  await world.ports.employees.setActive(employee.id, false);
  world.clock.advance(0.5);
  goOn();
  await closed();
  assert.match(text(), /^HTTP\/1\.1 200 [\s\S]*\]\r\n0\r\n\r\n$/);
  assert.equal((await world.call("GET", `${api}/logs`, { token })).status, 403);
});

for (const isChunked of [false, true]) {
  test(`a token that expires while the body arrives${isChunked ? " in chunks" : ""} is refused`, async () => {
    await using world = await openWorld();
    const { token } = await world.join("MANAGER");
    const body = { name: "Crane" };
    const request = await startDripping(world.port, {
      method: "POST",
      path: `${api}/assets`,
      token,
      body,
      isChunked,
    });
    world.clock.advance(lifetimeSeconds + 3_600);
    assert.equal((await request.finish()).status, 403);
  });
}

test("a request whose connection closes while its token is checked holds nothing afterwards", async () => {
  const repositories = makeMemoryRepositories();
  const { findAccount } = repositories.employees;
  let check = deferred();
  check.resolve();
  let isAsked = false;
  const employees = {
    ...repositories.employees,
    async findAccount(email: EmailKey) {
      isAsked = true;
      await check.promise;
      return findAccount(email);
    },
  };
  await using world = await openWorld({ repositories: { ...repositories, employees } });
  const { token } = await world.join("MANAGER");
  world.clock.advance(0.5);
  check = deferred();
  isAsked = false;
  const { socket } = await dial(world.port);
  socket.write(
    `POST ${api}/assets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 100\r\n\r\n{`,
  );
  await until(() => isAsked);
  socket.resetAndDestroy();
  await until(() => world.load().connections === 0);
  check.resolve();
  await until(() => world.load().requests + world.load().bodyBytes === 0);
});
