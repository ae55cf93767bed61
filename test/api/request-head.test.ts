import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { json, makeOpsServer } from "../../src/adapters/ops/ops-server.ts";
import { shared } from "../support/left-open.ts";
import { sendRaw } from "../support/raw-client.ts";
import { api, openWorld, password } from "../support/world.ts";

const login = `${api}/auth/login`;
const ends = "Host: x\r\nConnection: close\r\n";

/** Hosts that are none, and two that are no ports (RFC 9110, section 7.2; RFC 3986, section 3.2.2). */
const noHosts = [
  ...[
    "a b",
    "user@x",
    "a/b",
    "[::1",
    "%zz",
    "a:b",
    "::1",
    "[x]",
    "[::1]x",
    "[fe80::1%eth0]",
    "a?b",
    "a#b",
    "a\\b",
  ],
  ...['"a"', "<a>", "a|b", "a, b", "http://x", "a:80:80", ":80", "x:-1", "x:65536", "é", "[127.0.0.1]"],
];
const hosts = [
  "x",
  "x:",
  "x:80",
  "X.example.com.",
  "127.0.0.1:7070",
  "[::1]",
  "[2001:db8::1]:443",
  "a_b",
  "%7Ea",
  "",
];

const tooMany = `${ends}${"A:b\r\n".repeat(99)}`;
/** The head of a request after its method and target, and how it is refused by either server, whatever the method. */
const badHeads = [
  ...noHosts.map(
    host =>
      [
        ` HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
        400,
        "Host header is not a host and port",
      ] as const,
  ),
  [" HTTP/1.0\r\nHost: a b\r\n\r\n", 400, "Host header is not a host and port"],
  [" HTTP/1.1\r\nConnection: close\r\n\r\n", 400, "Host header is missing"],
  [` HTTP/1.1\r\n${ends}Host: x\r\n\r\n`, 400, "Host header must not be repeated"],
  [` HTTP/2.0\r\n${ends}\r\n`, 505, "HTTP version must be 1.0 or 1.1"],
  [` HTTP/1.1\r\n${tooMany}\r\n`, 431, "Request target or header fields are too large"],
  [
    ` HTTP/1.1\r\n${ends}X: ${"x".repeat(20_000)}\r\n\r\n`,
    431,
    "Request target or header fields are too large",
  ],
  [`${"x".repeat(20_000)} HTTP/1.1\r\n${ends}\r\n`, 431, "Request target or header fields are too large"],
  [
    ` HTTP/1.1\r\n${ends}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    501,
    "Transfer-Encoding must be chunked",
  ],
  [` HTTP/1.1\r\n${ends}Expect: tea\r\n\r\n`, 417, "Expectation cannot be met"],
  [` HTTP/1.1\r\n${ends}If-Match: x\r\n\r\n`, 400, "If-Match is not a list of entity tags"],
  [` HTTP/1.1\r\n${ends}Bad Header: x\r\n\r\n`, 400, "Malformed HTTP request"],
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

  test("may name any host, or none where it is empty", async () => {
    for (const { name, port, path, token } of opened.servers) {
      for (const host of hosts) {
        const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${token}\r\n`;
        assert.match(await sendRaw(port, request), /^HTTP\/1\.1 200 /, `${name}: ${host}`);
      }
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

  test("name a type with parameters, of which a quoted string is one value", async () => {
    for (const parameters of [
      "",
      ";",
      "; ;charset=utf-8 ;",
      "\t;\tcharset=utf8",
      ';charset="UTF\\-8"',
      '; profile="a; charset=latin1"',
      '; profile="a\\"; charset=latin1"; charset=UTF-8',
      "; charset=utf-8; charset=UTF-8",
      "; q='a'",
    ]) {
      assert.match(await jsonWith(parameters), ok, parameters);
    }
  });

  test("are refused with the charset that was sent, where that is the reason", async () => {
    for (const [parameters, charset] of [
      ["; charset='latin1'", "'latin1'"],
      ["; charset='utf-8'", "'utf-8'"],
      ['; charset="ISO-8859-1"', "ISO-8859-1"],
      ['; charset=""', ""],
      ["; charset=utf-8; charset=latin1", "latin1"],
      ["; profile=x; CHARSET=utf-16", "utf-16"],
    ] as const) {
      const msg = `Content-Type must be application/json in UTF-8, not in ${charset || '""'}`;
      assertRefusal(await jsonWith(parameters), 415, msg, parameters);
    }
  });

  test("are refused as they were sent, where they are no type with parameters", async () => {
    for (const parameters of [
      "; charset = utf-8",
      "; charset=",
      "; charset",
      '; charset="utf-8',
      "; charset=utf-8, application/json; charset=utf-8",
      "; charset=utf-8,utf-8",
      " charset=utf-8",
    ]) {
      const msg = `Content-Type is malformed: application/json${parameters}`;
      assertRefusal(await jsonWith(parameters), 415, msg, parameters);
    }
    const long = await create(`Content-Type: ${"x".repeat(7_000)}`);
    assertRefusal(long, 415, `Content-Type is malformed: ${"x".repeat(80)}`, "long");
  });

  test("may have empty members in their lists", async () => {
    for (const fields of [
      "Content-Encoding:",
      "Content-Encoding: identity,",
      "Content-Encoding: ,, Identity ,\tidentity",
      "Content-Encoding: identity\r\nContent-Encoding: identity",
      "Expect:",
      "Expect: ,",
    ]) {
      assert.match(await create(fields), ok, fields);
    }
    for (const expect of [
      "Expect: 100-continue, 100-continue",
      "Expect: 100-continue\r\nExpect: 100-Continue",
      "Expect: 100-continue,",
    ]) {
      assert.match(await create(expect), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /, expect);
    }
    for (const expect of ["100-continue, tea", "tea,", "100-continue=x", "100-continue;q=1"]) {
      assertRefusal(await create(`Expect: ${expect}`), 417, "Expectation cannot be met", expect);
    }
    for (const coding of ["gzip,", "identity, gzip", '"identity"']) {
      assertRefusal(
        await create(`Content-Encoding: ${coding}`),
        415,
        "Content-Encoding is not supported",
        coding,
      );
    }
  });
});

describe("a challenge", () => {
  test("has a parameter always (RFC 6750, section 3)", async () => {
    await using world = await openWorld();
    const wrong = { email: world.employees.ADMIN.email, password: "wrong password" };
    for (const [method, path, options, challenge] of [
      ["GET", "/", {}, ""],
      ["GET", "/", { token: "x" }, ', error="invalid_token"'],
      ["POST", `${api}/assets`, { token: world.tokens.TECHNICIAN }, ', error="insufficient_scope"'],
      ["POST", login, { body: wrong }, ""],
    ] as const) {
      const { headers } = await world.call(method, path, options);
      assert.equal(headers.get("www-authenticate"), `Bearer realm="maintenance-log"${challenge}`, path);
    }
  });
});
