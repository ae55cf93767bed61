import { basename } from "node:path";
import { type PromiseRow, readPromiseRows } from "../test/support/promise-rows.ts";

/** The code that keeps each promise of SECURITY.md, and the tests that hold it, in Markdown. */
export function evidencePage(): string {
  const rows = readPromiseRows();
  const sections = [...new Set(rows.map(({ subject }) => subject))].map(subject => {
    const cells = rows.filter(row => row.subject === subject).map(cellsOf);
    return `\n## ${subject}\n\n| Promise | Code | Tests |\n|---|---|---|\n${cells.join("")}`;
  });
  return `# Evidence

The code and the tests of each promise of [SECURITY.md](../SECURITY.md#promises), by the words with which the promise begins. \`make test-release\` plants a fault of each promise in that code, \`make test-before-release\` all of them, one at a time; they fail if none of
these tests notices. Made by \`make docs\` from \`test/release/evidence.ts\` and \`test/release/planted-faults.ts\`.
${sections.join("")}`;
}

function cellsOf({ beginning, keptIn, heldBy }: PromiseRow): string {
  return `| ${beginning.replaceAll(/[[\]]/g, "")} … | ${keptIn.map(linkTo).join(", ")} | ${heldBy.map(linkTo).join(", ")} |\n`;
}

/** The folder of a file is in the address of the link. */
const linkTo = (path: string): string => `[${basename(path)}](../${path})`;
