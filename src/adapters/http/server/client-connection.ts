import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type Observation, type Pace, startPace } from "./pace.ts";

/** A request and what answers it. */
export interface RequestAndResponse {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** What the server knows of an open connection. */
export interface Connection {
  readonly socket: Socket;
  /** `ending` takes no request after the current one; `ended` has been sent its last answer. */
  state: "new" | "open" | "ending" | "ended";
  /** The request that is worked on, until its answer has left the process. */
  current: RequestAndResponse | undefined;
  /** Arrived after the current answer was written, but before the server was told that it has been sent. */
  next: RequestAndResponse | undefined;
  pace: Pace;
}

export const openConnection = (socket: Socket, now: number): Connection => ({
  socket,
  state: "new",
  current: undefined,
  next: undefined,
  pace: startPace(trafficOf(socket), now),
});

/** The current answer is the last one, and says so if it still can. Nothing more is read meanwhile. */
export function endAfterAnswer(connection: Connection): void {
  const { socket, current } = connection;
  connection.state = "ending";
  if (current?.response.headersSent === false) current.response.setHeader("Connection", "close");
  socket.pause();
  // One read can hold 3,000 requests. Node would make objects of each and keep them until the socket closes.
  const { parser } = socket as SocketOfNode;
  if (parser) parser.onIncoming = stopParsing;
}

/** What follows the header section is no HTTP, as after an upgrade. */
const stopParsing = (): number => 2;

/**
 * Counts the chunks of a body, whoever reads it. Each costs as much CPU as a kilobyte, and one read can hold 10,000.
 *
 * @param refuse called once, at the first chunk past the bound; Node parses no further chunk then
 */
export function boundChunks(request: IncomingMessage, most: number, refuse: () => void): void {
  if (request.headers["transfer-encoding"] === undefined) return;
  const push = request.push.bind(request);
  let chunks = 0;
  request.push = (chunk, encoding) => {
    chunks += 1;
    if (chunks <= most || chunk === null) return push(chunk, encoding);
    if (chunks === most + 1) {
      ignoreBody(request.socket);
      refuse();
    }
    return false;
  };
}

function ignoreBody(socket: SocketOfNode): void {
  const { parser } = socket;
  if (!parser) return;
  const { [onBody]: take } = parser;
  parser[onBody] = null;
  // Node uses a parser again after its connection has closed.
  socket.once("close", () => {
    parser[onBody] = take;
  });
}

/** Where Node's parser keeps the function that it calls for each piece of a body. */
const onBody = 3;

/** What node:http and node:net keep on a socket, and do not document. */
type SocketOfNode = Socket & {
  readonly parser?: { onIncoming: () => number; [onBody]?: unknown } | null;
  readonly _handle?: { readonly writeQueueSize?: number } | null;
};

/**
 * Ends a connection after what has been written to it. It is still read for a moment, and what comes is thrown away:
 * closing a socket with unread bytes resets it, and the client might lose the answer (RFC 9112, section 9.6).
 */
export function endConnection(connection: Connection, now: number, lastAnswer?: string): void {
  const { socket } = connection;
  if (connection.state === "ended") return;
  connection.state = "ended";
  if (socket.writable && lastAnswer !== undefined) socket.write(lastAnswer);
  socket.end();
  // In this order: with a listener of its own for data, the socket no longer hands the bytes to Node's parser.
  socket.removeAllListeners("data").on("data", discard).resume();
  restartPace(connection, now);
}

const discard = (): void => {};

export function observe({ socket, state, current }: Connection): Observation {
  const traffic = trafficOf(socket);
  if (state === "ended") return { ...traffic, state };
  if (current !== undefined) return { ...traffic, state: "answering" };
  return { ...traffic, state: state === "new" ? "new" : "idle" };
}

/** Starts the clocks of a connection afresh. */
export function restartPace(connection: Connection, now: number): void {
  connection.pace = startPace(trafficOf(connection.socket), now);
}

function trafficOf(socket: Socket): Pick<Observation, "bytesRead" | "bytesUnsent"> {
  // Only the handle sees a part of one large write being taken; node:net's own time-out looks there too.
  const { _handle: handle } = socket as SocketOfNode;
  return { bytesRead: socket.bytesRead, bytesUnsent: socket.writableLength + (handle?.writeQueueSize ?? 0) };
}
