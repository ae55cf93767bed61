import { invalid } from "./error.ts";
import { optional, rule, type Values, wordOf } from "./field.ts";

const refusal = "Invalid active value: write true or false";
const readActiveWord = wordOf(["true", "false"], refusal);

/** The `active` flag of a body. */
export const readActive = rule({ type: "boolean" }, (value): boolean => {
  if (typeof value !== "boolean") throw invalid(refusal);
  return value;
});

/** Query of the lists that can be narrowed to active or inactive records. */
export const activityFilterFields = {
  active: optional(
    rule({ type: "boolean" }, value => readActiveWord(value) === "true"),
    undefined,
  ),
};
export type ActivityFilter = Values<typeof activityFilterFields>;
