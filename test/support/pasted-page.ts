import { readFileSync } from "node:fs";

/** The chapters of a page that have something to paste into a shell. */
export const chaptersOf = (path: string) =>
  readFileSync(path, "utf8")
    .split(/^## /m)
    .map(text => ({
      title: text.slice(0, text.indexOf("\n")),
      // Those of a numbered step are indented.
      blocks: [...text.matchAll(/^( *)```sh\n([\s\S]*?)^\1```$/gm)].map(([, indent = "", block = ""]) =>
        block.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      ),
    }))
    .filter(({ blocks }) => blocks.length > 0);

export const password = "correct horse";

/** What a block asks for at prompts, as its last line. */
export const typedInto = (block: string) =>
  /maintenance-log create-admin.*\n$/.test(block)
    ? ([
        ["Password: ", password],
        ["Password again: ", password],
      ] as const)
    : [];
