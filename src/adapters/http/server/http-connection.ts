import type { Socket } from "node:net";
import type { Exchange } from "../request/exchange.ts";

/**
 * A connection of a client, with TLS from the end of the handshake on.
 *
 * - idle: no response is under way. Next: busy, with a request; closed after 65 s, at the stop of the service.
 * - busy: works on the newest exchange. Next: idle when its response has left, or closed where that says `Connection: close`;
 *   ending, with what else arrives meanwhile.
 * - ending: the response under way is the last; nothing more is worked on. Next: lingering when it has left.
 * - lingering: nothing is under way; the socket stays open so that the client reads. Next: closed, after a second.
 * - closed, from any state: by the client; by the service when nothing moves for 60 s, a list fails or has to make room, or
 *   the grace period of the stop is over.
 */
export class HttpConnection {
  readonly socket: Socket;
  readonly #lingerMilliseconds: number;
  #newest: Exchange | undefined;
  /** Exchanges whose response has not left the process. */
  #underWay = 0;
  #isEnding = false;

  constructor(socket: Socket, lingerMilliseconds: number) {
    this.socket = socket;
    this.#lingerMilliseconds = lingerMilliseconds;
  }

  /** The one that it works on, or has worked on last. */
  get newest(): Exchange | undefined {
    return this.#newest;
  }

  get isBusy(): boolean {
    return this.#underWay > 0;
  }

  get isIdle(): boolean {
    return !this.isBusy && !this.#isEnding;
  }

  /** One at a time; but a response may have reached the client before Node reports that it was sent. */
  get mayTakeRequest(): boolean {
    const isWritten = this.#underWay === 1 && this.#newest?.response.writableEnded === true;
    return !this.#isEnding && (!this.isBusy || isWritten);
  }

  async take(exchange: Exchange): Promise<void> {
    this.#newest = exchange;
    this.#underWay += 1;
    await exchange.responseClosed;
    this.#underWay -= 1;
    if (this.isBusy) return;
    this.#newest = undefined;
    if (this.#isEnding) this.linger();
  }

  /** Tells the client that the response under way is the last one, if it still can. */
  announceEnd(): void {
    if (this.#newest?.response.headersSent === false) this.#newest.response.setHeader("Connection", "close");
  }

  /** Works on nothing more, and lingers after the response under way. Node reads on, though, after a whole request. */
  endAfterResponse(): void {
    this.#isEnding = true;
    this.announceEnd();
    this.socket.pause();
    stopParsing(this.socket);
  }

  /**
   * Responds to what Node has refused to make a request of: after the response that is under way there is none, since a
   * second one would be read as a part of it.
   *
   * @param last the whole response
   */
  refuse(last: string): void {
    const hasBegun = this.isBusy && (this.#newest?.request.complete || this.#newest?.response.headersSent);
    if (hasBegun) this.endAfterResponse();
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
