import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { json, makeOpsServer } from "../../src/adapters/ops/ops-server.ts";
import { shared } from "../support/left-open.ts";
import { sendRaw } from "../support/raw-client.ts";
import { api, openWorld, password } from "../support/world.ts";

const login = `${api}/auth/login`;
const ends = "Host: x\r\nConnection: close\r\n";

const tooMany = `${ends}${"A:b\r\n".repeat(99)}`;
/** The head of a request after its method and target, and how it is refused by either server, whatever the method. */
const badHeads = [
  [` HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n`, 400, "Host header is not a host and port"],
  [" HTTP/1.0\r\nHost: a b\r\n\r\n", 400, "Host header is not a host and port"],
  [" HTTP/1.1\r\nConnection: close\r\n\r\n", 400, "Host header is missing"],
  ...["Host: x", "Authorization: x", "Content-Type: a/b", "Idempotency-Key: a"].map(
    field =>
      [
        ` HTTP/1.1\r\n${ends}${field}\r\n${"A:b\r\n".repeat(90)}${field.toUpperCase()}\r\n\r\n`,
        400,
        `${field.split(":")[0]} header must not be repeated`,
      ] as const,
  ),
  ...["2.0", "0.9", "1.2", "9.9"].map(
    version => [` HTTP/${version}\r\n${ends}\r\n`, 505, "HTTP version must be 1.0 or 1.1"] as const,
  ),
  [` HTTP/1.1\r\n${tooMany}\r\n`, 431, "Request target or header fields are too large"],
  [
    ` HTTP/1.1\r\n${ends}X: ${"x".repeat(20_000)}\r\n\r\n`,
    431,
    "Request target or header fields are too large",
  ],
  [`${"x".repeat(20_000)} HTTP/1.1\r\n${ends}\r\n`, 431, "Request target or header fields are too large"],
  ...["gzip, chunked", "gzip", "identity", "chunked, gzip", "chunked\r\nTransfer-Encoding: chunked"].map(
    coding =>
      [
        ` HTTP/1.1\r\n${ends}Transfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n`,
        501,
        "Transfer-Encoding must be chunked",
      ] as const,
  ),
  [` HTTP/1.1\r\n${ends}Expect: tea\r\n\r\n`, 417, "Expectation cannot be met"],
  [` HTTP/1.1\r\n${ends}If-Match: x\r\n\r\n`, 400, "If-Match is not a list of entity tags"],
  ...[
    ...[" HTTP/1.11", " http/1.1", " HTTPS/1.1", "\0 HTTP/1.1", "é HTTP/1.1", "a b HTTP/1.1"].map(
      line => `${line}\r\n${ends}`,
    ),
    ...["Bad Header: x", "X: a\0b", "X: a\rb", "X: a\r\n folded", "X : a"].map(
      field => ` HTTP/1.1\r\n${ends}${field}\r\n`,
    ),
    ...["x", "2\r\nContent-Length: 2", "2, 3", "1\r\nTransfer-Encoding: chunked"].map(
      length => ` HTTP/1.1\r\n${ends}Content-Length: ${length}\r\n`,
    ),
  ].map(head => [`${head}\r\n`, 400, "Malformed HTTP request"] as const),
] as const;

