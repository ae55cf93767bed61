import { type IdentityFiles, readServerIdentity, type ServerIdentity } from "../adapters/server-identity.ts";
import { systemClock } from "../adapters/system-clock.ts";
import type { EventLog } from "../application/ports.ts";
import { CommandError, exitCodes } from "./command.ts";

const lookMilliseconds = 60_000;

interface Settings {
  readonly certificateFile: string | undefined;
  readonly keyFile: string | undefined;
}

/**
 * The certificate and key that the settings name; undefined when they name none.
 *
 * @throws CommandError when a client would have to refuse them, or the key is open to every user
 */
export function readIdentity(settings: Settings): ServerIdentity | undefined {
  const files = filesOf(settings);
  if (files === undefined) return undefined;
  try {
    return readServerIdentity(files, systemClock.now());
  } catch (error) {
    throw new CommandError(exitCodes.settings, `TLS: ${(error as Error).message}`);
  }
}

function filesOf({ certificateFile, keyFile }: Settings): IdentityFiles | undefined {
  if (certificateFile !== undefined && keyFile !== undefined) return { certificateFile, keyFile };
  if (certificateFile === undefined && keyFile === undefined) return undefined;
  throw new CommandError(exitCodes.settings, "TLS_CERTIFICATE_FILE and TLS_KEY_FILE belong together");
}

/** Looks for new files on SIGHUP and once a minute. Returns how to stop that. */
export function followIdentity(
  settings: Settings,
  first: ServerIdentity,
  events: EventLog,
  renew: (identity: ServerIdentity) => void,
): { look(): void; stop(): void } {
  let current = first;
  let complaint = "";
  const look = (): void => {
    try {
      const found = readIdentity(settings);
      complaint = "";
      if (found === undefined || (found.cert === current.cert && found.key === current.key)) return;
      renew(found);
      current = found;
      events.info("certificate renewed", { validTo: found.validTo });
    } catch (error) {
      const { message } = error as Error;
      // Once, not each minute. The certificate that was read before stays in use.
      if (message !== complaint) events.error("certificate not renewed", { cause: message });
      complaint = message;
    }
  };
  const timer = setInterval(look, lookMilliseconds).unref();
  return { look, stop: () => clearInterval(timer) };
}
