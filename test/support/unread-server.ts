import diagnostics from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { getHeapStatistics } from "node:v8";
import { bytes } from "../../src/adapters/http/api/result.ts";
import { route } from "../../src/adapters/http/api/route.ts";
import { makeCors } from "../../src/adapters/http/request/cors.ts";
import { httpLimits } from "../../src/adapters/http/request/limits.ts";
import { makeHttpServer } from "../../src/adapters/http/server/server.ts";
import { required, rule } from "../../src/domain/field.ts";
import { makeRecordingEventLog } from "../fakes/recording-event-log.ts";

/*
 * A process with the real server, for a test of its memory (started by held-memory.test.ts with --expose-gc). It sends its
 * port, and after each message what it holds.
 */

/** More than the kernel takes of a response that is not read; all responses send the same bytes. */
const body = new Uint8Array(64 * 1024 * 1024);
const text = required(
  "Text is required",
  rule({ type: "string" }, value => String(value)),
);

const server = makeHttpServer(
  {
    routes: [
      route("GET", "/unread", "NONE", { result: bytes, run: () => body }),
      route("POST", "/login", "NONE", { result: bytes, body: { text }, run: () => body }),
    ],
    sessions: { identify: () => Promise.reject(new Error("nobody has a token")) },
    cors: makeCors("*"),
    addressOf: ({ socket }) => socket.remoteAddress ?? "",
    events: { ...makeRecordingEventLog(), info() {} },
    clock: { now: () => new Date(0) },
  },
  {
    ...httpLimits,
    responseBytes: Number.MAX_SAFE_INTEGER,
    bodyBytesWithoutToken: Number.MAX_SAFE_INTEGER,
    // Nobody is cut off, however slow the machine is.
    receiveMilliseconds: 3_600_000,
  },
);

const sockets = new Set<Socket>();
diagnostics.subscribe("net.server.socket", message => {
  const { socket } = message as { socket: Socket };
  sockets.add(socket);
  socket.once("close", () => sockets.delete(socket));
});

process.send?.({ port: await server.listen(0, "127.0.0.1") });
process.on("message", collects => {
  // What the first one finds to be weakly held goes with the second.
  for (let times = collects ? 2 : 0; times > 0; times -= 1) globalThis.gc?.();
  const { responseBytes, bodyBytes } = server.load();
  process.send?.({
    readBytes: [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, 0),
    heapBytes: getHeapStatistics().used_heap_size,
    // Without the bytes of the responses, which all are the same.
    countedBytes: (responseBytes % body.byteLength) + bodyBytes,
  });
});
