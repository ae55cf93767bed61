import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import { describe, test } from "node:test";
import { load, requestText } from "../../../bench/load.ts";
import { listenLocally } from "../../support/listen.ts";

/** Loads a server with four clients, and answers what they report and what the server has seen. */
async function loaded(listener: RequestListener) {
  const seen = new Map<string, number>();
  const server = createServer((request, response) => {
    seen.set(request.url ?? "", (seen.get(request.url ?? "") ?? 0) + 1);
    request.resume().on("end", () => listener(request, response));
  });
  const port = await listenLocally(server);
  const requests = [
    requestText({ path: "/one", token: "t" }),
    requestText({ method: "POST", path: "/two", body: { a: "é" } }),
  ];
  const report = await load({ port, requests, connections: 4, seconds: 0.2, expectedStatus: 200 });
  server.close();
  const total = [...seen.values()].reduce((sum, count) => sum + count, 0);
  return { report, seen, total };
}

describe("the clients of the bench", () => {
  for (const [name, listener] of [
    ["with a length", (_, response) => response.end("x".repeat(100_000))],
    [
      "in chunks",
      (_, response) => {
        response.write("x".repeat(100_000));
        response.end("0\r\n\r");
      },
    ],
    [
      "in chunks that end late",
      (_, response) => {
        response.write("x");
        setImmediate(() => response.end());
      },
    ],
    ["without a body", (_, response) => response.end()],
  ] as readonly (readonly [string, RequestListener])[]) {
    test(`count each answer ${name} once, when it is whole`, async () => {
      const { report, seen, total } = await loaded(listener);
      assert.ok(total >= 4);
      assert.equal(report.requests, total);
      assert.equal(report.errors, 0);
      const [one = 0, two = 0] = [seen.get("/one"), seen.get("/two")];
      assert.ok(Math.abs(one - two) <= 1, "the requests are taken in turn");
      assert.ok(report.p50Milliseconds > 0 && report.p50Milliseconds <= report.p99Milliseconds);
    });
  }

  test("count an answer with another status as an error", async () => {
    const { report, total } = await loaded((_, response) => response.writeHead(503).end("{}"));
    assert.equal(report.errors, total);
  });

  for (const cut of ["end", "resetAndDestroy"] as const) {
    test(`count a connection that is cut by ${cut} as an error`, async () => {
      const { report } = await loaded((request, response) => {
        response.write("half");
        request.socket[cut]();
      });
      assert.equal(report.requests, 0);
      assert.equal(report.errors, 4);
    });
  }
});
