import type { LogList, Repositories } from "../../src/application/ports.ts";
import { makeMemoryRepositories } from "../fakes/memory-repositories.ts";
import { aStoredAsset } from "./test-records.ts";

/** Lists of logs are of the test's own making. */
export function repositoriesListing(
  list: () => LogList,
  { ...repositories } = makeMemoryRepositories(),
): Repositories {
  return { ...repositories, maintenanceLogs: { ...repositories.maintenanceLogs, list } };
}

/** Reading an asset waits until it is let go. */
export function makeWaitingRepositories() {
  const repositories = makeMemoryRepositories();
  const held: (() => void)[] = [];
  const find = async (id: number) => {
    await new Promise<void>(resolve => held.push(resolve));
    return aStoredAsset({ id });
  };
  return {
    repositories: { ...repositories, assets: { ...repositories.assets, find } },
    held,
    letGo: () => {
      for (const go of held.splice(0)) go();
    },
  };
}
