import { once } from "node:events";
import { createServer } from "node:net";

export interface Ports {
  readonly PORT: string;
  readonly OPS_PORT: string;
}

/** PORT and OPS_PORT as they are set, else 7070 and the port after PORT. */
export function chosenPorts(environment: NodeJS.ProcessEnv): Ports {
  const { PORT: port = "7070" } = environment;
  const next = /^[1-9]\d{0,4}$/.test(port) ? String(Number(port) + 1) : port;
  return { PORT: port, OPS_PORT: environment["OPS_PORT"] ?? next };
}

/**
 * Asks before anything is started, so that a busy port costs no time.
 *
 * @param target of make, for the remedy
 */
export async function refuseBusyPorts(ports: Ports, environment: NodeJS.ProcessEnv, target: string) {
  const hosts = { PORT: environment["HOST"], OPS_PORT: environment["OPS_HOST"] };
  for (const name of ["PORT", "OPS_PORT"] as const) {
    if (!(await isBusy(Number(ports[name]), hosts[name] ?? "127.0.0.1"))) continue;
    const free = Number(ports.PORT) + 10;
    throw new Error(
      `port ${ports[name]} is in use by another process. ` +
        `PORT=${free} make ${target} takes port ${free}, and ${free + 1} for the operations page`,
    );
  }
}

/** Whatever else is wrong with the port or the host is for the service to say. */
async function isBusy(port: number, host: string): Promise<boolean> {
  const probe = createServer();
  try {
    probe.listen(port, host);
    await once(probe, "listening");
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EADDRINUSE";
  } finally {
    probe.close();
  }
}
