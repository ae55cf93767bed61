import { dial } from "./raw-client.ts";
import { until } from "./until.ts";

interface Dripped {
  readonly method: string;
  readonly path: string;
  readonly token: string;
  readonly body: object;
  /** Whether its length is not said beforehand. */
  readonly isChunked?: boolean;
}

/**
 * A request of which all but the last byte has been sent, once the service has accepted its headers and waits for its
 * body: it answers 100 (Continue) only then.
 */
export async function startDripping(port: number, { method, path, token, body, isChunked }: Dripped) {
  const json = JSON.stringify(body);
  const payload = Buffer.from(isChunked ? `${json.length.toString(16)}\r\n${json}\r\n0\r\n\r\n` : json);
  const { socket, closed, text } = await dial(port);
  socket.setNoDelay();
  const head = [
    `${method} ${path} HTTP/1.1`,
    "Host: service",
    "Connection: close",
    "Expect: 100-continue",
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${payload.length}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  await until(() => text().includes("100 Continue") || socket.closed);
  socket.write(payload.subarray(0, -1));
  return {
    /** Sends the last byte and waits for the answer: its status line, headers and body, as text. */
    async finish() {
      socket.write(payload.subarray(-1));
      await closed();
      const final = text().slice(text().indexOf("HTTP/1.1", 1));
      return { status: Number(final.slice(9, 12)), text: final };
    },
  };
}
