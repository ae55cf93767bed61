import { type IdentityFiles, readServerIdentity, type ServerIdentity } from "../adapters/server-identity.ts";
import { systemClock } from "../adapters/system-clock.ts";
import type { EventLog } from "../application/process.ts";
import { CommandError, exitCodes } from "./command.ts";

/** Undefined without files. Throws CommandError for files that cannot be used. */
export function readIdentity(files: IdentityFiles): ServerIdentity | undefined {
  try {
    return readServerIdentity(files, systemClock.now());
  } catch (error) {
    throw new CommandError(exitCodes.settings, (error as Error).message);
  }
}

/** Reads the files again each time it is called. The certificate that was read before stays in use when they are wrong. */
export function makeIdentityRenewal(
  files: IdentityFiles,
  first: ServerIdentity,
  events: EventLog,
  renew: (identity: ServerIdentity) => void,
): () => void {
  let current = first;
  return () => {
    try {
      const found = readIdentity(files);
      if (found === undefined || (found.cert === current.cert && found.key === current.key)) return;
      renew(found);
      current = found;
      events.info("certificate renewed", { validTo: found.validTo });
    } catch (error) {
      events.error("certificate not renewed", { cause: (error as Error).message });
    }
  };
}
