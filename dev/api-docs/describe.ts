import { makeRoutes, type UseCases } from "../../src/adapters/http/api/routes.ts";
import { openApiOf } from "./openapi/openapi.ts";

/** The OpenAPI document of the route table: of routes that are described and never run. */
export const describeApi = () => openApiOf(makeRoutes({} as UseCases));

/** The body of `GET /openapi.json`. */
export const openApiText = (): string => `${JSON.stringify(describeApi(), null, 2)}\n`;
