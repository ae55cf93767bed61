import assert from "node:assert/strict";
import { Duplex } from "node:stream";
import fc from "fast-check";
import { listOf, madeText, noContent } from "../../src/adapters/http/api/result.ts";
import { type Route, route } from "../../src/adapters/http/api/route.ts";
import { makeCors } from "../../src/adapters/http/request/cors.ts";
import { httpLimits } from "../../src/adapters/http/request/limits.ts";
import { makeListener } from "../../src/adapters/http/server/listener.ts";
import { makeHttpServer } from "../../src/adapters/http/server/server.ts";
import { emailKey } from "../../src/domain/employee.ts";
import { required, rule } from "../../src/domain/field.ts";
import { makeRecordingEventLog } from "../fakes/recording-event-log.ts";
import { stepOf } from "./step.ts";

const kibibyte = 1024;
const limits = {
  ...httpLimits,
  requests: 6,
  bodyBytes: 44 * kibibyte,
  bodyBytesWithoutToken: 20 * kibibyte,
  responseBytes: 256 * kibibyte,
  longListBytes: 64 * kibibyte,
  lingerMilliseconds: 1,
  drainMilliseconds: 1,
};

/** What a client asks for. Who has to log in first has the token of an employee. */
const requests = {
  small: { head: "GET /small", body: "", hasToken: true },
  refused: { head: "GET /small", body: "", hasToken: false },
  bigHead: { head: `GET /small?${"x".repeat(6_000)}`, body: "x".repeat(9_000), hasToken: false },
  preflight: { head: "OPTIONS /small", body: "", hasToken: false },
  big: { head: "GET /big", body: "", hasToken: true },
  list: { head: "GET /list", body: "", hasToken: true },
  held: { head: "GET /held", body: "", hasToken: true },
  write: { head: "POST /write", body: JSON.stringify({ text: "x".repeat(9_000) }), hasToken: true },
  // Its route does not wait for the body.
  change: { head: "DELETE /change", body: "1\r\nx\r\n0\r\n\r\n", hasToken: true },
  login: { head: "POST /login", body: JSON.stringify({ text: "x" }), hasToken: false },
} as const;
type Kind = keyof typeof requests;

const place = fc.nat({ max: 40 });
const kind = fc.constantFrom(...(Object.keys(requests) as Kind[]));
/** How much of a body comes with its request. */
const part = fc.constantFrom(0, 0.5, 1);
/** Everything that can happen next; a flood is on connections of its own. */
export const step = fc.oneof(
  stepOf(2, "connect"),
  stepOf(2, "flood", {
    owner: fc.nat({ max: 9 }),
    request: kind,
    part,
    count: fc.integer({ min: 1, max: 12 }),
  }),
  stepOf(8, "send", { place, request: kind, part }),
  stepOf(3, "drip", { place }),
  stepOf(3, "rest", { place }),
  stepOf(1, "garbage", { place }),
  stepOf(6, "read", { place }),
  stepOf(2, "reset", { place }),
  stepOf(3, "go on", { place }),
  stepOf(2, "time", { milliseconds: fc.nat({ max: 900 }) }),
);
export type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** A client's connection as Node sees it, whose client takes bytes when the simulation says so. */
class ClientSocket extends Duplex {
  readonly remoteAddress: string;
  readonly remotePort: number;
  bytesRead = 0;
  /** What its client has taken. */
  text = "";
  /** What is still to come of the body of its newest request. */
  rest = "";
  /** Its parser has failed, or will: the last response on it does not count, since it is there for a second at most. */
  isMalformed = false;
  /** Its requests, and those of them that have got a response. */
  asked = 0;
  answered = 0;
  /** The changes that were made for it. */
  changes = 0;
  #untaken: (() => void)[] = [];

  constructor(address: string, port: number) {
    super({ highWaterMark: 16 * kibibyte });
    this.remoteAddress = address;
    this.remotePort = port;
    this.on("error", () => {});
  }

