import { createRequire } from "node:module";

/**
 * `node:http`, required: an import statement reads each of its exports, and from Node 24 on some of them load Node's client
 * for the web, which costs 4 MB and a fifth of the CPU time of a start.
 */
export const { createServer, STATUS_CODES } = createRequire(import.meta.url)(
  "node:http",
) as typeof import("node:http");
