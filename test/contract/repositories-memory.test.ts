import { makeMemoryRepositories } from "../fakes/memory-repositories.ts";
import { repositoryContract } from "./repositories.ts";

repositoryContract("in memory", async () => ({ ...makeMemoryRepositories(), close: async () => {} }));
