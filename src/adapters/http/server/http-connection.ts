import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HttpError } from "../../protocol/error-response.ts";
import type { Exchange } from "../request/exchange.ts";

/** A request as Node hands it over, with the response to write. */
export interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Works on the requests of connections. */
export interface Server {
  /** Works on a request until its response has left the process, or its client has gone; sets `exchange` first. Never fails. */
  serve(connection: HttpConnection, arrival: Arrival): Promise<void>;
  /** Called when a connection has nothing more to work on. */
  becameIdle(connection: HttpConnection): void;
}

/**
 * A connection of a client, with TLS from the end of the handshake on. It has one exchange at a time.
 *
 * - idle: no exchange. Next: busy, with a request; closed after 65 s, at the stop of the service.
 * - busy: works on an exchange until its response has left. A request that arrives meanwhile waits, and nothing more is read
 *   until it begins. Next: idle, or closed if the response says `Connection: close`; ending, if yet another request arrives, or
 *   bytes that are none, or a request not in time.
 * - ending: the request that waits is the last, or the one under way where none does. Next: lingering when its response has left.
 * - lingering: nothing is under way; the socket stays open so that the client reads. Next: closed, after a second.
 * - closed, from any state: by the client; by the service when nothing moves for 60 s, a list fails, a response has to make
 *   room, or the grace period of the stop is over.
 */
export class HttpConnection {
  readonly socket: Socket;
  readonly #lingerMilliseconds: number;
  readonly #server: Server;
  /** The exchange that is worked on. */
  exchange: Exchange | undefined;
  #waiting: Arrival | undefined;
  #isEnding = false;

  constructor(socket: Socket, lingerMilliseconds: number, server: Server) {
    this.socket = socket;
    this.#lingerMilliseconds = lingerMilliseconds;
    this.#server = server;
  }

  get isBusy(): boolean {
    return this.exchange !== undefined;
  }

  get isIdle(): boolean {
    return !this.isBusy && !this.#isEnding;
  }

  /** A third request without a response ends the connection: the client sends it again on another one (RFC 9112, section 9.3.2). */
  accept(arrival: Arrival): void {
    if (this.#isEnding) return;
    if (!this.isBusy) void this.#workOn(arrival);
    else if (this.#waiting === undefined) {
      this.#waiting = arrival;
      this.#stopReading();
    } else this.#endAfterResponse();
  }

  async #workOn(first: Arrival): Promise<void> {
    for (let next: Arrival | undefined = first; next !== undefined && this.socket.writable; ) {
      this.#waiting = undefined;
      const work = this.#server.serve(this, next);
      if (this.#isEnding) this.announceEnd();
      await work;
      next = this.#waiting;
      if (!this.#isEnding) this.socket.resume();
    }
    this.exchange = undefined;
    if (this.#isEnding) this.linger();
    this.#server.becameIdle(this);
  }

  /** Tells the client that the response to the last request is the last one, if it still can. */
  announceEnd(): void {
    if (this.#waiting === undefined && this.exchange?.response.headersSent === false)
      this.exchange.response.setHeader("Connection", "close");
  }

  /** Works on what has arrived, and takes nothing more. */
  #endAfterResponse(): void {
    this.#isEnding = true;
    this.announceEnd();
    this.#stopReading();
    stopParsing(this.socket);
  }

  /** Node resumes the socket itself after it has parsed a whole request, hence the second `pause` after that. */
  #stopReading(): void {
    this.socket.pause();
    queueMicrotask(() => {
      if (this.#waiting !== undefined || this.#isEnding) this.socket.pause();
    });
  }

  /**
   * Responds to bytes that Node could not parse as a request, or to a request that did not arrive in time. If one is under way,
   * the only response is that of its exchange, which knows whether the request has had an effect.
   *
   * @param last the whole response where there is no exchange
   */
  refuse(refusal: HttpError, last: string): void {
    // Its body will never be whole.
    if (this.#waiting?.request.complete === false) this.#waiting = undefined;
    if (this.exchange?.request.complete === false) this.exchange.refuse(refusal);
    if (this.isBusy) this.#endAfterResponse();
    else this.linger(last);
  }

  /** Closing a socket with unread bytes resets it, and the client might lose the response (RFC 9112, section 9.6). */
  linger(last = ""): void {
    this.#isEnding = true;
    if (this.socket.writable) this.socket.end(last);
    setTimeout(() => this.socket.destroy(), this.#lingerMilliseconds).unref();
  }
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
