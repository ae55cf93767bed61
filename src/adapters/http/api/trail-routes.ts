import type { PublishedTrail } from "../../../application/trail/publishing.ts";
import { invalid } from "../../../domain/error.ts";
import { optional, rule } from "../../../domain/field.ts";
import { readLimit } from "../../../domain/maintenance-log.ts";
import { bytes, guarded, json, list, plainText } from "./route.ts";

const trailPath = "/api/v1/trail";

const readFrom = rule({ type: "integer", minimum: 0 }, (value): number => {
  const from = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : -1;
  if (from < 0) throw invalid("Invalid from value");
  return from;
});

export const entriesFields = {
  from: optional(readFrom, 0),
  limit: optional(readLimit, 100),
};

/** The provable trail, for any employee. `trail` is undefined where routes are described and never run. */
export const makeTrailRoutes = (trail: PublishedTrail) => [
  guarded("GET", trailPath, "AUTHENTICATED", {
    run: () => json(trail.head()),
  }),
  guarded("GET", `${trailPath}/checkpoint`, "AUTHENTICATED", {
    run: () => plainText(trail.checkpoint()),
  }),
  guarded("GET", `${trailPath}/tile/{path}`, "AUTHENTICATED", {
    run: async ({ path }) => bytes(await trail.tile(path)),
  }),
  guarded("GET", `${trailPath}/entries`, "AUTHENTICATED", {
    query: entriesFields,
    run: async ({ query: { from, limit } }) => {
      const entries = await trail.entries(from, limit);
      return list(entries.list, {
        Link: `<entries?from=${entries.next}&limit=${limit}>; rel="next"`,
      });
    },
  }),
  guarded("GET", "/api/v1/logs/{id}/proof", "AUTHENTICATED", {
    run: async ({ id }) => plainText(await trail.proof(id)),
  }),
];
