import { basename } from "node:path";
import { type PromiseRow, readPromiseRows } from "../test/support/promise-rows.ts";

/** The code that keeps each promise of SECURITY.md, and the tests that hold it, in Markdown. */
export const evidencePage = (): string => `# Evidence

The code, and then the tests, of each promise of [SECURITY.md](../SECURITY.md#promises), in its order. Made by \`make docs\`.

${readPromiseRows().map(itemOf).join("")}`;

function itemOf({ beginning, keptIn, heldBy }: PromiseRow): string {
  const promise = beginning.replaceAll(/[[\]]/g, "");
  return `- **${promise}…** ${keptIn.map(linkTo).join(", ")}; ${heldBy.map(linkTo).join(", ")}\n`;
}

/** The folder of a file is in the address of the link. */
const linkTo = (path: string): string => `[${basename(path)}](../${path})`;
