import { readActive } from "./activity.ts";
import { described, nonBlank, optional, textBetween, trimmedBetween, type Values } from "./field.ts";

/** An asset as clients see it (specification, section 2.6). */
export interface Asset {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly active: boolean;
  /** `performedDate` of the newest log; null without logs, and in lists. */
  readonly lastLogDate: string | null;
}

/** Body of `POST /assets` (section 2.7). */
export const newAssetFields = {
  name: described(
    "What the asset is called. The service trims surrounding whitespace; 1 to 100 characters remain.",
    nonBlank("Name", trimmedBetween("Name", 1, 100)),
  ),
  description: described(
    "Anything that helps to recognise the asset, at most 2,000 characters, stored as sent.",
    optional(textBetween("Description", 0, 2_000), ""),
  ),
  active: described(
    "Whether the asset is in use. Logs can be written on an inactive asset too.",
    optional(readActive, true),
  ),
};
export type NewAsset = Values<typeof newAssetFields>;
