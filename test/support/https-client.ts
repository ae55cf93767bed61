import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { once } from "./until.ts";

/** Asks a server for a preflight, trusting this authority only and on a connection of its own. */
export async function askByTls(port: number, ca: string): Promise<IncomingMessage> {
  const target = { host: "127.0.0.1", servername: "localhost", port };
  const outgoing = request({ ...target, method: "OPTIONS", ca, agent: false });
  const [response] = (await once(outgoing.end(), "response")) as [IncomingMessage];
  response.resume();
  return response;
}
