import { plantedFaults } from "../test/release/planted-faults.ts";
import { type PromiseRow, readPromiseRows } from "../test/support/promise-rows.ts";

/** Of each promise of SECURITY.md the code that keeps it and the tests that hold it, in Markdown. */
export function evidencePage(): string {
  const rows = readPromiseRows();
  const sections = [...new Set(rows.map(({ subject }) => subject))].map(subject => {
    const items = rows.filter(row => row.subject === subject).map(itemOf);
    return `\n## ${subject}\n\n${items.join("\n")}\n`;
  });
  return `# Evidence

Each promise of [SECURITY.md](../SECURITY.md), the code that keeps it, and the tests that hold it. \`make test-release\` plants faults in that code, one at a time, and fails if none of
these tests notices. Made by \`make docs\` from \`test/release/evidence.ts\` and \`test/release/planted-faults.ts\`.
${sections.join("")}`;
}

function itemOf({ promise, keptIn, heldBy }: PromiseRow): string {
  const faults = Object.entries(plantedFaults).flatMap(([beginning, faults]) =>
    promise.startsWith(beginning) ? faults : [],
  );
  return `- ${fromDocs(promise)}
  - Code: ${keptIn.map(linkTo).join(", ")}
  - Tests: ${heldBy.map(linkTo).join(", ")}
  - Planted faults: ${faults.length}`;
}

const linkTo = (path: string): string => `[${path}](../${path})`;

/** Links of the page in the root folder, as one in docs/ has to write them. */
const fromDocs = (text: string): string =>
  text.replaceAll("](#", "](../SECURITY.md#").replaceAll("](docs/", "](");
