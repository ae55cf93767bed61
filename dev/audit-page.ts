import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** How many lines a reviewer reads in a minute. */
const linesAMinute = 32;

/** The files of a row: names in backticks below src/, or below sql/, with `*` and `{a,b}` as a shell has them. */
export const filesOf = (cell: string): string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, pattern = ""]) => {
    const path = pattern.startsWith("sql/") ? pattern : join("src", pattern);
    const [, choices] = /\{(.*)\}/.exec(path) ?? [];
    const paths = choices === undefined ? [path] : choices.split(",").map(one => path.replace(/\{.*\}/, one));
    return paths.flatMap(one => {
      if (!one.includes("*")) return [one];
      const name = new RegExp(`^${one.replaceAll(".", "\\.").replaceAll("*", "[^/]*")}$`);
      return readdirSync(dirname(one))
        .map(file => join(dirname(one), file))
        .filter(file => name.test(file));
    });
  });

const linesOf = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + readFileSync(file, "utf8").split("\n").length - 1, 0);

/** The tables of the tour, each as its rows of minutes, lines, files and questions. */
const tour = /^\| Minutes \| Lines \| .*\n.*\n((?:\|.*\n)+)/gm;

/** The files of all rows of all tables. */
export const touredFiles = (page: string): string[] =>
  [...page.matchAll(tour)].flatMap(([, rows = ""]) =>
    rows.split("\n").flatMap(row => filesOf(row.split(" | ")[2] ?? "")),
  );

/** docs/audit.md with the lines that it counts as they are now: those of its tour, and those that its commands print. */
export function withCounts(page: string): string {
  const counted = page.replace(tour, (table, rows: string) => {
    let [allMinutes, allLines] = [0, 0];
    const written = rows.replace(/^\| (\S+) \| \S+ \| (.*)$/gm, (_, minutes: string, rest: string) => {
      if (minutes.startsWith("**")) return `| **${allMinutes}** | **${allLines}** | ${rest}`;
      const lines = linesOf(filesOf(rest.split(" | ")[0] ?? ""));
      allLines += lines;
      allMinutes = Math.round(allLines / linesAMinute);
      return `| ${Math.round(lines / linesAMinute)} | ${lines} | ${rest}`;
    });
    return table.replace(rows, () => written);
  });
  return counted.replace(/```sh\n(grep .*)\n```\n\d+ lines?\b/g, (_, command: string) => {
    const printed = execFileSync("bash", ["-c", command], { encoding: "utf8" }).split("\n").length - 1;
    return `\`\`\`sh\n${command}\n\`\`\`\n${printed} line${printed === 1 ? "" : "s"}`;
  });
}