  setTimeout(): this {
    return this;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: string, taken: () => void): void {
    this._writev([{ chunk }], taken);
  }

  override _writev(parts: readonly { readonly chunk: Buffer }[], taken: () => void): void {
    this.#untaken.push(() => {
      for (const { chunk } of parts) {
        const text = chunk.toString("latin1", 0, 60);
        if (text.startsWith("HTTP/1.1 ")) this.answered += 1;
        this.text += text;
      }
      taken();
    });
  }

  /** What the service has given that its client has not taken. */
  get isStuck(): boolean {
    return this.#untaken.length > 0;
  }

  send(text: string): void {
    if (this.destroyed || text === "") return;
    this.bytesRead += text.length;
    this.push(text);
  }

  takeAll(): void {
    for (const take of this.#untaken.splice(0)) take();
  }
}

/** Work of the service that ends when the simulation says so. */
class HeldWork {
  readonly #waiting: (() => void)[] = [];

  get count(): number {
    return this.#waiting.length;
  }

  readonly wait = (): Promise<void> => new Promise(resolve => this.#waiting.push(resolve));

  goOn(place: number): void {
    this.#waiting.splice(place % (this.#waiting.length || 1), 1)[0]?.();
  }
}

const text = required(
  "Text is required",
  rule({ type: "string" }, value => String(value)),
);

/** @param change is called with the port of the client */
function makeRoutes(held: HeldWork, change: (port: number) => void): readonly Route[] {
  const small = { result: madeText("Welcome") };
  return [
    route("GET", "/small", "TECHNICIAN", { ...small, run: () => "1" }),
    route("GET", "/big", "TECHNICIAN", { ...small, run: () => "1".repeat(60 * kibibyte) }),
    route("GET", "/held", "TECHNICIAN", { ...small, run: () => held.wait().then(() => "1") }),
    route("GET", "/list", "TECHNICIAN", {
      result: listOf("Welcome"),
      run: () =>
        (async function* () {
          for (let left = 5; left > 0; left -= 1)
            yield { content: Buffer.alloc(20 * kibibyte, "1"), next: left > 1 || undefined };
        })(),
    }),
    route("POST", "/write", "TECHNICIAN", {
      ...small,
      body: { text },
      run: () => held.wait().then(() => "1"),
    }),
    route("DELETE", "/change/{id}", "TECHNICIAN", {
      result: noContent,
      run: ({ id }) => held.wait().then(() => change(id)),
    }),
    route("POST", "/login", "NONE", { ...small, body: { text }, run: () => "1" }),
  ];
}

/**
 * The real server, over connections that are values here. An attacker (one address, one employee), or ten, do what the steps say. After
 * each step it holds no more than it may, and what it has is what is under way.
 */
export class EdgeSimulation {
  readonly #held = new HeldWork();
  readonly #listener = makeListener(limits, undefined);
  readonly #server = makeHttpServer(
    {
      routes: makeRoutes(this.#held, port => {
        for (const client of this.#clients) if (client.remotePort === port) client.changes += 1;
      }),
      sessions: {
        identify: async token => ({
          kind: "employee",
          caller: {
            employeeId: Number(token),
            email: emailKey("somebody@example.com"),
            role: "TECHNICIAN",
            tokenId: undefined,
            tokenVersion: 0,
          },
        }),
      },
      cors: makeCors("*"),
      addressOf: ({ socket }) => socket.remoteAddress ?? "",
      events: makeRecordingEventLog(),
      clock: { now: () => new Date(0) },
    },
    limits,
    undefined,
    this.#listener as ReturnType<typeof makeListener>,
  );
  readonly #clients: ClientSocket[] = [];
  #ports = 0;
  readonly #isCrowd: boolean;
  readonly #advance: (milliseconds: number) => void;

