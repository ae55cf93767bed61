import type { TrailReader } from "../../../application/trail/reader.ts";
import { invalid } from "../../../domain/error.ts";
import { described, optional, rule } from "../../../domain/field.ts";
import { readLimit } from "../../../domain/maintenance-log.ts";
import { bytes, guarded, json, list, plainText, type Route } from "./route.ts";

const trailPath = "/api/v1/trail";

const readFrom = rule({ type: "integer", minimum: 0 }, (value): number => {
  const from = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : -1;
  if (from < 0) throw invalid("Invalid from value");
  return from;
});

const entriesFields = {
  from: described(
    "The index of the first entry. Other values: 400 `Invalid from value`.",
    optional(readFrom, 0),
  ),
  limit: described(
    "How many entries at most, 1 to 1000. Other values: 400 `Invalid limit value`.",
    optional(readLimit, 100),
  ),
};

/** The provable trail, for any employee. `trail` is undefined where routes are described and never run. */
export const makeTrailRoutes = (trail: TrailReader): readonly Route[] => [
  guarded("GET", trailPath, "AUTHENTICATED", {
    name: "getTrail",
    summary: "The newest checkpoint of the provable trail",
    description: "A checkpoint is signed about a second after the trail has grown.",
    answer: { one: "TrailHead" },
    run: () => json(trail.head()),
  }),
  guarded("GET", `${trailPath}/checkpoint`, "AUTHENTICATED", {
    name: "getCheckpoint",
    summary: "The newest checkpoint as a signed note",
    description: "As in C2SP tlog-checkpoint. 404 while there is none, and where the trail is not signed.",
    answer: { type: "text/plain", schema: { type: "string" } },
    refusals: ["NOT_FOUND"],
    run: () => plainText(trail.checkpoint()),
  }),
  guarded("GET", `${trailPath}/tile/{path}`, "AUTHENTICATED", {
    name: "getTile",
    summary: "A tile of hashes, or a bundle of entries",
    description:
      "As in C2SP tlog-tiles, so that its tools can read the trail. `<L>/<N>` is a tile: 256 hashes of 32 bytes, or `W` of them with `.p/<W>` at the end. `entries/<N>` is a bundle: each entry after its length in two bytes. 404 past the newest checkpoint.",
    answer: { type: "application/octet-stream", schema: {} },
    refusals: ["NOT_FOUND", "GONE"],
    run: async ({ path }) => bytes(await trail.tile(path)),
  }),
  guarded("GET", `${trailPath}/entries`, "AUTHENTICATED", {
    name: "listTrailEntries",
    summary: "Entries of the trail in their order",
    description:
      "All records in the order of their numbers, each once, as far as the newest checkpoint. The answer always has a link to what follows, also at the end, so that a client can follow the trail for ever.",
    answer: { listOf: "TrailEntry" },
    answerHeaders: { Link: '`<…>; rel="next"`, always' },
    query: entriesFields,
    refusals: ["GONE"],
    run: ({ query: { from, limit } }) => {
      const entries = trail.entries(from, limit);
      return list(entries.list, [
        "Link",
        `<${trailPath}/entries?from=${entries.next}&limit=${limit}>; rel="next"`,
      ]);
    },
  }),
  guarded("GET", "/api/v1/logs/{id}/proof", "AUTHENTICATED", {
    name: "getLogProof",
    summary: "The proof that a log is in the trail",
    description:
      "As in C2SP tlog-proof; its `extra` line is the base64 of the entry. Keep it with the log. 404 with `Retry-After: 1` until a checkpoint covers the log, and 404 where the trail is not signed. 410 where the log is not what was signed any more.",
    answer: { type: "text/plain", schema: { type: "string" } },
    refusals: ["NOT_FOUND", "GONE"],
    run: async ({ id }) => plainText(await trail.proof(id)),
  }),
];
