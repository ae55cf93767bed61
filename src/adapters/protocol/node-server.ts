import { once } from "node:events";
import type { IncomingMessage, RequestListener, Server } from "node:http";
import type { ListenOptions, Socket } from "node:net";
import type { HttpError } from "./error-response.ts";
import { connectNotSupported, type ParserError, parserRefusal } from "./refusal.ts";
import { mostHeaders } from "./request-head.ts";

interface Handlers {
  /** Called when the head of a request has arrived. */
  readonly respond: RequestListener;
  /** Called for bytes that are no request, for CONNECT, and for a request that did not arrive in time, also while `respond` works on it. */
  readonly refuse: (socket: Socket, refusal: HttpError) => void;
}

/** Sends all that arrives at a server of Node to these handlers. */
export function handleWith(server: Server, { respond, refuse }: Handlers): void {
  // Node silently drops header fields past this count: one more than the limit, so that `readHead` can refuse them.
  server.maxHeadersCount = mostHeaders + 1;
  // With a listener for the last two, Node leaves it to `readHead` what becomes of the header field Expect.
  for (const event of ["request", "checkContinue", "checkExpectation"]) server.on(event, respond);
  server.on("clientError", (error: ParserError, socket: Socket) => refuse(socket, parserRefusal(error)));
  server.on("connect", (_: IncomingMessage, socket: Socket) => {
    // Node has taken its own listeners off: an error without one would end the process.
    socket.on("error", () => socket.destroy());
    refuse(socket, connectNotSupported());
  });
}

/**
 * Listens with a queue of so many connections in the kernel. Node would set one of 511, also on a socket of systemd that has a
 * longer one.
 *
 * @returns the port, which the system chooses when 0 is asked for
 */
export async function listen(server: Server, where: ListenOptions | { fd: number }, backlog: number) {
  // For a descriptor Node reads the second argument.
  server.listen({ ...where, backlog }, backlog);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("it is not a TCP socket");
  return address.port;
}
