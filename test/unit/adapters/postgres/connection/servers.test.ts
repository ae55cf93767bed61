import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { DatabaseServer } from "../../../../../src/adapters/postgres/connection/database-url.ts";
import type { Link } from "../../../../../src/adapters/postgres/connection/link.ts";
import { DatabaseServers } from "../../../../../src/adapters/postgres/connection/servers.ts";
import { deferred } from "../../../../support/until.ts";

const names = ["a", "b", "c"] as const;
type Name = (typeof names)[number];
type State = "primary" | "standby" | "refuses" | "is silent";

/** Three servers in some state, what was tried of them, and a clock. */
function makeWorld(needsWrites: boolean, states: readonly [State, State, State]) {
  const state = new Map<string, State>(names.map((name, i) => [name, states[i] ?? "refuses"]));
  const world = {
    now: 0,
    tried: [] as string[],
    closed: [] as string[],
    /** What a primary waits for before it is open. */
    held: Promise.resolve(),
    set: (name: Name, to: State) => state.set(name, to),
  };
  const servers = names.map(host => ({ name: `${host}:5432`, host, port: 5_432 }));
  const linkTo = (name: Name) => ({ server: servers[names.indexOf(name)] as DatabaseServer });
  const found = new DatabaseServers({ servers, needsWrites }, () => world.now);
  const open = async (server: DatabaseServer): Promise<Link> => {
    const { host } = server as { host: string };
    world.tried.push(host);
    const now = state.get(host) ?? "refuses";
    if (now === "is silent") throw new Error("no response within 2 s");
    if (now === "refuses") throw new Error("refused");
    if (now === "primary") await world.held;
    return {
      server,
      isWritable: now === "primary",
      close: async () => void world.closed.push(host),
    } as Link;
  };
  const { signal } = new AbortController();
  return {
    ...world,
    world,
    connect: async () => (await found.open(open, signal)).server.name.slice(0, 1),
    suspect: (name: Name) => found.suspect(linkTo(name)),
    isCurrent: (name: Name) => found.isCurrent(linkTo(name)),
    /** Who was tried since the last call. */
    tried: () => world.tried.splice(0).join(""),
  };
}

const unavailable = { name: "DomainError", code: "UNAVAILABLE", message: "The database is not available" };

describe("the servers of a database", () => {
  for (const [needsWrites, states, chosen, tried] of [
    [false, ["standby", "primary", "refuses"], "a", "a"],
    [false, ["refuses", "standby", "primary"], "b", "ab"],
    [true, ["standby", "refuses", "primary"], "c", "abc"],
  ] as const) {
    test(`of ${states.join(", ")}, for ${needsWrites ? "writes" : "anything"}: ${chosen}`, async () => {
      const world = makeWorld(needsWrites, states);
      assert.equal(await world.connect(), chosen);
      assert.equal(world.tried(), tried);
    });
  }

  test("are asked first for the one that did last time", async () => {
    const world = makeWorld(true, ["standby", "standby", "primary"]);
    await world.connect();
    world.tried();
    assert.equal(await world.connect(), "c");
    assert.equal(world.tried(), "c");
    assert.deepEqual(world.closed, ["a", "b"]);
  });

  test("are asked last for one that gave no result in time, and whose connections end when another one is chosen", async () => {
    const world = makeWorld(true, ["primary", "standby", "primary"]);
    assert.equal(await world.connect(), "a");
    world.suspect("a");
    // The others may not do either.
    assert.equal(world.isCurrent("a"), true);
    world.tried();
    assert.equal(await world.connect(), "c");
    assert.equal(world.tried(), "bc");
    assert.deepEqual([world.isCurrent("a"), world.isCurrent("c")], [false, true]);
    world.suspect("c");
    world.world.set("a", "standby");
    assert.equal(await world.connect(), "c", "it is still the only one that takes writes");
  });

  test("are asked in their order where a standby will do, also after one gave no result in time", async () => {
    const world = makeWorld(false, ["primary", "standby", "standby"]);
    await world.connect();
    world.suspect("a");
    assert.equal(await world.connect(), "a");
  });

  test("are asked last for those that failed", async () => {
    const world = makeWorld(true, ["is silent", "standby", "primary"]);
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
    const world = makeWorld(true, ["standby", "refuses", "is silent"]);
    await assert.rejects(world.connect(), (error: Error) => {
      assert.equal(
        (error.cause as Error).message,
        "a:5432: takes no writes; b:5432: refused; c:5432: no response within 2 s",
      );
      return true;
    });
  });

  test("are left in peace for a short while when none will do", async () => {
    const world = makeWorld(true, ["refuses", "refuses", "refuses"]);
    await assert.rejects(world.connect(), unavailable);
    assert.equal(world.tried(), "abc");
    world.world.set("b", "primary");
    world.world.now += 249;
    await assert.rejects(world.connect(), unavailable);
    assert.equal(world.tried(), "");
    world.world.now += 1;
    assert.equal(await world.connect(), "b");
    world.world.set("b", "refuses");
    await assert.rejects(world.connect(), unavailable, "the rest is over");
  });

  test("are not left in peace after one that was asked before has opened", async () => {
    const world = makeWorld(true, ["primary", "refuses", "refuses"]);
    const { promise, resolve: release } = deferred();
    world.world.held = promise;
    const opening = world.connect();
    world.world.set("a", "refuses");
    await assert.rejects(world.connect(), unavailable);
    release();
    assert.equal(await opening, "a");
    world.world.set("a", "primary");
    assert.equal(await world.connect(), "a");
  });
});
