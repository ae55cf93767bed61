import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** What the server knows of an open connection. */
export interface Connection {
  readonly socket: Socket;
  /** The response to the newest request that was taken. */
  newest: ServerResponse | undefined;
  /** Responses that have not left the process. */
  underWay: number;
  /** No further request is taken. */
  isEnding: boolean;
}

/** A response may have reached the client before Node reports that it was sent. */
export const mayTakeRequest = ({ newest, underWay, isEnding }: Connection): boolean =>
  !isEnding && (underWay === 0 || (underWay === 1 && newest?.writableEnded === true));

/** The response under way is the last one, and says so if it still can. Nothing more is read meanwhile. */
export function endAfterResponse(connection: Connection): void {
  const { socket, newest } = connection;
  connection.isEnding = true;
  if (newest?.headersSent === false) newest.setHeader("Connection", "close");
  socket.pause();
  stopParsing(socket);
}

/**
 * Stops Node's parser within what it has read already: 64 KiB, which can hold 3,600 requests. Node keeps objects of each
 * until the connection ends, also of one that is destroyed: 200 such connections took 1,257 MiB, and take 100 MiB so.
 *
 * This is the one undocumented interface of Node that the service uses. Node keeps parsers in a pool, but sets this
 * function anew for each connection, so nothing of it reaches the next one.
 */
function stopParsing({ parser }: Socket & { readonly parser?: Parser | null }): void {
  if (!parser) return;
  parser.onIncoming = request => {
    // For an upgrade Node would take its listener for errors off; 2 says that no HTTP follows, as after one.
    request.upgrade = false;
    return 2;
  };
}

type Parser = { onIncoming: (request: { upgrade: boolean }) => number };
