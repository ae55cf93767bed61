import { createRequire } from "node:module";

/**
 * `node:http`, required: an import statement reads each of its exports, and some of them load Node's client for the web,
 * which costs 14 MB of memory and half of the time that the service takes to start.
 */
export const { createServer, STATUS_CODES } = createRequire(import.meta.url)(
  "node:http",
) as typeof import("node:http");
