import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import { describe, test } from "node:test";
import { receiveBody } from "../../../../../src/adapters/http/request/body.ts";
import { Budget } from "../../../../../src/adapters/http/request/budget.ts";
import { Exchange } from "../../../../../src/adapters/http/request/exchange.ts";
import { httpLimits } from "../../../../../src/adapters/http/request/limits.ts";
import { readHead } from "../../../../../src/adapters/protocol/request-head.ts";

/** An exchange whose body arrives. */
function arriving() {
  const request = Object.assign(new PassThrough(), {
    complete: false,
    headers: { host: "x", "transfer-encoding": "chunked" },
    rawHeaders: ["Host", "x", "Transfer-Encoding", "chunked"],
    httpVersion: "1.1",
    socket: { destroyed: false },
  });
  const exchange = new Exchange(
    request as unknown as IncomingMessage,
    new EventEmitter() as unknown as ServerResponse,
    {
      ...httpLimits,
      budget: new Budget(httpLimits, () => [exchange.share]),
      addressOf: () => "127.0.0.1",
      headersFor: () => ({}),
    },
  );
  const listeners = () => ["data", "end", "close"].map(name => request.listenerCount(name));
  const before = listeners();
  const body = receiveBody(exchange, readHead(request), 100);
  /** Nothing that lives as long as the exchange leads to the body. */
  const assertLetGo = () => {
    assert.deepEqual(listeners(), before);
    assert.equal(exchange.refuseBody, undefined);
  };
  assert.notDeepEqual(listeners(), before);
  request.write("x".repeat(99));
  return { exchange, request, body, assertLetGo };
}

describe("the memory of a body is let go, though the exchange goes on, when the body", () => {
  test("is too large", async () => {
    const { request, body, assertLetGo } = arriving();
    request.write("xx");
    await assert.rejects(body, { status: 413 });
    assertLetGo();
  });

  test("is given up for another one", async () => {
    const { exchange, body, assertLetGo } = arriving();
    exchange.giveUp();
    await assert.rejects(body, { code: "UNAVAILABLE" });
    assertLetGo();
  });

  test("is whole", async () => {
    const { request, body, assertLetGo } = arriving();
    request.end("x");
    assert.equal((await body).length, 100);
    assertLetGo();
  });

  for (const [how, error] of [
    ["is cut off", undefined],
    ["fails", new Error("reset")],
  ] as const) {
    test(how, async () => {
      const { request, body, assertLetGo } = arriving();
      request.destroy(error);
      await assert.rejects(body, { status: 400, cause: error });
      assertLetGo();
      assert.ok(request.listenerCount("error") > 0);
    });
  }
});
