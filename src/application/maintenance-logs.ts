import { keyReused, notFound, performerUnknown, tokenRevoked } from "../domain/error.ts";
import { isLogOf, type NewLog } from "../domain/maintenance-log.ts";
import type { Caller, Ports } from "./ports.ts";

export type MaintenanceLogs = ReturnType<typeof makeMaintenanceLogs>;

export const makeMaintenanceLogs = ({
  maintenanceLogs: { append, ...reads },
}: Pick<Ports, "maintenanceLogs">) => ({
  ...reads,

  /**
   * Writes a log, with the caller as its performer. The caller sends the same key again to find the log that it wrote,
   * whatever became of the first response, and to write no second one.
   *
   * @returns the log, and whether an earlier request with the same key had written it
   * @throws UNAUTHENTICATED when no employee has the caller's id and email, TOKEN_REFUSED when the token was revoked
   *   meanwhile, NOT_FOUND when there is no such asset, UNPROCESSABLE when the key is that of another log
   */
  async write(caller: Caller, assetId: number, log: NewLog, idempotencyKey?: string) {
    const appended = await append(assetId, caller, log, idempotencyKey);
    switch (appended.outcome) {
      case "no performer":
        throw performerUnknown();
      case "revoked":
        throw tokenRevoked();
      case "no asset":
        throw notFound("Asset");
      case "written":
        return { log: appended.log, isReplay: false };
      case "key in use":
        if (!isLogOf(appended.log, assetId, log)) throw keyReused();
        return { log: appended.log, isReplay: true };
    }
  },
});
