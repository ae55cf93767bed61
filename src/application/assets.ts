import type { NewAsset } from "../domain/asset.ts";
import type { Caller, Ports } from "./ports.ts";

export type Assets = ReturnType<typeof makeAssets>;

export const makeAssets = ({ assets }: Pick<Ports, "assets">) => ({
  list: assets.list,
  find: assets.find,
  create: (caller: Caller, asset: NewAsset) => assets.insert(asset, caller),
  setActive: (caller: Caller, id: number, active: boolean) => assets.setActive(id, active, caller),
});