function assertRefusal(answer: string, status: number, msg: string, what: string): void {
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `), what);
  assert.deepEqual(body === "" ? undefined : JSON.parse(body), { status, msg }, what);
  assert.match(head, /\r\ndate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT(\r\n|$)/i, what);
  assert.match(head, /\r\ncontent-type: application\/json; charset=utf-8(\r\n|$)/i, what);
  assert.match(head, /\r\nx-content-type-options: nosniff(\r\n|$)/i, what);
}

/** Both servers, with a path that is 200 for a GET, and what a GET of it needs. */
async function openServers() {
  const world = await openWorld();
  const operations = makeOpsServer(
    { "/healthz": () => json(200, { status: "ok" }) },
    () => {},
    () => world.clock.now(),
  );
  const port = await operations.listen(0, "127.0.0.1");
  return {
    world,
    servers: [
      {
        name: "the API",
        port: world.port,
        path: "/",
        token: `Authorization: Bearer ${world.tokens.ADMIN}\r\n`,
      },
      { name: "the operations listener", port, path: "/healthz", token: "" },
    ],
    async [Symbol.asyncDispose]() {
      await world.close();
      await operations.close();
    },
  };
}

describe("the head of a request", async () => {
  const opened = await shared(openServers());
  const { world } = opened;

  test("is refused by either server for the same reasons, whatever the method, with and without a token", async () => {
    for (const { name, port, path, token } of opened.servers) {
      for (const [head, status, msg] of badHeads) {
        for (const method of ["GET", "OPTIONS", "POST"]) {
          for (const more of ["", token]) {
            const sent = `${method} ${path}${head.replace("\r\n", `\r\n${more}`)}`;
            assertRefusal(await sendRaw(port, sent), status, msg, `${name}: ${sent.slice(0, 80)}`);
          }
        }
      }
    }
    for (const [head, status, msg] of badHeads) {
      assertRefusal(await sendRaw(world.port, `POST ${login}${head}`), status, msg, `login: ${head}`);
    }
  });

  test("may have an empty host, and a target with another one", async () => {
    for (const { name, port, path, token } of opened.servers) {
      const request = `GET ${path} HTTP/1.1\r\nHost: \r\nConnection: close\r\n${token}\r\n`;
      assert.match(await sendRaw(port, request), /^HTTP\/1\.1 200 /, name);
      const absolute = `GET http://h${path} HTTP/1.1\r\n${ends}${token}\r\n`;
      assert.match(await sendRaw(port, absolute), /^HTTP\/1\.1 200 /, name);
    }
  });

  test("that is none of HTTP/1.1 gets the same error from either server", async () => {
    for (const { name, port } of opened.servers) {
      for (const [sent, status, msg] of [
        ["garbage\r\n\r\n", 400, "Malformed HTTP request"],
        ["\x16\x03\x01\x02\x00\x01\x00\x01", 400, "Malformed HTTP request"],
        ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "HTTP version must be 1.0 or 1.1"],
        ["CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n", 501, "CONNECT is not supported"],
      ] as const) {
        assertRefusal(await sendRaw(port, sent), status, msg, `${name}: ${sent}`);
      }
    }
  });

  test("has no field of a trailer, be it a token, a precondition or a second Host", async () => {
    const bearer = `Authorization: Bearer ${world.tokens.ADMIN}\r\n`;
    const create = (head: string, trailer: string) => {
      const fields = `${ends}${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
      const chunk = '{"name":"Pump"}';
      const body = `${chunk.length.toString(16)}\r\n${chunk}\r\n0\r\n${trailer}\r\n`;
      return sendRaw(world.port, `POST ${api}/assets HTTP/1.1\r\n${fields}${body}`);
    };
    assertRefusal(await create("", bearer), 403, "Token is missing", "token");
    for (const trailer of ['If-Match: "x"\r\n', "Host: a b\r\n", "Content-Type: text/plain\r\n"]) {
      assert.match(await create(bearer, trailer), /^HTTP\/1\.1 201 /, trailer);
    }
  });

  test("of HTTP/1.0 with a transfer coding closes the connection after the response", async () => {
    const body = JSON.stringify({ email: world.employees.ADMIN.email, password });
    const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    for (const [coding, sent, status] of [
      ["chunked", chunked, 200],
      ["chunked", "2\r\n{}\r\n0\r\n\r\n", 400],
      ["gzip, chunked", chunked, 501],
    ] as const) {
      const head = `POST ${login} HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: ${coding}\r\n\r\n`;
      const answer = await sendRaw(world.port, head + sent);
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*\r\nconnection: close\r\n`, "i"));
    }
  });
});

describe("the fields of a body", async () => {
  const world = await shared(openWorld());

  const create = (fields: string) => {
    const body = JSON.stringify({ name: "Pump" });
    const length = `Content-Length: ${body.length}\r\nAuthorization: Bearer ${world.tokens.ADMIN}\r\n`;
    return sendRaw(world.port, `POST ${api}/assets HTTP/1.1\r\n${ends}${length}${fields}\r\n\r\n${body}`);
  };
  const jsonWith = (parameters: string) => create(`Content-Type: application/json${parameters}`);
  const ok = /^HTTP\/1\.1 201 /;

  test("name a type with parameters, of which one is the charset, or are refused as they were sent", async () => {
    for (const parameters of ["", "\t;\tcharset=utf8", '; profile="a; charset=latin1"; charset="UTF\\-8"'])
      assert.match(await jsonWith(parameters), ok, parameters);
    for (const [parameters, charset] of [
      ["; charset='latin1'", "'latin1'"],
      ['; charset=""', ""],
      ["; charset=utf-8; charset=latin1", "latin1"],
    ] as const) {
      const msg = `Content-Type must be application/json in UTF-8, not in ${charset || '""'}`;
      assertRefusal(await jsonWith(parameters), 415, msg, parameters);
    }
    const malformed = "Content-Type is malformed: application/json; charset=";
    assertRefusal(await jsonWith("; charset="), 415, malformed, "no value");
    const long = await create(`Content-Type: ${"x".repeat(7_000)}`);
    assertRefusal(long, 415, `Content-Type is malformed: ${"x".repeat(80)}`, "long");
  });

  test("may have empty members in their lists", async () => {
    for (const fields of ["Content-Encoding: ,, Identity ,\tidentity", "Expect: ,"])
      assert.match(await create(fields), ok, fields);
    const expecting = await create("Expect: 100-continue,\r\nExpect: 100-Continue");
    assert.match(expecting, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
    for (const expect of ["100-continue, tea", "100-continue=x"])
      assertRefusal(await create(`Expect: ${expect}`), 417, "Expectation cannot be met", expect);
  });
});
