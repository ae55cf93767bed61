import assert from "node:assert/strict";
import { connect } from "node:net";
import { describe, test } from "node:test";
import type { Route } from "../../src/adapters/http/api/route.ts";
import { makeRoutes } from "../../src/adapters/http/api/routes.ts";
import { makeUseCases } from "../../src/app.ts";
import { makeSessions } from "../../src/application/sessions.ts";
import { makeRandom } from "../lab/faults/random.ts";
import { forge, goodClaims } from "../support/forge.ts";
import { isLong } from "../support/long-form.ts";
import { anAsset } from "../support/test-records.ts";
import { openWorld, password, secretKey, type World } from "../support/world.ts";

/**
 * Hostile requests over the whole route table: never a 5xx, always an answer in JSON, and nothing given away.
 *
 *     SEED=123 node --import tsx --test test/release/fuzz.test.ts     the same requests again
 *     REQUESTS=1000000                                             more of them
 */
const seed = Number(process.env["SEED"] ?? 20_260_301);
const total = Number(process.env["REQUESTS"] ?? (isLong ? 20_000 : 10_000));
const requestsPerWorld = 2_000;
const lanes = 4;
const longestBatch = 8;

/** Choices that follow from the seed. */
function makeChance(from: number) {
  const next = makeRandom(from);
  return {
    below: (bound: number): number => Math.floor(next() * bound),
    isOnceIn: (times: number): boolean => next() * times < 1,
    oneOf<T>(choices: readonly T[]): T {
      return choices[Math.floor(next() * choices.length)] as T;
    },
  };
}
type Chance = ReturnType<typeof makeChance>;

const hostileTexts: readonly string[] = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "\udc00\ud800",
  "\u202e\u2066evil",
  "👩‍👩‍👧‍👦".repeat(20),
  "İıſK ﷽",
  "e\u0301".repeat(60),
  "é".normalize("NFD"),
  "\ufeff",
  "\r\nX-Injected: 1",
  "\x1b[31m\x07\x7f",
  "x".repeat(255),
  "x".repeat(10_001),
  "'; drop table employee; --",
  "' or '1'='1",
  "1; update employee set role = 'ADMIN'",
  "$1",
  "%s%n%x",
  "$" + "{7*7}{{7*7}}<%= 7*7 %>",
  "<script>alert(1)</script>",
  "../../../../etc/passwd",
  "..\\..\\windows\\win.ini",
  "file:///etc/passwd",
  "|/bin/id",
  "`id`",
  "__proto__",
  "constructor",
  "toString",
  "null",
  "undefined",
  "NaN",
  "true",
  "admin@example.com\n@evil.example.com",
  '"quoted"@example.com',
];
const hostileNumbers: readonly string[] = [
  "0",
  "-1",
  "-0",
  "00000000000001",
  "1.5",
  "1e9",
  "1e999",
  "0x10",
  "2147483647",
  "2147483648",
  "9007199254740992",
  "9223372036854775807",
  "9223372036854775808",
  "9".repeat(400),
  "١٢٣",
  "１２",
  " 1",
  "1 ",
  "+1",
];
/** What a field takes by its name, and any other one. */
const goodTexts = ["Oil changed", "Zoë", "𝄞"];
const goodValues: Readonly<Record<string, readonly unknown[]>> = {
  lastName: ["Byron", "O'Neil"],
  description: ["", "Left of the door"],
  email: ["e1@example.com", "e2@example.com", "e3@example.com"],
  phone: ["+45 12 34 56", "123456"],
  role: ["TECHNICIAN", "MANAGER", "ADMIN"],
  password: [password, "1234"],
  oldPassword: [password],
  newPassword: ["another 1"],
  performedDate: ["2026-11-21T09:30", "2024-02-29T23:59:59.999999", "0001-01-01T00:00"],
  status: ["PENDING", "COMPLETED"],
  taskType: ["ERROR", "MAINTENANCE"],
  active: ["true", "false"],
  performedFrom: ["2026-11-21T09:30"],
  performedTo: ["2026-11-22T00:00"],
  limit: ["1", "10", "1000"],
  before: [Buffer.from("2026-11-21T09:30:00 7").toString("base64url")],
};

