import { makeRoutes, type UseCases } from "./adapters/http/api/routes.ts";
import { makeClientAddress, type TrustedProxies } from "./adapters/http/request/client-address.ts";
import { type AllowedOrigins, makeCors } from "./adapters/http/request/cors.ts";
import { type HttpLimits, httpLimits } from "./adapters/http/request/limits.ts";
import { type HttpServer, makeHttpServer } from "./adapters/http/server/server.ts";
import type { TlsIdentity } from "./adapters/http/server/tls-identity.ts";
import { makeAuthentication } from "./application/authentication.ts";
import { makeEmployees } from "./application/employees.ts";
import type { RequestMeter } from "./application/figures.ts";
import { makeLoginThrottle } from "./application/login-throttle.ts";
import { makeMaintenanceLogs } from "./application/maintenance-logs.ts";
import type { Ports } from "./application/ports.ts";
import { makeSessions, type Sessions } from "./application/sessions.ts";
import type { PublishedTrail } from "./application/trail/publishing.ts";

export function makeUseCases(ports: Ports, trail: PublishedTrail, sessions: Sessions): UseCases {
  const parts = { ...ports, sessions, throttle: makeLoginThrottle(ports.clock) };
  const authentication = makeAuthentication(parts);
  return {
    authentication,
    employees: makeEmployees({ ...parts, authentication }),
    assets: ports.assets,
    maintenanceLogs: makeMaintenanceLogs(ports),
    trail,
  };
}

interface HttpSettings {
  readonly allowedOrigins: AllowedOrigins;
  readonly trustedProxies: TrustedProxies;
  /** Without one the server speaks plain HTTP. */
  readonly identity?: TlsIdentity | undefined;
  /** Other bounds than those of the service. */
  readonly limits?: Partial<HttpLimits>;
}

/** Ports to use cases to the route table to the server: the same for the service and for its tests. */
export function makeApp(
  ports: Ports,
  trail: PublishedTrail,
  settings: HttpSettings,
  meter?: RequestMeter,
): HttpServer {
  const sessions = makeSessions(ports);
  const api = {
    routes: makeRoutes(makeUseCases(ports, trail, sessions)),
    sessions,
    cors: makeCors(settings.allowedOrigins),
    addressOf: makeClientAddress(settings.trustedProxies, () =>
      ports.events.warn("X-Forwarded-For is ignored", { reason: "TRUSTED_PROXIES names no proxy" }),
    ),
    events: ports.events,
    clock: ports.clock,
    meter,
  };
  return makeHttpServer(api, { ...httpLimits, ...settings.limits }, settings.identity);
}
