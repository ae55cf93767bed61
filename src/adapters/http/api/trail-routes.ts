import type { PublishedTrail } from "../../../application/trail/publishing.ts";
import { invalid } from "../../../domain/error.ts";
import { optional, rule } from "../../../domain/field.ts";
import { readLimit } from "../../../domain/maintenance-log.ts";
import { bytes, guarded, json, list, plainText, type Route } from "./route.ts";

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
export const makeTrailRoutes = (trail: PublishedTrail): readonly Route[] => [
  guarded("GET", trailPath, "AUTHENTICATED", {
    summary: "The newest checkpoint of the provable trail",
    run: () => json(trail.head()),
  }),
  guarded("GET", `${trailPath}/checkpoint`, "AUTHENTICATED", {
    summary: "The newest checkpoint as a signed note",
    run: () => plainText(trail.checkpoint()),
  }),
  guarded("GET", `${trailPath}/tile/{path}`, "AUTHENTICATED", {
    summary: "A tile of hashes, or a bundle of entries",
    run: async ({ path }) => bytes(await trail.tile(path)),
  }),
  guarded("GET", `${trailPath}/entries`, "AUTHENTICATED", {
    summary: "Entries of the trail in their order",
    query: entriesFields,
    run: async ({ query: { from, limit } }) => {
      const entries = await trail.entries(from, limit);
      return list(entries.list, {
        Link: `<entries?from=${entries.next}&limit=${limit}>; rel="next"`,
      });
    },
  }),
  guarded("GET", "/api/v1/logs/{id}/proof", "AUTHENTICATED", {
    summary: "The proof that a log is in the trail",
    run: async ({ id }) => plainText(await trail.proof(id)),
  }),
];
