import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { mock, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Budget } from "../../../../../src/adapters/http/request/budget.ts";
import { Exchange } from "../../../../../src/adapters/http/request/exchange.ts";
import { httpLimits } from "../../../../../src/adapters/http/request/limits.ts";
import { sendError, sendResult } from "../../../../../src/adapters/http/request/response.ts";
import { HttpError } from "../../../../../src/adapters/protocol/error-response.ts";

/** An exchange whose body never ends, and whether the response has ended. */
function arriving() {
  const request = Object.assign(new EventEmitter(), {
    complete: false,
    destroyed: false,
    headers: { "content-length": "9000" },
    rawHeaders: ["Content-Length", "9000"],
    socket: { destroyed: false, bytesRead: 0 },
    isRead: false,
    resume() {
      this.isRead = true;
    },
    pause() {
      this.isRead = false;
    },
  });
  const ended: boolean[] = [];
  const response = Object.assign(new EventEmitter(), {
    writeHead() {},
    flushHeaders() {},
    write() {},
    end: () => ended.push(true),
  });
  const budget = new Budget(httpLimits, () => []);
  const exchange = new Exchange(
    request as unknown as IncomingMessage,
    response as unknown as ServerResponse,
    {
      budget,
      addressOf: () => "127.0.0.1",
      headersFor: () => ({}),
    },
  );
  return { budget, exchange, request, response, ended };
}

test("a client that does not keep up is given small pieces, so that each one which it takes counts", async t => {
  const { exchange, request, response } = arriving();
  request.complete = true;
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const sizes: number[] = [];
  const write = (sent: string | Uint8Array, taken?: () => void): void => {
    if (typeof sent !== "string") sizes.push(sent.length);
    // It takes the first chunk after a second.
    if (sizes.length === 1) now += 1_000;
    taken?.();
  };
  Object.assign(response, { write });
  const kibibyte = 1_024;
  const list = async function* () {
    yield { content: Buffer.alloc(100 * kibibyte), next: {} };
    yield { content: Buffer.alloc(20 * kibibyte), next: {} };
    yield { content: Buffer.alloc(20 * kibibyte), next: undefined };
  };
  await sendResult(exchange, { status: 200, headers: {}, body: list() });
  assert.deepEqual(
    sizes.map(bytes => bytes / kibibyte),
    [100, 16, 4, 20],
  );
});

test("the rest of a request is thrown away as long as it comes, and no longer", async () => {
  const { budget, exchange, request, ended } = arriving();
  // The timers of node:test cannot be put off in Node 20.
  let [putOff, fire] = [0, () => {}];
  const timers = mock.method(globalThis, "setTimeout", (run: () => void, milliseconds: number) => {
    assert.equal(milliseconds, 1_000);
    fire = run;
    return { refresh: () => (putOff += 1) } as unknown as NodeJS.Timeout;
  });
  const sent = sendError(exchange, new HttpError(413, "Request body must be at most 9 bytes"));
  timers.mock.restore();
  for (let i = 0; i < 9; i += 1) request.emit("data", Buffer.from("x"));
  await nextTurn();
  assert.deepEqual([putOff, ended], [9, []]);
  assert.ok(budget.load().responseBytes > 0);
  fire();
  await sent;
  assert.deepEqual(ended, [true]);
});

test("no more than 16 MiB of the rest are read: then the client has paused", async () => {
  const { exchange, request, ended } = arriving();
  // A connection that has carried other requests before.
  request.socket.bytesRead = 1_000_000_000;
  let fire = () => {};
  const timers = mock.method(globalThis, "setTimeout", (run: () => void) => {
    fire = run;
    return { refresh() {} } as unknown as NodeJS.Timeout;
  });
  const sent = sendError(exchange, new HttpError(403, "Token is missing"));
  timers.mock.restore();
  for (let mebibytes = 1; mebibytes <= 17; mebibytes += 1) {
    request.socket.bytesRead += 1024 * 1024;
    request.emit("data", Buffer.from("x"));
    assert.equal(request.isRead, mebibytes <= 16, `${mebibytes} MiB`);
  }
  fire();
  await sent;
  assert.deepEqual(ended, [true]);
});
