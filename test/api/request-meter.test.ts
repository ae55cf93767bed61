import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { RequestMeter } from "../../src/application/figures.ts";
import { makeFakePasswordHasher } from "../fakes/fake-password-hasher.ts";
import { repositoriesListing } from "../support/own-reads.ts";
import { dial, sendRaw } from "../support/raw-client.ts";
import { bearerOf, host } from "../support/raw-request.ts";
import { aStoredLog } from "../support/test-records.ts";
import { deferred, until } from "../support/until.ts";
import { api, openWorld, password } from "../support/world.ts";

/** Writes down what it is told. */
function makeRecordingMeter() {
  const answered: string[] = [];
  const cut: string[] = [];
  const meter: RequestMeter = {
    responded(method, route, status, milliseconds) {
      assert.ok(milliseconds >= 0 && milliseconds < 600_000);
      answered.push(`${method} ${route ?? "-"} ${status}`);
    },
    cut: by => cut.push(by),
    refused() {},
  };
  return { meter, answered, cut };
}

describe("the meter of requests", () => {
  test("is told of each by the pattern of its route, its method and its status", async () => {
    const { meter, answered } = makeRecordingMeter();
    const world = await openWorld({ meter });
    const token = world.tokens.TECHNICIAN;
    await world.call("GET", `${api}/employees/${world.employees.ADMIN.id}?x=1`, { token });
    await world.call("HEAD", `${api}/employees/999999`, { token });
    await world.call("POST", `${api}/assets`, { token, body: { name: "Pump" } });
    await world.call("GET", "/nope/canary", { token });
    await world.call("PUT", `${api}/assets`, { token });
    await world.call("OPTIONS", "/canary");
    await sendRaw(world.port, "MKCOL /canary HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    await world.close(1_000);
    assert.deepEqual(answered, [
      `GET ${api}/employees/{id} 200`,
      `HEAD ${api}/employees/{id} 404`,
      `POST ${api}/assets 403`,
      "GET - 404",
      "PUT - 405",
      "OPTIONS - 200",
      "MKCOL - 403",
    ]);
  });

  test("is told 499 of a request whose client has gone before its answer, and so is the log", async () => {
    const { meter, answered } = makeRecordingMeter();
    // A login that is worked on until the test says otherwise.
    const [underWay, outcome] = [deferred(), deferred<boolean>()];
    const verify = () => {
      underWay.resolve();
      return outcome.promise;
    };
    const world = await openWorld({ meter, passwords: { ...makeFakePasswordHasher(), verify } });
    const body = JSON.stringify({ email: world.employees.ADMIN.email, password });
    const head = `POST ${api}/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
    const client = await dial(world.port);
    client.socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
    await underWay.promise;
    client.socket.resetAndDestroy();
    await client.closed;
    await until(() => answered.length > 0);
    assert.deepEqual(answered, [`POST ${api}/auth/login 499`]);
    const line = world.recorded.find(({ event }) => event === "request");
    assert.equal(line?.details?.["status"], 499);
    outcome.resolve(true);
    await world.close(1_000);
  });

  for (const by of ["service", "client"] as const) {
    test(`is told of a list that the ${by} cut, and so is the log`, async () => {
      const { meter, answered, cut } = makeRecordingMeter();
      const piece = { content: Buffer.from("{}"), next: aStoredLog() };
      const list = async function* () {
        yield piece;
        yield piece;
        if (by === "service") throw new Error("the database went away");
        await until(() => answered.length > 0);
      };
      await using world = await openWorld({ meter, repositories: repositoriesListing(list) });
      const head = `${host}${bearerOf(world)}`;
      const { socket, text } = await dial(world.port);
      socket.write(`GET ${api}/logs HTTP/1.1\r\n${head}\r\n`);
      if (by === "client") {
        await until(() => text() !== "");
        socket.destroy();
      }
      await until(() => answered.length > 0);
      assert.deepEqual([answered, cut], [[`GET ${api}/logs 200`], [by]]);
      const line = world.recorded.find(({ event }) => event === "request");
      assert.deepEqual([line?.details?.["status"], line?.details?.["cut"]], [200, true]);
    });
  }

  test("is told of an error that the client does not wait for, as cut by the client", async () => {
    const { meter, answered, cut } = makeRecordingMeter();
    await using world = await openWorld({ meter });
    const { socket, text } = await dial(world.port);
    socket.write(`POST ${api}/auth/login HTTP/1.1\r\n${host}Content-Length: 100000\r\n\r\n`);
    await until(() => text().includes(" 413 "));
    socket.resetAndDestroy();
    await until(() => answered.length > 0);
    assert.deepEqual([answered, cut], [[`POST ${api}/auth/login 413`], ["client"]]);
  });
});
