import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import {
  Pool,
  type PooledConnection,
  type PoolLimits,
} from "../../../../../src/adapters/postgres/connection/pool.ts";
import { deferred } from "../../../../support/until.ts";

const unavailable = { name: "DomainError", code: "UNAVAILABLE", message: "The database is not available" };
const broken = new Error("the connection broke");
const tooMany = new Error("too many connections");

interface FakeConnection extends PooledConnection {
  readonly name: number;
  /** Statements under way on it. */
  running: number;
  closed: boolean;
  /** Whether its server is not the one to use any more. */
  isReplaced: boolean;
}

/** Ends the statements that a test has left open, so that no deadline keeps the process alive. */
const unanswered = new Set<(error: Error) => void>();
afterEach(() => {
  for (const fail of unanswered) fail(new Error("the test is over"));
  unanswered.clear();
});

/** A pool over connections that answer when they are told to. */
function openPool(limits: Partial<PoolLimits> = {}, mayOpen = (_opened: number) => true) {
  const clients: FakeConnection[] = [];
  const cancelled: number[] = [];
  const suspected: number[] = [];
  const pool = new Pool<FakeConnection>(
    { connections: 2, deadlineMilliseconds: 60_000, waiting: 100, ...limits },
    {
      async open() {
        if (!mayOpen(clients.length)) throw tooMany;
        const client: FakeConnection = {
          name: clients.length + 1,
          server: { name: "db:5432" },
          running: 0,
          closed: false,
          isReplaced: false,
          cancel: () => void cancelled.push(client.name),
          async close() {
            client.closed = true;
          },
        };
        clients.push(client);
        return client;
      },
      isBroken: error => error === broken,
      isUsable: client => !client.closed && !client.isReplaced,
      suspect: client => void suspected.push(client.name),
    },
  );

  /** A statement that waits to be answered, and says on which connection it began. */
  function ask() {
    let answer: (rows: string[]) => void = () => {};
    let fail: (error: Error) => void = () => {};
    const { promise: begun, resolve: tell } = deferred<FakeConnection>();
    const answered = pool.run<string[]>(client => {
      assert.equal(client.closed, false, "a closed connection is never checked out");
      client.running += 1;
      assert.equal(client.running, 1, "a connection runs one statement at a time");
      const rows = new Promise<string[]>((resolve, reject) => {
        answer = resolve;
        fail = reject;
        unanswered.add(reject);
      }).finally(() => {
        client.running -= 1;
      });
      tell(client);
      return rows;
    });
    answered.catch(() => {});
    return { begun, answered, answer: (row: string) => answer([row]), fail: (error: Error) => fail(error) };
  }
  return { clients, cancelled, suspected, ask, load: () => pool.load(), close: () => pool.close() };
}

const turn = () => new Promise(resolve => setImmediate(resolve));

