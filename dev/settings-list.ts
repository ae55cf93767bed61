import { everySetting } from "../src/config/settings.ts";

/** The list of docs/commands.md. */
export const settingsList = (): string =>
  everySetting
    .map(({ name, about, fallback, isOptional }) => {
      const otherwise =
        fallback === undefined ? (isOptional ? "optional" : "required") : `default \`${fallback}\``;
      return `- \`${name}\` (${otherwise}): ${about}`;
    })
    .join("\n");
