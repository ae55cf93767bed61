import { once } from "node:events";
import { connect } from "node:net";
import { inTime } from "./until.ts";

/** A connection of our own, and what came back on it so far. A reset is as good an end as any, unless a test asks. */
export async function dial(port: number) {
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  let failure: Error | undefined;
  socket.on("error", error => {
    failure = error;
  });
  let text = "";
  socket.on("data", chunk => {
    text += chunk;
  });
  const end = new Promise<void>(resolve => socket.once("close", () => resolve()));
  await inTime("a connection", once(socket, "connect"));
  const closed = () => inTime("the end of a connection", end);
  return { socket, closed, text: () => text, failure: () => failure };
}

/** Sends bytes as they are and answers whatever comes back until the server closes the connection. */
export async function sendRaw(port: number, sent: string): Promise<string> {
  const { socket, closed, text, failure } = await dial(port);
  socket.write(sent);
  await closed();
  if (failure() !== undefined) throw failure();
  return text();
}
