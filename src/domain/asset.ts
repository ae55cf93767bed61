import { readActive } from "./activity.ts";
import { nonBlank, optional, textBetween, trimmedBetween, type Values } from "./field.ts";

/** An asset as clients see it. */
export interface Asset {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly active: boolean;
  /** `performedDate` of the newest log; null without logs, and in lists. */
  readonly lastLogDate: string | null;
}

/** Body of `POST /assets`. */
export const newAssetFields = {
  name: nonBlank(trimmedBetween("Name", 1, 100)),
  description: optional(textBetween("Description", 0, 2_000), ""),
  active: optional(readActive, true),
};
export type NewAsset = Values<typeof newAssetFields>;
