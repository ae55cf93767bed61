import type { Socket } from "node:net";
import type { HttpError } from "../../protocol/error-response.ts";
import type { Exchange } from "../request/exchange.ts";

/**
 * A connection of a client, with TLS from the end of the handshake on. It works on one request at a time.
 *
 * | State | What it holds | Next state |
 * |---|---|---|
 * | idle | at most a part of the head of a request | busy with a whole head; lingering when the head is malformed, late (the first one: 10 s after the connection began), or that of CONNECT |
 * | busy | an exchange, and at most the head of the next request | ending when another request begins or is malformed, or the body is malformed or late; after the response lingering where the response began before the whole body had arrived, else idle |
 * | ending | the same; nothing more is read | lingering after the response |
 * | lingering | nothing: the socket stays open so that the client reads the last response | closed after a second; at once, by Node, where that response had `Connection: close` |
 *
 * From any state it becomes closed: by the client; by Node after a response with `Connection: close`; by the service when it was
 * silent for 65 s after a response, when nothing moves for 60 s before the end of one, at a CONNECT while busy, when a list fails, when a response has to make room, and at a stop.
 */
export class HttpConnection {
  readonly socket: Socket;
  readonly #lingerMilliseconds: number;
  readonly #handle: (exchange: Exchange) => Promise<void>;
  #state: "idle" | "busy" | "ending" | "lingering" = "idle";
  /** What a busy or ending connection works on. */
  exchange: Exchange | undefined;

  /** @param handle works on a request, and writes its response; never fails */
  constructor(socket: Socket, lingerMilliseconds: number, handle: (exchange: Exchange) => Promise<void>) {
    this.socket = socket;
    this.#lingerMilliseconds = lingerMilliseconds;
    this.#handle = handle;
  }

  get isIdle(): boolean {
    return this.#state === "idle";
  }

  /**
   * From the head of a request until its response has left the process, or its client has gone. The connection has to be idle.
   *
   * @param announcesEnd whether the response says that it is the last one of the connection, which Node then closes
   */
  async workOn(exchange: Exchange, announcesEnd: boolean): Promise<void> {
    this.#state = "busy";
    this.exchange = exchange;
    if (announcesEnd) this.announceEnd();
    await this.#handle(exchange);
    // Until here the socket is read, since only that shows that the client has gone. While the client takes the response, further requests
    // stay in the kernel.
    if (this.socket.writableLength > 0) this.socket.pause();
    await exchange.responseClosed;
    exchange.share.close();
    this.exchange = undefined;
    if (this.#state === "busy" && !exchange.leavesRest) {
      this.#state = "idle";
      this.socket.resume();
    } else this.linger();
  }

  /** The response under way is the last one: the client sends its next request again on another connection (RFC 9112, section 9.3.2). */
  end(): void {
    if (this.#state !== "busy") return;
    this.#state = "ending";
    this.announceEnd();
    // Node resumes a socket when a request is whole, and when a response is taken.
    this.socket.on("resume", () => this.socket.pause()).pause();
    stopParsing(this.socket);
  }

  /** Tells the client that the response is the last one, if it still can. */
  announceEnd(): void {
    if (this.exchange?.response.headersSent === false)
      this.exchange.response.setHeader("Connection", "close");
  }

  /**
   * Responds to bytes that Node could not parse as a request, or to a request that did not arrive in time. If one is under way,
   * the only response is that of its exchange, which knows whether the request has had an effect.
   *
   * @param last the whole response where there is no exchange
   */
  refuse(refusal: HttpError, last: string): void {
    if (this.exchange === undefined) this.linger(last);
    else {
      if (!this.exchange.request.complete) this.exchange.refuse(refusal);
      this.end();
    }
  }

  /** Closing a socket with unread bytes resets it, and the client might lose the response (RFC 9112, section 9.6). */
  linger(last = ""): void {
    this.#state = "lingering";
    if (last !== "") this.socket.write(last);
    if (this.socket.writable) this.socket.end();
    setTimeout(() => this.socket.destroy(), this.#lingerMilliseconds).unref();
  }
}

/**
 * Stops Node's parser within the 64 KiB that it has read, which can hold 3,600 requests. Node keeps the objects of each request
 * until the connection ends, even if the request is destroyed: 200 such connections take 100 MiB, and 1,257 MiB without this.
 *
 * This is the one undocumented interface of Node that the service uses. Node keeps parsers in a pool, but sets this
 * function anew for each connection, so nothing of it reaches the next one.
 */
function stopParsing({ parser }: Socket & { readonly parser?: Parser | null }): void {
  if (!parser) return;
  parser.onIncoming = request => {
    // 2 tells the parser that no HTTP follows. With `upgrade` set, Node would also remove its listener for errors.
    request.upgrade = false;
    return 2;
  };
}

type Parser = { onIncoming: (request: { upgrade: boolean }) => number };