/** What no body may show: our files, our libraries, SQL, hashes, tokens and secrets. None of it is ever sent in one. */
const leak =
  /stack|node:|node_modules|\/src\/|\.ts:\d|at .+:\d+:\d+|select |insert into|postgres|argon2|jose|[:,[]undefined|\[object|\beyJ|[0-9a-f]{16}:[0-9a-f]{64}/i;

interface Target {
  readonly world: World;
  readonly routes: readonly Route[];
  readonly tokens: readonly string[];
}

async function openTarget(): Promise<Target> {
  const world = await openWorld();
  // Some that may be changed and deactivated without a bad end for the tokens in use.
  for (let i = 0; i < 4; i += 1) {
    await world.join("TECHNICIAN");
    await world.ports.assets.insert(anAsset({ name: `Pump ${i}` }));
  }
  const { ADMIN } = world.employees;
  const now = world.clock.now();
  const claims = { ...goodClaims(ADMIN.email, "ADMIN", now), sub: String(ADMIN.id) };
  const forgeries = [
    forge(claims, { secret: "another secret, of more than thirty-two bytes" }),
    forge(claims, { header: { alg: "none" } }),
    forge(claims, { header: { alg: "HS512" }, hash: "sha512" }),
    forge({ ...claims, exp: 1 }),
    forge({ ...claims, exp: undefined }),
    forge({ ...claims, exp: "9".repeat(400) }),
    forge({ ...claims, iss: "evil" }),
    forge({ ...claims, roles: ["ADMIN", "ADMIN"] }),
    forge({ ...claims, roles: "ADMIN" }),
    forge({ ...claims, roles: [{ toString: "ADMIN" }] }),
    forge({ ...claims, sub: 1 }),
    forge({ ...claims, sub: "9".repeat(400) }),
    forge({ ...claims, sub: "1\0" }),
    forge({ ...claims, username: null }),
    forge({ ...claims, username: "\ud800" }),
    forge({ ...claims, username: { $ne: null } }),
    forge({ ...claims, __proto__: { roles: ["ADMIN"] } }),
    `${world.tokens.ADMIN}x`,
    world.tokens.ADMIN.slice(0, -5),
    "..",
    "a.b.c",
    "x".repeat(8_000),
  ];
  const { TECHNICIAN, MANAGER, ADMIN: admin } = world.tokens;
  // Half of all tokens are good ones.
  const good = forgeries.flatMap((_, i) => [TECHNICIAN, MANAGER, admin][i % 3] ?? []);
  return {
    world,
    routes: makeRoutes(makeUseCases(world.served, world.trail.published, makeSessions(world.served))),
    tokens: [...good, ...forgeries],
  };
}

function makeValue(chance: Chance, name: string, depth = 0): unknown {
  const good = goodValues[name] ?? goodTexts;
  if (!chance.isOnceIn(4)) return chance.oneOf(good);
  switch (chance.below(8)) {
    case 0:
      return null;
    case 1:
      return chance.oneOf([true, false, 0, -1, 1e308, 0.1]);
    case 2:
      return depth > 3
        ? []
        : Array.from({ length: chance.below(4) }, () => makeValue(chance, name, depth + 1));
    case 3:
      return depth > 3 ? {} : { [chance.oneOf(hostileTexts)]: makeValue(chance, name, depth + 1) };
    case 4:
      return chance.oneOf(hostileNumbers);
    default:
      return chance.oneOf(hostileTexts);
  }
}

function makeBody(chance: Chance, { body = {} }: Route): string {
  if (chance.isOnceIn(15)) {
    return chance.oneOf([
      "[]",
      "null",
      "1e999",
      '"x"',
      "{",
      "{}{}",
      '{"a":1,}',
      "[".repeat(30_000),
      `${'{"a":'.repeat(9_000)}1${"}".repeat(9_000)}`,
      `{"name":"${"x".repeat(70_000)}"}`,
      '{"__proto__":{"role":"ADMIN"},"constructor":{"prototype":{"role":"ADMIN"}}}',
      '{"name":"a","name":"\\ud800"}',
      '{"email":"\\u0000"}',
      "\ufeff{}",
    ]);
  }
  const values = Object.keys(body)
    .filter(() => !chance.isOnceIn(12))
    .map(name => [name, makeValue(chance, name)] as const);
  const extra = chance.isOnceIn(4) ? [[chance.oneOf(hostileTexts), makeValue(chance, "")] as const] : [];
  const members = [...values, ...extra].map(
    ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
  );
  return `{${members.join(",")}}`;
}

function makePath(chance: Chance, { path, query = {} }: Route): string {
  const hostile = (): string => {
    const text = chance
      .oneOf([...hostileTexts, ...hostileNumbers])
      .slice(0, 500)
      .toWellFormed();
    return chance.isOnceIn(10) ? text : encodeURIComponent(text);
  };
  const id = chance.isOnceIn(3) ? hostile() : String(1 + chance.below(chance.isOnceIn(10) ? 3 : 7));
  const segments = path
    .replace("{id}", () => id)
    .replace("{path}", `0/00${chance.below(3)}`)
    .split("/");
  if (chance.isOnceIn(12)) segments[chance.below(segments.length)] = hostile();
  if (chance.isOnceIn(20)) segments.splice(chance.below(segments.length + 1), 0, hostile());
  const names = Object.keys(query).filter(() => chance.isOnceIn(2));
  if (chance.isOnceIn(6)) names.push(...Object.keys(query), hostile());
  const pairs = names.map(name => {
    const value = makeValue(chance, name);
    return `${name}=${typeof value === "string" ? encodeURIComponent(value.slice(0, 500).toWellFormed()) : hostile()}`;
  });
  return segments.join("/") + (pairs.length > 0 || chance.isOnceIn(20) ? `?${pairs.join("&")}` : "");
}

const oddTargets = [
  "*",
  "//",
  "/%E0",
  "/%",
  "http://x/",
  "http://",
  "ftp://x/%zz",
  "/\\",
  "?",
  "/a b",
  "x:1",
  "",
];
const oddMethods = [
  "HEAD",
  "OPTIONS",
  "PUT",
  "DELETE",
  "PATCH",
  "PROPFIND",
  "TRACE",
  "M-SEARCH",
  "get",
  "GETX",
  "",
];
const oddHeaders = [
  "Authorization: Basic YTpi",
  "Authorization:",
  "Host: y",
  "Host:",
  "Content-Type: text/plain",
  "Content-Type: application/json; charset=utf-16",
  "Accept: text/html;q=x,*/*;q=-1,,;",
  `Accept: ${"text/html,".repeat(500)}`,
  "Accept-Encoding: gzip, br",
  "Content-Encoding: gzip",
  "Origin: null",
  "Origin: https://evil.example.com",
  "X-Request-Id: <script>",
  `X-Request-Id: ${"x".repeat(129)}`,
  "X-Request-Id: a\r\nX-Injected: 1",
  "X-Http-Method-Override: DELETE",
  "X-Forwarded-For: 127.0.0.1, ::1",
  "Idempotency-Key:",
  `Idempotency-Key: ${"k".repeat(256)}`,
  "Idempotency-Key: é\x01",
  "Idempotency-Key: k1",
  "If-None-Match: *",
  "Range: bytes=0-0",
  "Expect: 100-continue",
  "Expect: tea",
  "Upgrade: websocket\r\nConnection: Upgrade",
  "Cookie: a=b; __proto__=c",
  "__proto__: x",
  "Transfer-Encoding: gzip",
  "Content-Length: 1",
  "X: a\r\n folded",
  "X: a\rb",
  "X: a\0b",
  "X y: z",
  ": z",
  "no colon",
  `X: ${"x".repeat(17_000)}`,
  "X: a\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x",
];

/** One request as it goes over the wire. */
function makeRequest(chance: Chance, { routes, tokens }: Target, isLast: boolean): Buffer {
  const route = chance.oneOf(routes);
  const method = chance.isOnceIn(12) ? chance.oneOf(oddMethods) : route.method;
  const target = chance.isOnceIn(25) ? chance.oneOf(oddTargets) : makePath(chance, route);
  const version = chance.isOnceIn(80)
    ? chance.oneOf(["HTTP/1.0", "HTTP/2.0", "HTTP/0.9", "HTTP/9.9", ""])
    : "HTTP/1.1";
  const lines = [`${method} ${target} ${version}`, "Host: x"];
  if (!chance.isOnceIn(15)) lines.push(`Authorization: Bearer ${chance.oneOf(tokens)}`);
  if (chance.isOnceIn(6)) lines.push(chance.oneOf(oddHeaders));
  if (isLast) lines.push("Connection: close");

  const hasBody = route.body === undefined ? chance.isOnceIn(20) : !chance.isOnceIn(20);
  let body: Buffer = Buffer.from(hasBody ? makeBody(chance, route) : "");
  if (hasBody && chance.isOnceIn(30))
    body = Buffer.concat([body.subarray(0, 5), Buffer.from([0xff, 0xc0, 0x80]), body]);
  if (hasBody) {
    // By the length, which takes no chance away from what follows.
    lines.push(`Content-Type: ${body.length % 41 === 0 ? "text/plain" : "application/json"}`);
    const isChunked = chance.isOnceIn(10);
    lines.push(isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${body.length}`);
    if (isChunked) body = inChunks(body, 1 + chance.below(5_000));
  }
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), body]);
}

function inChunks(body: Buffer, size: number): Buffer {
  const parts: (Buffer | string)[] = [];
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.subarray(at, at + size);
    parts.push(`${chunk.length.toString(16)}\r\n`, chunk, "\r\n");
  }
  return Buffer.concat([...parts, "0\r\n\r\n"].map(part => Buffer.from(part)));
}

interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/**
 * Takes answers apart; one to HEAD is known by what comes, or does not come, after its head.
 *
 * @param mayBeCut whether the client has sent more than one request at once: then its connection may end within a response
 */
function readAnswers(text: string, mayBeCut = false): Answer[] {
  const answers: Answer[] = [];
  for (let rest = text; rest !== ""; ) {
    const end = rest.indexOf("\r\n\r\n") + 4;
    assert.ok(rest.startsWith("HTTP/1.1 ") && end > 4, `no answer: ${rest.slice(0, 300)}`);
    const head = rest.slice(0, end);
    const status = Number(head.slice(9, 12));
    rest = rest.slice(end);
    let body = "";
    if (rest !== "" && !rest.startsWith("HTTP/1.1 ")) {
      const length = /\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1];
      if (length !== undefined) {
        body = rest.slice(0, Number(length));
        if (mayBeCut && body.length < Number(length)) return [...answers, { status, head, body: "" }];
        assert.equal(body.length, Number(length), "a body has the length that was announced");
        rest = rest.slice(Number(length));
      } else if (!/\r\ntransfer-encoding: chunked\r\n/i.test(head)) {
        // HTTP/1.0 knows no chunks: there the end of the connection is the end of a list.
        assert.match(head, /\r\nconnection: close\r\n/i);
        body = rest;
        rest = "";
      } else {
        const chunks: string[] = [];
        for (let size = -1; size !== 0; ) {
          const line = rest.indexOf("\r\n");
          if (mayBeCut && line <= 0) return [...answers, { status, head, body: "" }];
          size = Number.parseInt(rest.slice(0, line), 16);
          assert.ok(line > 0 && size >= 0, `no chunk: ${rest.slice(0, 300)}`);
          chunks.push(rest.slice(line + 2, line + 2 + size));
          rest = rest.slice(line + 2 + size + 2);
        }
        body = chunks.join("");
      }
    }
    if (status >= 200) answers.push({ status, head, body });
  }
  return answers;
}

/**
 * Sends pieces of bytes, each when the answers to those before it seem to be complete. Resolves to the bytes, as Latin-1,
 * that came back until the server closed the connection, and whether a piece was sent without waiting any longer. What is
 * sent after a last response can be met by a reset, which can take that response with it (RFC 9112, section 9.6).
 */
function exchange(
  port: number,
  pieces: readonly Buffer[],
  isCut: boolean,
): Promise<{ text: string; isHurried: boolean; isReset: boolean }> {
  return new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    let sent = 0;
    let patience: NodeJS.Timeout | undefined;
    let isHurried = false;
    const sendNext = (): void => {
      clearTimeout(patience);
      const piece = pieces[sent];
      if (piece === undefined) return;
      sent += 1;
      // A request that says it has a body, and has none, is answered when something comes in its place.
      patience = setTimeout(() => {
        isHurried ||= sent < pieces.length;
        sendNext();
      }, 20);
      if (isCut && sent === pieces.length) socket.end(piece);
      else socket.write(piece);
    };
    const socket = connect(port, "127.0.0.1", sendNext);
    const deadline = setTimeout(() => socket.destroy(new Error("no end after 30 s")), 30_000);
    let failure: NodeJS.ErrnoException | undefined;
    socket.on("data", chunk => {
      received.push(chunk);
      if (countAnswers(Buffer.concat(received).toString("latin1")) >= sent) sendNext();
    });
    socket.on("error", error => {
      failure = error;
    });
    socket.on("close", () => {
      clearTimeout(deadline);
      clearTimeout(patience);
      const isReset = failure?.code === "ECONNRESET" || failure?.code === "EPIPE";
      if (failure === undefined || isReset)
        resolve({ text: Buffer.concat(received).toString("latin1"), isHurried, isReset });
      else reject(failure);
    });
  });
}

/** 0 for what is not complete yet. */
function countAnswers(text: string): number {
  try {
    return readAnswers(text).length;
  } catch {
    return 0;
  }
}

function assertHarmless({ status, head, body }: Answer): void {
  assert.ok(status < 500 || status === 501 || status === 505, `status ${status}`);
  for (const header of [/\r\nx-content-type-options: nosniff\r\n/i, /\r\ncache-control: no-store\r\n/i]) {
    assert.match(head, header);
  }
  assert.match(head, /\r\nx-request-id: [\w.:~+/=-]{1,128}\r\n/i);
  assert.doesNotMatch(head, /x-injected|x-powered-by|\r\nserver:/i);
  const shown = body.includes('"token":"eyJ') && status === 200 ? body.replace(/"token":"[^"]+"/, "") : body;
  // What is published for all is no leak; it has the words that look like one in its examples and patterns.
  // So has the entry of a proof, in base64.
  if (!/^\{\s*"openapi":|^c2sp\.org\/tlog-proof@v1\n/.test(body)) assert.doesNotMatch(shown, leak);
  assert.ok(!shown.includes(secretKey), "the secret");
  if (status < 400 || body === "") return;
  assert.match(head, /\r\ncontent-type: application\/json; charset=utf-8\r\n/i);
  const error = JSON.parse(body);
  assert.deepEqual(Object.keys(error), ["status", "msg"]);
  assert.equal(error.status, status);
  assert.ok(typeof error.msg === "string" && error.msg !== "");
  // Elsewhere it may be the name that a client has given to a record.
  assert.doesNotMatch(error.msg, /undefined/);
}

/** Some requests on one connection, now and then sent without waiting for answers; how many, and what statuses came back. */
async function attack(
  target: Target,
  chance: Chance,
  name: string,
): Promise<{ sent: number; statuses: number[] }> {
  const length = 1 + chance.below(longestBatch);
  const requests = Array.from({ length }, (_, i) => makeRequest(chance, target, i === length - 1));
  const whole = Buffer.concat(requests);
  const isCut = chance.isOnceIn(40);
  const isPipelined = isCut || chance.isOnceIn(10);
  const pieces = isCut ? [whole.subarray(0, chance.below(whole.length))] : isPipelined ? [whole] : requests;
  try {
    const { text, isHurried, isReset } = await exchange(target.world.port, pieces, isCut);
    const answers = readAnswers(text, isPipelined || isHurried);
    answers.forEach(assertHarmless);
    const isClosed = answers.some(({ head }) => /\r\nconnection: close\r\n/i.test(head));
    if (isPipelined) assert.ok(isCut || answers.length > 0, "the first request is answered");
    else if (isHurried) assert.ok(isReset || answers.length > 0, "the first request is answered, or reset");
    else assert.ok(isClosed, "every request is answered, or the last answer says that there is no other");
    return { sent: length, statuses: answers.map(({ status }) => status) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const bytes = `printf %s ${whole.toString("base64")} | base64 -d`;
    const shown = JSON.stringify(whole.toString("latin1").slice(0, 4_000));
    throw new Error(`SEED=${seed} ${name}: ${message}\n${shown}\n${bytes}`, { cause: error });
  }
}

describe("fuzz", () => {
  test(`${total} hostile requests, SEED=${seed}`, { timeout: 110_000 }, async context => {
    const counts = new Map<number, number>();
    let sent = 0;
    for (let round = 0; sent < total; round += 1) {
      const target = await openTarget();
      const { world } = target;
      const end = Math.min(sent + requestsPerWorld, total);
      const lane = async (number: number) => {
        const chance = makeChance(seed + round * lanes + number);
        for (let batch = 0; sent < end; batch += 1) {
          const outcome = await attack(target, chance, `round ${round}, lane ${number}, batch ${batch}`);
          sent += outcome.sent;
          for (const status of outcome.statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
        }
      };
      try {
        await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
        assert.deepEqual(
          world.recorded.filter(({ level }) => level === "error"),
          [],
        );
        assert.doesNotMatch(JSON.stringify(world.recorded), /\beyJ|Bearer|[0-9a-f]{16}:[0-9a-f]{64}/);
        assert.equal((await world.call("GET", "/nope")).status, 403);
      } finally {
        await world.close();
      }
    }
    assert.equal(({} as Record<string, unknown>)["role"], undefined, "no prototype was changed");
    context.diagnostic(
      `${sent} requests: ${[...counts.entries()]
        .sort(([a], [b]) => a - b)
        .map(([status, count]) => `${count} × ${status}`)
        .join(", ")}`,
    );
    // A fuzz whose requests all fail at the door would test the door only.
    for (const status of [200, 201, 204, 400, 403, 404, 405, 413, 415]) {
      assert.ok((counts.get(status) ?? 0) > 0, `no answer was ${status}`);
    }
  });
});
