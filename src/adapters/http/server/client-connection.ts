import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HttpError } from "../api/http-error.ts";
import { type Observation, type Pace, startPace } from "./pace.ts";

/** A request that has been accepted, and what answers it. */
export interface PendingRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** `arriving` until its body has been read. */
  state: "arriving" | "under way" | "over";
}

/** What the server knows of an open connection. */
export interface Connection {
  readonly socket: Socket;
  /** `ending` takes no more requests; `refused` has been told its last word. */
  state: "new" | "open" | "ending" | "refused";
  /** The oldest request that has not been fully answered: the only one of the connection that is worked on. */
  current: PendingRequest | undefined;
  /** Those that came after it. */
  readonly waiting: PendingRequest[];
  /** The last word, to be said when all of these have been answered. */
  refusal: HttpError | undefined;
  pace: Pace;
}

export const openConnection = (socket: Socket, now: number): Connection => ({
  socket,
  state: "new",
  current: undefined,
  waiting: [],
  refusal: undefined,
  pace: startPace(trafficOf(socket), now),
});

export function observe({ socket, state, current }: Connection): Observation {
  const traffic = trafficOf(socket);
  if (state === "refused") return { ...traffic, state };
  if (current !== undefined) return { ...traffic, state: "answering" };
  return { ...traffic, state: state === "new" ? "new" : "idle" };
}

/** Starts the clocks of a connection afresh. */
export function restartPace(connection: Connection, now: number): void {
  connection.pace = startPace(trafficOf(connection.socket), now);
}

function trafficOf(socket: Socket): Pick<Observation, "bytesRead" | "bytesUnsent"> {
  // Only the handle sees a part of one large write being taken; node:net's own time-out looks there too.
  const { _handle: handle } = socket as unknown as {
    readonly _handle?: { readonly writeQueueSize?: number } | null;
  };
  return { bytesRead: socket.bytesRead, bytesUnsent: socket.writableLength + (handle?.writeQueueSize ?? 0) };
}
