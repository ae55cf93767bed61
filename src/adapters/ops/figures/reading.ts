import type { CertificateState, HttpLoad, PoolLoad, TurnLoad } from "../../../application/figures.ts";
import type { TrailState } from "../../../application/trail/trail.ts";
import type { RequestFigures } from "./request-meter.ts";
import type { Runtime } from "./runtime.ts";

/** All figures of the service at one moment, without its readiness. */
export interface Reading extends RequestFigures {
  readonly at: Date;
  readonly version: string;
  /** Since the start. */
  readonly droppedLogLines: number;
  readonly http: HttpLoad;
  /** Undefined without TLS. */
  readonly certificate: CertificateState | undefined;
  readonly database: PoolLoad;
  readonly passwords: TurnLoad;
  readonly trail: TrailState;
  readonly runtime: Runtime;
}
