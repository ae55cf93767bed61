import { makeMemoryRepositories } from "../fakes/memory-repositories.ts";
import { repositoryContract } from "./repositories.ts";
import { trailContract } from "./trail.ts";

const open = async () => ({ ...makeMemoryRepositories(), close: async () => {} });

repositoryContract("in memory", open);
trailContract("in memory", open);
