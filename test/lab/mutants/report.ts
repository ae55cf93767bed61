import { dirname } from "node:path";
import type { SourceFile } from "typescript/unstable/ast";
import type { Mutant } from "./mutants.ts";

export interface Judged {
  readonly mutant: Mutant;
  readonly verdict: "noticed" | "survived";
}

/** The score of each folder, and the mistakes that nothing noticed. */
export function reportOf(
  judged: readonly Judged[],
  sources: ReadonlyMap<string, Pick<SourceFile, "text">>,
): string {
  const folders = [...new Set(judged.map(({ mutant }) => dirname(mutant.file)))].sort();
  const row = (name: string, of: readonly Judged[]): string => {
    const noticed = of.filter(({ verdict }) => verdict === "noticed").length;
    return `| ${name} | ${of.length} | ${noticed} | ${Math.round((100 * noticed) / Math.max(of.length, 1))} % |`;
  };
  const survivors = judged
    .filter(({ verdict }) => verdict === "survived")
    .map(({ mutant }) => mutant)
    .toSorted((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.start - b.start))
    .map(({ file, line, kind, start, end, replacement }) => {
      const original = sources.get(file)?.text.slice(start, end) ?? "";
      return `${file}:${line} (${kind}): ${oneLine(original)} -> ${oneLine(replacement) || "nothing"}`;
    });
  return [
    "| folder | mistakes | noticed | score |",
    "|---|--:|--:|--:|",
    ...folders.map(folder =>
      row(
        folder,
        judged.filter(({ mutant }) => dirname(mutant.file) === folder),
      ),
    ),
    row("all", judged),
    "",
    "Not noticed:",
    ...survivors,
  ].join("\n");
}

const oneLine = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 90 ? `${line.slice(0, 87)}...` : line;
};
