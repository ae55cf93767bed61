import { connect } from "node:net";

/**
 * The clients of a measurement, in a process of their own so that their work is not counted as the service's. Each sends
 * one request, waits for the whole answer, and sends the next, over one connection.
 */
export interface Orders {
  readonly port: number;
  /** Whole requests, taken in turn. */
  readonly requests: readonly string[];
  readonly connections: number;
  readonly seconds: number;
  readonly expectedStatus: number;
}

export interface Report {
  readonly requests: number;
  readonly seconds: number;
  readonly errors: number;
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
}

process.once("message", (orders: Orders) => {
  run(orders).then(report => process.send?.(report, () => process.disconnect()));
});

async function run(orders: Orders): Promise<Report> {
  const requests = orders.requests.map(request => Buffer.from(request));
  const times: number[] = [];
  let turn = 0;
  let errors = 0;
  const began = performance.now();
  const ends = began + orders.seconds * 1_000;

  const client = () =>
    new Promise<void>(resolve => {
      const answer = makeAnswer();
      let sentAt = 0;
      let isDone = false;
      const socket = connect({ port: orders.port, host: "127.0.0.1", noDelay: true });
      const send = () => {
        sentAt = performance.now();
        isDone = sentAt >= ends;
        if (isDone) return void socket.end();
        socket.write(requests[turn++ % requests.length] as Buffer);
      };
      socket.on("connect", send);
      socket.on("data", chunk => {
        const status = answer.take(chunk);
        if (status === undefined) return;
        times.push(performance.now() - sentAt);
        if (status !== orders.expectedStatus) errors += 1;
        send();
      });
      socket.on("error", () => {});
      socket.on("close", () => {
        // A connection that the server ends is an answer that never came.
        if (!isDone) errors += 1;
        resolve();
      });
    });

  await Promise.all(Array.from({ length: orders.connections }, client));
  const seconds = (performance.now() - began) / 1_000;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor((times.length - 1) * share)] ?? 0;
  return { requests: times.length, seconds, errors, p50Milliseconds: at(0.5), p99Milliseconds: at(0.99) };
}

const headEnd = Buffer.from("\r\n\r\n");
const lastChunk = "0\r\n\r\n";

/** Answers the status once an answer is whole; there is never more than one under way. */
function makeAnswer() {
  let head: Buffer | undefined;
  let status = 0;
  /** Bytes of the body yet to come; without a length, its end is that of the last chunk. */
  let missing: number | undefined;
  let tail = "";

  return {
    take(chunk: Buffer): number | undefined {
      let body = chunk;
      if (status === 0) {
        head = head === undefined ? chunk : Buffer.concat([head, chunk]);
        const end = head.indexOf(headEnd);
        if (end < 0) return undefined;
        const text = head.toString("latin1", 0, end);
        status = Number(text.slice(9, 12));
        const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
        missing = length === undefined ? undefined : Number(length);
        body = head.subarray(end + headEnd.length);
      }
      if (missing !== undefined) missing -= body.length;
      else tail = (tail + body.toString("latin1", Math.max(0, body.length - lastChunk.length))).slice(-5);
      if (missing === undefined ? tail !== lastChunk : missing > 0) return undefined;
      const whole = status;
      [head, status, missing, tail] = [undefined, 0, undefined, ""];
      return whole;
    },
  };
}
