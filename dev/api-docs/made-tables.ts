import { newAssetFields } from "../../src/domain/asset.ts";
import { registrationFields } from "../../src/domain/employee.ts";
import type { Fields } from "../../src/domain/field.ts";
import { newLogFields } from "../../src/domain/maintenance-log.ts";
import { describedRoutes } from "./describe.ts";
import { grouped } from "./openapi/field-words.ts";

/** The page with `table` between `<!-- make docs: NAME -->` and `<!-- end -->`. */
export function withTable(page: string, name: string, table: string): string {
  const place = new RegExp(`(<!-- make docs: ${name} -->\n)[^]*?(<!-- end -->)`);
  if (!place.test(page)) throw new Error(`the page has no <!-- make docs: ${name} --> and <!-- end -->`);
  return page.replace(place, (_, begin: string, end: string) => `${begin}${table}${end}`);
}

const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  `| ${head.join(" | ")} |\n|${head.map(() => "---|").join("")}\n${rows.map(cells => `| ${cells.join(" | ")} |\n`).join("")}`;

const prefix = "/api/v1";

const roleNames: Readonly<Record<string, string>> = { NONE: "open", AUTHENTICATED: "any" };

/** Of README.md: what is outside of the prefix comes last. */
export const routesList = (): string =>
  describedRoutes
    .toSorted((a, b) => Number(b.path.startsWith(prefix)) - Number(a.path.startsWith(prefix)))
    .map(({ method, path, role, ownIdOnly, summary }) => {
      const below = path.startsWith(prefix) ? path.slice(prefix.length) : path;
      const access = `${roleNames[role] ?? role}${ownIdOnly ? ", own id only" : ""}`;
      return `- \`${method} ${below}\` (${access}): ${summary}\n`;
    })
    .join("");

const boundedFields: Readonly<Record<string, Fields>> = {
  employee: registrationFields,
  asset: newAssetFields,
  log: newLogFields,
};

/** Of docs/reference.md. */
export const boundsTable = (): string =>
  tableOf(
    ["Field", "Characters", "Counted without whitespace at its ends"],
    Object.entries(boundedFields).flatMap(([record, fields]) =>
      Object.entries(fields).flatMap(([name, { bounds }]) =>
        bounds === undefined
          ? []
          : [
              [
                `\`${name}\` (${record})`,
                `${bounds.min} to ${grouped(bounds.max)}`,
                bounds.trimmed ? "yes" : "no",
              ],
            ],
      ),
    ),
  );
