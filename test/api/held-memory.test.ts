import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { httpLimits } from "../../src/adapters/http/request/limits.ts";
import { script } from "../support/compiled.ts";
import { until } from "../support/until.ts";

const kibibyte = 1024;
/** What V8 allows in a process of 512 MiB, without the young generation. */
const heapLimitBytes = 256 * kibibyte * kibibyte;
/** What the process takes without clients, and for requests that it works on. */
const otherBytes = 20 * kibibyte * kibibyte;
/** Connections of each kind: enough that other changes of the heap do not count. */
const count = 200;

/** A head of the most bytes and headers, without the line break behind it. */
function largest(request: string, more = ""): string {
  const begin = `${request} HTTP/1.1\r\nHost: x\r\n${more}`;
  const headerBytes = Math.floor((httpLimits.headerBytes - begin.length - 64) / 97);
  const headers = Array.from({ length: 97 }, (_, at) => `h${at + 10}: `.padEnd(headerBytes - 2, "y"));
  return `${begin}${headers.join("\r\n")}\r\n`;
}
const get = "GET /unread HTTP/1.1\r\nHost: x\r\n\r\n";
const length = "Content-Length: 100\r\n";
const chunked = "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n";

/** What a client without a token sends that reads nothing. */
const kinds = {
  "a part of a head": largest("GET /unread"),
  "an unread response": get,
  "an unread response and many requests": `${get}${largest("GET /unread")}\r\n${get.repeat(1_000)}`,
  "an unread response and a part of a head": get + largest("GET /unread"),
  "an unread response between the largest heads": `${largest("GET /unread")}\r\n`.repeat(3),
  "a body under way": `POST /login HTTP/1.1\r\nHost: x\r\n${length}\r\n{`,
  "a body under way, in small chunks": `POST /login HTTP/1.1\r\nHost: x\r\n${chunked}\r\n${"1\r\nx\r\n".repeat(1_000)}`,
  "a body under way, with the largest head": `${largest("POST /login", length)}\r\n{`,
};

interface Held {
  readonly readBytes: number;
  readonly heapBytes: number;
  readonly countedBytes: number;
}

async function ask(server: ChildProcess, collects: boolean): Promise<Held> {
  server.send(collects);
  const [held] = await once(server, "message");
  return held;
}

/** The bytes of a connection on the heap of a new process, and those that the service counts for it. */
async function measure(sent: string): Promise<{ readonly heap: number; readonly counted: number }> {
  const args = ["--expose-gc", ...script("test/support/unread-server.ts")];
  const server = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const sockets: Socket[] = [];
  try {
    const [{ port }] = await once(server, "message");
    const open = async (more: number): Promise<Held> => {
      for (let left = more; left > 0; left -= 1) {
        const socket = connect(port, "127.0.0.1").pause();
        socket.on("error", () => {}).write(sent);
        sockets.push(socket);
      }
      await until(async () => (await ask(server, false)).readBytes === sockets.length * sent.length);
      return ask(server, true);
    };
    // The first ones make Node and V8 allocate what they keep.
    const [few, many] = [await open(50), await open(count)];
    return {
      heap: (many.heapBytes - few.heapBytes) / count,
      counted: (many.countedBytes - few.countedBytes) / count,
    };
  } finally {
    for (const socket of sockets) socket.destroy();
    server.kill();
  }
}

test("whatever clients send, what they make the service hold is counted, and the heap stays below its limit", async t => {
  const { connections, responseBytes, bodyBytesWithoutToken } = httpLimits;
  const most = { uncounted: 0, counted: 0, ofCounted: 0 };
  for (const [kind, sent] of Object.entries(kinds)) {
    const { heap, counted } = await measure(sent);
    t.diagnostic(`${kind}: ${(heap / kibibyte).toFixed(1)} KiB, ${(counted / kibibyte).toFixed(1)} counted`);
    // The connection itself takes the rest.
    assert.ok(counted === 0 || heap < 1.1 * counted + 8 * kibibyte, kind);
    if (counted === 0) most.uncounted = heap;
    else if (counted > most.counted) Object.assign(most, { counted, ofCounted: heap });
  }
  const ofCounted = (responseBytes + bodyBytesWithoutToken) / most.counted;
  const worst = otherBytes + ofCounted * most.ofCounted + (connections - ofCounted) * most.uncounted;
  t.diagnostic(`the worst mix: ${(worst / kibibyte / kibibyte).toFixed(0)} MiB`);
  assert.ok(worst < heapLimitBytes);
});
