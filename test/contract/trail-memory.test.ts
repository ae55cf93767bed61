import { makeMemoryRepositories } from "../fakes/memory-repositories.ts";
import { trailContract } from "./trail.ts";

trailContract("in memory", async () => ({ ...makeMemoryRepositories(), close: async () => {} }));
