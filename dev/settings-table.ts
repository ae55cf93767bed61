import { everySetting } from "../src/config/settings.ts";

/** The table of docs/commands.md. */
export const settingsTable = (): string =>
  [
    "| Setting | Default | What it is for |",
    "|---|---|---|",
    ...everySetting.map(({ name, about, fallback, isOptional }) => {
      const otherwise = fallback === undefined ? (isOptional ? "none" : "required") : `\`${fallback}\``;
      return `| \`${name}\` | ${otherwise} | ${about} |`;
    }),
  ].join("\n");
