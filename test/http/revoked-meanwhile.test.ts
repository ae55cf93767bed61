import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { DomainError } from "../../src/domain/error.ts";
import { makeMemoryRepositories } from "../fakes/memory-repositories.ts";
import { callerOf } from "../support/by-operator.ts";
import { startDripping } from "../support/dripping-request.ts";
import { until } from "../support/until.ts";
import { api, lifetimeSeconds, openWorld, password, type World, worlds } from "../support/world.ts";

const log = { performedDate: "2026-01-01T00:00", status: "PENDING", taskType: "ERROR", comment: "" };
const registration = { firstName: "Eve", lastName: "Moss", phone: "000 000", role: "ADMIN", password };

for (const { name, open } of worlds) {
  describe(`a token that ends while the body of its request arrives, ${name}`, () => {
    let world: World;
    let assetId: number;
    before(async () => {
      world = await open();
      assetId = (await world.ports.assets.insert({ name: "Pump", description: "", active: true })).id;
    });
    after(() => world.close());

    /** A request to every route that reads a body, by somebody who may send it. */
    const requestsOf = (id: number) => [
      {
        method: "POST",
        path: `${api}/auth/register`,
        body: { ...registration, email: `${randomUUID()}@e.com` },
      },
      { method: "PUT", path: `${api}/employees/${id}`, body: { firstName: "Mary" } },
      { method: "POST", path: `${api}/assets`, body: { name: "Crane" } },
      { method: "POST", path: `${api}/assets/${assetId}/logs`, body: log },
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
          const nothing = { firstName: undefined, lastName: undefined, email: undefined, phone: undefined };
          await world.ports.employees.update(id, { ...nothing, role: "MANAGER" }, ["ADMIN"]);
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
      const request = await startDripping(world.port, { method: "POST", path, token, body: log });
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
}

describe("a list under way", () => {
  /** Starts an answer that is longer than what any buffer holds, and reads no more than its beginning. */
  async function startList(world: World, token: string, path = "logs") {
    const { ports, employees } = world;
    const asset = await ports.assets.insert({ name: "Mill", description: "", active: true });
    const facts = { performedDate: "2026-01-01T00:00:00", status: "PENDING", taskType: "ERROR" } as const;
    // As long as a comment may be, in characters of which each becomes six: 60 MB in all, 15 MB in a bundle.
    const comment = "\u0001".repeat(10_000);
    const write = () =>
      ports.maintenanceLogs.append(asset.id, callerOf(employees.TECHNICIAN), { ...facts, comment });
    for (let i = 0; i < 10; i += 1) await Promise.all(Array.from({ length: 100 }, write));
    await until(async () => {
      await world.cover();
      return world.trail.reader.head().size > 1_000;
    });
    const socket = connect(world.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(
      `GET ${api}/${path} HTTP/1.1\r\nHost: service\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
    await once(socket, "readable");
    return {
      /** Reads on to the end; whether that is the end of the list. */
      async isWhole(): Promise<boolean> {
        let tail = "";
        socket.setEncoding("latin1").on("data", chunk => {
          tail = (tail + chunk).slice(-10);
        });
        await once(socket, "close");
        return tail.endsWith("\r\n0\r\n\r\n");
      },
    };
  }
  const untilRefused = async (world: World) => {
    await until(() => world.recorded.some(({ event }) => event === "token refused"));
    return world.recorded.filter(({ event }) => event === "token refused");
  };

  const lists = ["logs", "trail/entries?limit=1000", "trail/tile/entries/001"];
  for (const [{ name, open }, path] of worlds.flatMap(world => lists.map(path => [world, path] as const))) {
    test(`is cut when its token is revoked, ${path}, ${name}`, async () => {
      const world = await open();
      const { employee, token } = await world.join("TECHNICIAN");
      const list = await startList(world, token, path);
      await world.ports.employees.setActive(employee.id, false);
      world.clock.advance(0.5);
      const [refused] = await untilRefused(world);
      assert.equal(await list.isWhole(), false);
      assert.equal(refused?.details?.["employeeId"], employee.id);
      const line = world.recorded.findLast(({ event }) => event === "request");
      assert.deepEqual([line?.details?.["status"], line?.details?.["cut"]], [200, true]);
      await world.close();
    });
  }

  test("is refused while its first logs are looked for, and what is found then is not sent", async () => {
    const repositories = makeMemoryRepositories();
    let isAsked = false;
    let find = (): void => {};
    const found = new Promise<void>(resolve => {
      find = resolve;
    });
    const list: typeof repositories.maintenanceLogs.list = async function* () {
      isAsked = true;
      await found;
      yield { json: Buffer.from(",{}"), next: undefined };
    };
    const maintenanceLogs = { ...repositories.maintenanceLogs, list };
    const world = await openWorld({ repositories: { ...repositories, maintenanceLogs } });
    const { employee, token } = await world.join("TECHNICIAN");
    const answer = world.call("GET", `${api}/logs`, { token });
    await until(() => isAsked);
    await world.ports.employees.setActive(employee.id, false);
    world.clock.advance(0.5);
    assert.equal((await answer).status, 403);
    find();
    assert.equal((await world.call("GET", `${api}/employees/me`, { token: world.tokens.ADMIN })).status, 200);
    assert.equal((await untilRefused(world)).length, 1);
    assert.ok(!world.recorded.some(({ event }) => event === "request failed"));
    await world.close();
  });

  test("of one page, or one log, is refused when the database was slow and the token has ended meanwhile", async () => {
    for (const path of ["logs/1", "logs?limit=10"]) {
      const repositories = makeMemoryRepositories();
      let isAsked = false;
      let find = (): void => {};
      const found = new Promise<void>(resolve => {
        find = resolve;
      });
      const wait = () => {
        isAsked = true;
        return found;
      };
      const maintenanceLogs: typeof repositories.maintenanceLogs = {
        ...repositories.maintenanceLogs,
        find: id => wait().then(() => repositories.maintenanceLogs.find(id)),
        async *list(part) {
          await wait();
          yield* repositories.maintenanceLogs.list(part);
        },
      };
      const world = await openWorld({ repositories: { ...repositories, maintenanceLogs } });
      const { employee, token } = await world.join("TECHNICIAN");
      const answer = world.call("GET", `${api}/${path}`, { token });
      await until(() => isAsked);
      await world.ports.employees.setActive(employee.id, false);
      world.clock.advance(0.5);
      // Longer than what is sent without another look at the token.
      await new Promise(resolve => setTimeout(resolve, 300));
      find();
      assert.equal((await answer).status, 403, path);
      await world.close();
    }
  });

  /** A world whose database is held up from when `hold` is called until `release`, and whose answers then come in this order. */
  async function openHeldWorld(...order: readonly ("account" | "logs")[]) {
    const repositories = makeMemoryRepositories();
    let held = false;
    let asked = false;
    let release = (): void => {};
    const released = new Promise<void>(resolve => {
      release = resolve;
    });
    const wait = async (what: "account" | "logs") => {
      if (!held) return;
      asked = true;
      await released;
      await new Promise(resolve => setTimeout(resolve, 50 * order.indexOf(what)));
    };
    const employees: typeof repositories.employees = {
      ...repositories.employees,
      async findAccount(email) {
        const account = await repositories.employees.findAccount(email);
        await wait("account");
        return account;
      },
    };
    const maintenanceLogs: typeof repositories.maintenanceLogs = {
      ...repositories.maintenanceLogs,
      async *list(part) {
        await wait("logs");
        yield* repositories.maintenanceLogs.list(part);
      },
    };
    const world = await openWorld({ repositories: { ...repositories, employees, maintenanceLogs } });
    return {
      world,
      hold: () => {
        held = true;
      },
      isAsked: () => asked,
      release: () => {
        release();
        held = false;
      },
    };
  }

  for (const [what, path, order] of [
    ["a list whose logs come before the account", "logs", ["logs", "account"]],
    ["a page whose logs come before the account", "logs?limit=10", ["logs", "account"]],
    ["a list after an account that was read before", "logs", ["account", "logs"]],
    ["assets after an account that was read before", "assets", ["account", "logs"]],
    ["an employee after an account that was read before", "employees/me", ["account", "logs"]],
  ] as const) {
    test(`is not sent when the database was held up and the token has ended meanwhile: ${what}`, async () => {
      const { world, hold, isAsked, release } = await openHeldWorld(...order);
      const { employee, token } = await world.join("TECHNICIAN");
      if (order[0] === "logs") await world.call("GET", `${api}/employees/me`, { token });
      hold();
      const answer = world.call("GET", `${api}/${path}`, { token });
      await until(isAsked);
      await new Promise(resolve => setTimeout(resolve, 300));
      // By another process: what this one knows of the account stays for half a second.
      const { setActive } = world.ports.employees;
      await setActive(employee.id, false);
      world.clock.advance(0.5);
      release();
      assert.equal((await answer).status, 403);
      await world.close();
    });
  }

  test("is cut when its token expires", async () => {
    const world = await openWorld();
    const list = await startList(world, world.tokens.TECHNICIAN);
    world.clock.advance(lifetimeSeconds + 3_600);
    await untilRefused(world);
    assert.equal(await list.isWhole(), false);
    await world.close();
  });

  test("goes on while the database cannot tell about its token, and with a token that lives", async () => {
    const repositories = makeMemoryRepositories();
    let isDown = false;
    let asked = 0;
    const findAccount: typeof repositories.employees.findAccount = async email => {
      asked += 1;
      if (isDown) throw new DomainError("UNAVAILABLE", "The database is not available");
      return repositories.employees.findAccount(email);
    };
    const employees = { ...repositories.employees, findAccount };
    const world = await openWorld({ repositories: { ...repositories, employees } });
    const list = await startList(world, world.tokens.TECHNICIAN);
    isDown = true;
    world.clock.advance(0.5);
    const before = asked;
    await until(() => asked >= before + 2);
    isDown = false;
    assert.equal(await list.isWhole(), true);
    await world.close();
  });
});

test("a token that expires while the body arrives is refused", async () => {
  const world = await openWorld();
  const { token } = await world.join("MANAGER");
  const path = `${api}/assets`;
  const request = await startDripping(world.port, { method: "POST", path, token, body: { name: "Crane" } });
  world.clock.advance(lifetimeSeconds + 3_600);
  assert.equal((await request.finish()).status, 403);
  await world.close();
});
