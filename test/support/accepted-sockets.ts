import diagnostics from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** The sockets that servers of this process have accepted, by their ports: held as little as a bystander holds them. */
const acceptedOn = new Map<number, WeakRef<Socket>[]>();

diagnostics.subscribe("net.server.socket", message => {
  const { socket } = message as { readonly socket: Socket };
  const accepted = acceptedOn.get(socket.localPort ?? 0) ?? [];
  acceptedOn.set(socket.localPort ?? 0, accepted);
  accepted.push(new WeakRef(socket));
});

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** The sockets on a port that are not closed, whatever the server counts. */
export const openSockets = (port: number): readonly Socket[] =>
  (acceptedOn.get(port) ?? [])
    .map(accepted => accepted.deref())
    .filter(socket => socket?.destroyed === false) as Socket[];

/** The next server may get the same port. */
export const forgetSockets = (port: number): boolean => acceptedOn.delete(port);

/** How many sockets of a port something still refers to, closed ones too. */
export function heldSockets(port: number): number {
  collectGarbage();
  return (acceptedOn.get(port) ?? []).filter(accepted => accepted.deref() !== undefined).length;
}
