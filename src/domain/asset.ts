import { readActive } from "./activity.ts";
import { nonBlank, optional, textBetween, trimmedBetween, type Values } from "./field.ts";
import { newLogFields } from "./maintenance-log.ts";
import { allRecorded, computed, id, orNull, type RecordOf, recorded } from "./record.ts";

/** Body of `POST /assets`. */
export const newAssetFields = {
  name: nonBlank(trimmedBetween("Name", 1, 100)),
  description: optional(textBetween("Description", 0, 2_000), ""),
  active: optional(readActive, true),
};
export type NewAsset = Values<typeof newAssetFields>;

/** An asset as clients see it. */
export const assetProperties = {
  id: recorded(id),
  ...allRecorded(newAssetFields),
  /** `performedDate` of the newest log; null without logs, and in lists. */
  lastLogDate: computed(orNull(newLogFields.performedDate)),
};
export type Asset = RecordOf<typeof assetProperties>;
