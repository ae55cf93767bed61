import type { Environment } from "../config/read-settings.ts";
import { CommandError, exitCodes } from "./command.ts";

/**
 * The listening socket that systemd passed to this very process, if it did (sd_listen_fds(3)): it outlives the process,
 * so that clients wait in its queue while the service restarts.
 */
export function inheritedSocket(environment: Environment, processId: number): number | undefined {
  const { LISTEN_PID: pid, LISTEN_FDS: count } = environment;
  // Meant for another process, from which this one has its environment.
  if (count === undefined || pid !== String(processId)) return undefined;
  if (count !== "1")
    throw new CommandError(exitCodes.settings, "LISTEN_FDS is not 1: one socket is expected");
  // The first descriptor after those of standard input, output and error.
  return 3;
}

/** Throws CommandError when there can be no listening there. */
export async function orRefuse(listening: Promise<number>, place: string): Promise<number> {
  try {
    return await listening;
  } catch (error) {
    throw new CommandError(exitCodes.failure, `cannot listen on ${place}: ${(error as Error).message}`);
  }
}
