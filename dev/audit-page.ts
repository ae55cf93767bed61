import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";

/** The files of a row: names in backticks below src/, or below sql/, with `*` and `{a,b}` as a shell has them. */
const filesOf = (cell: string): string[] =>
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

/** The files of all rows of the tour. */
export const touredFiles = (page: string): string[] =>
  [...page.matchAll(/^\| Files \| Questions \|\n.*\n((?:\|.*\n)+)/gm)].flatMap(([, rows = ""]) =>
    rows.split("\n").flatMap(row => filesOf(row.split(" | ")[0] ?? "")),
  );

/** docs/audit.md with the number of lines that each of its commands prints now. */
export const withCounts = (page: string): string =>
  page.replace(/```sh\n(grep .*)\n```\n\d+ lines?\b/g, (_, command: string) => {
    const printed = execFileSync("bash", ["-c", command], { encoding: "utf8" }).split("\n").length - 1;
    return `\`\`\`sh\n${command}\n\`\`\`\n${printed} line${printed === 1 ? "" : "s"}`;
  });