  /** @param isCrowd whether there are ten attackers, and not one */
  constructor(isCrowd: boolean, advance: (milliseconds: number) => void) {
    this.#isCrowd = isCrowd;
    this.#advance = advance;
  }

  async take(step: Step): Promise<void> {
    if (step.kind === "connect") this.#connect("attacker 0");
    else if (step.kind === "flood")
      for (let left = step.count; left > 0; left -= 1) {
        const owner = this.#isCrowd ? step.owner : 0;
        this.#send(this.#connect(`attacker ${owner}`), step.request, step.part, `${owner}`);
      }
    else if (step.kind === "time") this.#advance(step.milliseconds);
    else if (step.kind === "go on") this.#held.goOn(step.place);
    else {
      const client = this.#clients[step.place % (this.#clients.length || 1)];
      if (client === undefined) return;
      if (step.kind === "send") this.#send(client, step.request, step.part, "0");
      else if (step.kind === "drip") this.#sendRest(client, 1);
      else if (step.kind === "rest") this.#sendRest(client, client.rest.length);
      else if (step.kind === "garbage") this.#sendGarbage(client);
      else if (step.kind === "read") client.takeAll();
      else client.destroy();
    }
    await atRest();
    this.#check();
  }

  /** Whatever one attacker holds, somebody else is served; and when all have gone, nothing is held. */
  async end(): Promise<void> {
    // Whoever has taken nothing meanwhile has stalled.
    this.#advance(limits.slowReaderMilliseconds);
    for (const kind of ["small", "write", "login", "list", "big"] as const) {
      const client = this.#connect("newcomer");
      this.#send(client, kind, 1, "99");
      for (let round = 0; round < 12; round += 1) {
        await atRest();
        client.takeAll();
        if (kind === "write") for (let i = this.#held.count; i > 0; i -= 1) this.#held.goOn(i - 1);
      }
      if (!this.#isCrowd) assert.match(client.text, /^HTTP\/1\.1 200 /, `a newcomer's ${kind}`);
      client.destroy();
      await atRest();
      this.#check();
    }
    for (let round = 0; round < 400 && this.#isUnderWay; round += 1) {
      for (const client of this.#clients) client.takeAll();
      for (let left = this.#held.count; left > 0; left -= 1) this.#held.goOn(0);
      await atRest();
    }
    // The service closes a connection on which a request is sent before the response to the last one has left.
    const open = this.#clients.filter(
      ({ writable, isMalformed, rest }) => writable && !isMalformed && rest === "",
    );
    for (const { answered, asked } of open) assert.equal(answered, asked, "what was sent is answered");
    for (const { text, changes } of this.#clients.filter(({ text }) => text.includes("HTTP/1.1 400 ")))
      assert.equal(text.split("HTTP/1.1 204 ").length - 1, changes, "what is refused is not done");
    for (const client of this.#clients) if (client.rest !== "" || client.isMalformed) client.destroy();
    await this.#takeAllRoom();
    for (const client of this.#clients.splice(0)) client.destroy();
    await atRest();
    await new Promise(resolve => setTimeout(resolve, 2));
    const { turnedAway: _, ...levels } = this.#server.load();
    assert.deepEqual(levels, { connections: 0, requests: 0, bodyBytes: 0, responseBytes: 0 });
  }

  /** Connections that are only open hold nothing, whatever the service counts: newcomers can take all that there is. */
  async #takeAllRoom(): Promise<void> {
    for (const [kind, part, count] of [
      ["held", 1, limits.requests],
      // So many fit into the memory for bodies or responses.
      ["write", 0.99, 3],
      ["login", 0.5, 4],
      ["list", 1, 4],
    ] as const) {
      const clients = Array.from({ length: count }, (_, at) => {
        const client = this.#connect(`newcomer ${at}`);
        this.#send(client, kind, part, `${100 + at}`);
        return client;
      });
      await atRest();
      for (let left = this.#held.count; left > 0; left -= 1) this.#held.goOn(0);
      await atRest();
      for (const client of clients) client.takeAll();
      const start = part === 1 ? "HTTP/1.1 200 " : "";
      for (const { text } of clients) assert.equal(text.slice(0, 13), start, `room for each ${kind}`);
      for (const client of clients) client.destroy();
      await atRest();
    }
  }

  get #isUnderWay(): boolean {
    return this.#held.count > 0 || this.#clients.some(({ isStuck, destroyed }) => isStuck && !destroyed);
  }

  #connect(address: string): ClientSocket {
    this.#ports += 1;
    const socket = new ClientSocket(address, this.#ports);
    this.#clients.push(socket);
    this.#listener.emit("connection", socket);
    return socket;
  }

  #send(client: ClientSocket, kind: Kind, part: number, token: string): void {
    // It would be taken for the rest of the body.
    if (client.rest !== "") return;
    const { head, body, hasToken } = requests[kind];
    const sent = body.slice(0, Math.floor(part * body.length));
    client.rest = body.slice(sent.length);
    client.asked += 1;
    const isChange = kind === "change";
    const length = isChange ? "Transfer-Encoding: chunked" : `Content-Length: ${body.length}`;
    const fields = [
      `${head}${isChange ? `/${client.remotePort}` : ""} HTTP/1.1`,
      "Host: x",
      ...(hasToken ? [`Authorization: Bearer ${token}`] : []),
      ...(body === "" ? [] : [length]),
    ];
    client.send(`${fields.join("\r\n")}\r\n\r\n${sent}`);
  }

  #sendRest(client: ClientSocket, length: number): void {
    client.send(client.rest.slice(0, length));
    client.rest = client.rest.slice(length);
  }

  #sendGarbage(client: ClientSocket): void {
    client.isMalformed = true;
    client.send("GARBAGE\r\n\r\n");
  }

  #check(): void {
    const { requests, bodyBytes, responseBytes, connections } = this.#server.load();
    const open = this.#clients.filter(({ destroyed }) => !destroyed);
    assert.equal(connections, open.length, "open connections");
    assert.equal(requests, this.#held.count, "a place is work");
    assert.ok(requests <= limits.requests, "places are bounded");
    assert.ok(bodyBytes <= limits.bodyBytes + limits.bodyBytesWithoutToken, "bodies are bounded");
    assert.ok(responseBytes <= limits.responseBytes, "responses are bounded");
    const stuck = open.filter(({ isStuck }) => isStuck);
    // A response whose request still arrives ends with it.
    const mayHoldResponse =
      stuck.length > 0 || open.some(({ rest, isMalformed }) => rest !== "" || isMalformed);
    assert.ok(responseBytes === 0 || mayHoldResponse, "what is held is what clients have not taken");
    const counting = stuck.filter(({ isMalformed }) => !isMalformed).length;
    assert.ok(responseBytes >= counting * 4 * kibibyte, "every response counts");
    const mayHaveBody = this.#held.count > 0 || open.some(({ rest }) => rest !== "");
    assert.ok(bodyBytes === 0 || mayHaveBody, "a body is held as long as it is needed");
  }
}

/** All that goes on by itself has gone on. */
async function atRest(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await new Promise(resolve => setImmediate(resolve));
}

/** Simulates runs of steps, and says with which seed and steps one failed. */
export async function simulateEdge(runs: number, stepsOfRun: number, seed?: number): Promise<void> {
  const original = performance.now;
  let now = 0;
  performance.now = () => now;
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.array(step, { maxLength: stepsOfRun, size: "max" }),
        async (isCrowd, steps) => {
          const simulation = new EdgeSimulation(isCrowd, milliseconds => {
            now += milliseconds;
          });
          for (const each of steps) await simulation.take(each);
          await simulation.end();
        },
      ),
      { numRuns: runs, ...(seed !== undefined && { seed }) },
    );
  } finally {
    performance.now = original;
  }
}
