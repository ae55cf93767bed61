import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { DatabaseUrl, Server } from "../../../../src/adapters/postgres/connection/database-url.ts";
import { type Role, SilenceError } from "../../../../src/adapters/postgres/connection/link.ts";
import { makeServers } from "../../../../src/adapters/postgres/connection/servers.ts";

const names = ["a", "b", "c"] as const;
type Name = (typeof names)[number];
type State = "primary" | "standby" | "read-only primary" | "refuses" | "is silent";

const roles: Partial<Record<State, Role>> = {
  primary: { isWritable: true, isStandby: false },
  standby: { isWritable: false, isStandby: true },
  "read-only primary": { isWritable: false, isStandby: false },
};

/** Three servers in some state, what was tried of them, and a clock. */
function makeWorld(attribute: DatabaseUrl["attribute"], states: readonly [State, State, State]) {
  const state = new Map<string, State>(names.map((name, i) => [name, states[i] ?? "refuses"]));
  const world = {
    now: 0,
    tried: [] as string[],
    closed: [] as string[],
    set: (name: Name, to: State) => state.set(name, to),
  };
  const servers = makeServers(
    names.map(host => ({ host, port: 5_432 })),
    attribute,
    async (server: Server) => {
      const { host } = server as { host: string };
      world.tried.push(host);
      const now = state.get(host) ?? "refuses";
      if (now === "is silent") throw new SilenceError("no answer within 2 s");
      const role = roles[now];
      if (role === undefined) throw Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
      return { host, role, close: async () => void world.closed.push(host) };
    },
    () => world.now,
  );
  const { signal } = new AbortController();
  return {
    ...world,
    world,
    connect: async () => (await servers.connect(signal)).host,
    /** Who was tried since the last call. */
    tried: () => world.tried.splice(0).join(""),
  };
}

const unavailable = { name: "DomainError", code: "UNAVAILABLE", message: "The database is not available" };

describe("the servers of a database", () => {
  for (const [attribute, states, chosen, tried] of [
    ["any", ["standby", "primary", "refuses"], "a", "a"],
    ["any", ["refuses", "standby", "primary"], "b", "ab"],
    ["read-write", ["standby", "read-only primary", "primary"], "c", "abc"],
    ["primary", ["standby", "read-only primary", "primary"], "b", "ab"],
    ["read-only", ["primary", "read-only primary", "standby"], "b", "ab"],
    ["standby", ["primary", "read-only primary", "standby"], "c", "abc"],
    ["prefer-standby", ["primary", "refuses", "standby"], "c", "abc"],
    ["prefer-standby", ["refuses", "primary", "refuses"], "b", "abcab"],
  ] as const) {
    test(`with ${attribute}, of ${states.join(", ")}: ${chosen}`, async () => {
      const world = makeWorld(attribute, states);
      assert.equal(await world.connect(), chosen);
      assert.equal(world.tried(), tried);
    });
  }

  test("are asked first for the one that did last time", async () => {
    const world = makeWorld("read-write", ["standby", "standby", "primary"]);
    await world.connect();
    world.tried();
    assert.equal(await world.connect(), "c");
    assert.equal(world.tried(), "c");
    assert.deepEqual(world.closed, ["a", "b"]);
  });

  test("are asked last for those that did not answer, for as long as they do not", async () => {
    const world = makeWorld("read-write", ["is silent", "standby", "primary"]);
    assert.equal(await world.connect(), "c");
    assert.equal(world.tried(), "abc");
    world.world.set("c", "standby");
    world.world.set("b", "primary");
    assert.equal(await world.connect(), "b");
    assert.equal(world.tried(), "cb");
    world.world.set("b", "standby");
    world.world.set("a", "primary");
    assert.equal(await world.connect(), "a");
    assert.equal(world.tried(), "bca");
  });

  test("are all named when none will do, with what is wrong with each", async () => {
    const world = makeWorld("read-write", ["standby", "refuses", "is silent"]);
    await assert.rejects(world.connect(), (error: Error) => {
      assert.equal(
        (error.cause as Error).message,
        "a:5432: takes no writes; b:5432: refused; c:5432: no answer within 2 s",
      );
      return true;
    });
  });

  test("are left in peace longer and longer while none will do, up to a second", async () => {
    const world = makeWorld("read-write", ["refuses", "refuses", "refuses"]);
    const rests: number[] = [];
    let last = 0;
    for (; world.world.now < 10_000; world.world.now += 1) {
      await assert.rejects(world.connect(), unavailable);
      if (world.tried() === "") continue;
      rests.push(world.world.now - last);
      last = world.world.now;
    }
    const [first, second, ...others] = rests;
    assert.deepEqual([first, second], [0, 1]);
    for (const [i, rest] of others.entries()) {
      const longest = Math.min(1_000, 50 * 2 ** i);
      assert.ok(rest >= longest / 2 && rest <= longest + 1, `rest ${i} is ${rest} ms`);
    }
    assert.ok(others.some(rest => rest > 500));
    world.world.now += 1_000;
    world.world.set("b", "primary");
    assert.equal(await world.connect(), "b");
  });

  test("are asked by one statement at a time while none will do", async () => {
    const world = makeWorld("any", ["refuses", "refuses", "refuses"]);
    const together = () => Promise.allSettled(Array.from({ length: 9 }, world.connect));
    await together();
    assert.equal(world.tried().length, 27, "nobody knew yet");
    await together();
    assert.equal(world.tried(), "abc");
    await together();
    assert.equal(world.tried(), "", "the rest has begun");
  });
});
