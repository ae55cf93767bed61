import { makeRoutes, type RouteKey, type UseCases } from "../../src/adapters/http/api/routes.ts";
import { openApiOf } from "./openapi/openapi.ts";
import { operations } from "./openapi/operations.ts";

/** The routes with their words, to be described and never run. */
export const describedRoutes = makeRoutes({} as UseCases).map(route => ({
  ...route,
  ...operations[`${route.method} ${route.path}` as RouteKey],
}));

/** The OpenAPI document of the route table. */
export const describeApi = () => openApiOf(describedRoutes);

/** The body of `GET /openapi.json`. */
export const openApiText = (): string => `${JSON.stringify(describeApi(), null, 2)}\n`;
