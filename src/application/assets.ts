import type { ActivityFilter } from "../domain/activity.ts";
import type { Asset, NewAsset } from "../domain/asset.ts";
import type { JsonList } from "./json-list.ts";
import type { Ports } from "./ports.ts";

export function makeAssets({ assets }: Pick<Ports, "assets">) {
  return {
    list: (filter: ActivityFilter): JsonList<Asset> => assets.list(filter),

    /** Throws NOT_FOUND. */
    find: (id: number): Promise<Asset> => assets.find(id),

    create: (asset: NewAsset): Promise<Asset> => assets.insert(asset),

    /** Throws NOT_FOUND. */
    activate: (id: number): Promise<void> => assets.setActive(id, true),

    /** Throws NOT_FOUND. */
    deactivate: (id: number): Promise<void> => assets.setActive(id, false),
  };
}

export type Assets = ReturnType<typeof makeAssets>;