describe("the pool", () => {
  test("says how much of it is in use, idle and waited for", async () => {
    const { ask, load } = openPool();
    assert.deepEqual(load(), { inUse: 0, idle: 0, limit: 2, waiting: 0 });
    const [first, second, third] = [ask(), ask(), ask()];
    await turn();
    assert.deepEqual(load(), { inUse: 2, idle: 0, limit: 2, waiting: 1 });
    first.answer("a");
    await third.begun;
    assert.deepEqual(load(), { inUse: 2, idle: 0, limit: 2, waiting: 0 });
    third.answer("c");
    await third.answered;
    assert.deepEqual(load(), { inUse: 1, idle: 1, limit: 2, waiting: 0 });
    // One that breaks takes the idle one with it.
    second.fail(broken);
    await assert.rejects(second.answered);
    assert.deepEqual(load(), { inUse: 0, idle: 0, limit: 2, waiting: 0 });
  });

  test("checks out a connection to one statement at a time; others wait their turn", async () => {
    const { ask } = openPool({ connections: 1 });
    const asked = Array.from({ length: 20 }, ask);
    const order: number[] = [];
    asked.forEach(({ begun }, i) => void begun.then(() => order.push(i)));
    for (const one of asked) {
      await one.begun;
      one.answer("x");
      await one.answered;
    }
    assert.deepEqual(order, [...asked.keys()]);
  });

  test("a statement's own error keeps its connection", async () => {
    const { clients, ask } = openPool();
    const one = ask();
    await one.begun;
    one.fail(new Error("syntax"));
    await assert.rejects(one.answered, { message: "syntax" });
    const next = ask();
    assert.equal((await next.begun).name, 1);
    assert.equal(clients.length, 1);
  });

  test("a broken connection is closed, with those that lie idle; who waits gets a new one", async () => {
    const { clients, ask } = openPool();
    const [one, other] = [ask(), ask()];
    await other.begun;
    const waiting = [ask(), ask()];
    one.fail(broken);
    await assert.rejects(one.answered, { message: broken.message });
    assert.deepEqual([clients[0]?.closed, (await waiting[0]?.begun)?.name], [true, 3]);
    other.answer("still good");
    assert.deepEqual(await other.answered, ["still good"]);
    assert.equal((await waiting[1]?.begun)?.name, 2);
    for (const each of waiting) each.answer("x");
    await turn();

    const last = ask();
    await last.begun;
    last.fail(broken);
    await turn();
    assert.deepEqual(
      clients.map(({ closed }) => closed),
      [true, true, true],
    );
    assert.equal((await ask().begun).name, 4);
  });

  test("a missed deadline is UNAVAILABLE, cancels the statement and closes the connection", async () => {
    const { clients, cancelled, ask } = openPool({ connections: 1, deadlineMilliseconds: 5 });
    const slow = ask();
    await assert.rejects(slow.answered, unavailable);
    assert.deepEqual([clients[0]?.closed, cancelled], [true, [1]]);
    slow.answer("too late");
    const next = ask();
    assert.equal((await next.begun).name, 2);
    next.answer("in time");
    assert.deepEqual(await next.answered, ["in time"]);
  });

  test("a missed deadline makes its server suspect, and a connection that comes back from a server that was replaced is closed", async () => {
    const { clients, suspected, ask } = openPool({ deadlineMilliseconds: 20 });
    const [late, other] = [ask(), ask()];
    await other.begun;
    other.answer("before the deadline");
    await assert.rejects(late.answered, { code: "UNAVAILABLE" });
    assert.deepEqual(suspected, [1]);
    const next = ask();
    const client = await next.begun;
    client.isReplaced = true;
    next.answer("from the old leader");
    await next.answered;
    const last = ask();
    assert.notEqual(await last.begun, client);
    assert.equal(client.closed, true);
    last.answer("from the new one");
    await last.answered;
    assert.equal(clients.filter(({ closed }) => !closed).length, 1);
  });

  test("refuses nobody where the server takes no more connections, as long as one is to come back", async () => {
    const { clients, ask, load } = openPool({ connections: 4 }, opened => opened < 1);
    const first = ask();
    await first.begun;
    const others = [ask(), ask(), ask()];
    await turn();
    assert.deepEqual([load().waiting, clients.length], [3, 1]);
    first.answer("first");
    for (const [n, other] of others.entries()) {
      await other.begun;
      other.answer(`${n}`);
      assert.deepEqual(await other.answered, [`${n}`]);
    }
  });

  test("refuses those who wait where the last connection is lost and none can be opened", async () => {
    const { ask, load } = openPool({ connections: 4 }, opened => opened < 1);
    const first = ask();
    await first.begun;
    const others = [ask(), ask()];
    await turn();
    first.fail(broken);
    for (const { answered } of others) await assert.rejects(answered, tooMany);
    assert.deepEqual([load().waiting, load().inUse], [0, 0]);
  });

  test("that is closed ends its connections and openings, fails who waits, and opens none any more", async () => {
    const openings: AbortSignal[] = [];
    const opening = new Pool<FakeConnection>(
      { connections: 2, deadlineMilliseconds: 60_000, waiting: 0 },
      {
        open(signal) {
          openings.push(signal);
          return new Promise((_, reject) => signal.addEventListener("abort", reject));
        },
        isBroken: () => true,
        isUsable: () => true,
        suspect() {},
      },
    );
    const refused = [0, 1].map(() =>
      assert.rejects(
        opening.run(async () => []),
        unavailable,
      ),
    );
    await opening.close();
    assert.deepEqual(
      openings.map(({ aborted }) => aborted),
      [true, true],
    );
    await Promise.all(refused);
    const { clients, ask, close } = openPool({ connections: 1 });
    const [running, waiting] = [ask(), ask()];
    await running.begun;
    await close();
    await assert.rejects(waiting.answered, unavailable);
    await assert.rejects(ask().answered, unavailable);
    running.fail(broken);
    await assert.rejects(running.answered, broken);
    assert.deepEqual(
      clients.map(({ closed }) => closed),
      [true],
    );
  });
});
