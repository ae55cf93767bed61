import {
  type IdentityFiles,
  readTlsIdentity,
  type TlsIdentity,
} from "../adapters/http/server/tls-identity.ts";
import { systemClock } from "../adapters/system-clock.ts";
import type { EventLog } from "../application/clock-and-log.ts";
import type { CertificateState } from "../application/figures.ts";
import { CommandError, exitCodes } from "./command.ts";

/** Undefined without files. Throws CommandError for files that cannot be used. */
export function readIdentity(files: IdentityFiles): TlsIdentity | undefined {
  try {
    return readTlsIdentity(files, systemClock.now());
  } catch (error) {
    throw new CommandError(exitCodes.settings, (error as Error).message);
  }
}

/** The certificate of a running service. It stays in use when the files that are read later are wrong. */
export class ServedCertificate {
  current: TlsIdentity;
  #isRenewalFailed = false;
  readonly #files: IdentityFiles;

  constructor(files: IdentityFiles, first: TlsIdentity) {
    this.#files = files;
    this.current = first;
  }

  state(): CertificateState {
    const { validTo } = this.current;
    return { validToSeconds: Date.parse(validTo) / 1_000, isRenewalFailed: this.#isRenewalFailed };
  }

  renew(events: EventLog, use: (identity: TlsIdentity) => void): void {
    try {
      const found = readIdentity(this.#files) ?? this.current;
      const isNew = found.cert !== this.current.cert || found.key !== this.current.key;
      if (isNew) use(found);
      this.current = found;
      this.#isRenewalFailed = false;
      if (isNew) events.info("certificate renewed", { validTo: found.validTo });
    } catch (error) {
      this.#isRenewalFailed = true;
      events.error("certificate not renewed", { cause: (error as Error).message });
    }
  }
}
