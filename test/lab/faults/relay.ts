import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { stablePort } from "./processes.ts";

export type Relay = Awaited<ReturnType<typeof startRelay>>;

/** Stands between two ends of TCP, and can lose whatever passes without telling either of them. */
export async function startRelay(target: number) {
  const open = new Set<Socket>();
  const stale = new Set<Socket>();
  let dropping = false;

  const keep = (socket: Socket) => {
    open.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => {
      open.delete(socket);
      stale.delete(socket);
    });
    if (dropping) stale.add(socket);
  };

  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, near => {
    keep(near);
    if (dropping) return;
    const far = connect({ port: target, host: "127.0.0.1", allowHalfOpen: true });
    keep(far);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      // Not pipe(): a stale connection must not pass on its end either.
      from.on("data", chunk => void (stale.has(from) || to.write(chunk)));
      from.once("end", () => void (stale.has(from) || to.end()));
      from.once("close", () => void (stale.has(from) || to.destroy()));
    }
    near.resume();
  });
  const port = await stablePort();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    port,
    /** From now on nothing passes, and nobody is told; new connections are taken and lead nowhere. */
    drop() {
      dropping = true;
      for (const socket of open) {
        stale.add(socket);
        socket.pause();
      }
    },
    /** New connections pass again; those from before never will. */
    heal() {
      dropping = false;
    },
    /** How many connections lead nowhere. */
    stale: () => stale.size,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
