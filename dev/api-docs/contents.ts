import type { Schema } from "../../src/domain/field.ts";
import { describeApi } from "./describe.ts";

const { paths, tags, components } = await describeApi();

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...operation,
    heading: `${method.toUpperCase()} ${path}`,
  })),
);

/** As GitHub makes it: lower case, without punctuation, spaces as hyphens. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w -]/g, "")
    .replaceAll(" ", "-");

const link = (heading: string, text = heading): string => `[${text}](#${anchorOf(heading)})`;

/** A link to each section of the page, by the tags of the operations. */
export const tableOfContents = (): string =>
  [
    "| Group | Operations |",
    "|---|---|",
    ...tags.map(({ name }) => {
      const members = operations.filter(operation => operation.tags.includes(name));
      return `| ${name} | ${members.map(({ heading }) => link(heading)).join("<br>")} |`;
    }),
    `| fields | ${link("What the fields accept")} |`,
  ].join("\n");

const row = (name: string, note: string, description: unknown): string =>
  `| \`${name}\` | ${note} | ${String(description).replaceAll("|", "\\|")} |`;

const fieldTable = ({ properties, required }: Schema): string[] => [
  "| Field | Needed | What is accepted |",
  "|---|---|---|",
  ...Object.entries(properties as Readonly<Record<string, Schema>>).map(([name, field]) =>
    row(name, (required as string[]).includes(name) ? "required" : "optional", field["description"]),
  ),
];

/** What each field of a body and each query parameter takes, and the message for anything else. */
export function fieldReference(): string {
  const schemas: Readonly<Record<string, Schema>> = components.schemas;
  const bodies = operations.flatMap(({ heading, requestBody }) => {
    const name = String(requestBody?.content["application/json"].schema["$ref"]).split("/").at(-1) ?? "";
    const schema = schemas[name];
    return schema === undefined ? [] : [`### Body of ${heading}`, "", ...fieldTable(schema), ""];
  });
  const words = Object.entries(schemas).flatMap(([name, schema]) =>
    schema["enum"] === undefined
      ? []
      : [
          row(
            name,
            (schema["enum"] as string[]).map(word => `\`${word}\``).join(", "),
            schema["description"],
          ),
        ],
  );
  const parameters = new Set(
    operations.flatMap(({ parameters }) =>
      parameters.filter(each => each.in !== "path").map(each => row(each.name, each.in, each.description)),
    ),
  );
  return [
    "## What the fields accept",
    "",
    "`make docs` makes this section from the OpenAPI document. A required field that is missing, null or blank is refused with its own",
    "message, such as `First name is required`; a text of the wrong length with `… must be between … and … characters`.",
    "",
    ...bodies,
    "### Parameters",
    "",
    "| Name | Where | What is accepted |",
    "|---|---|---|",
    ...parameters,
    "",
    "### Words",
    "",
    "| Name | Words | Meaning |",
    "|---|---|---|",
    ...words,
    "",
  ].join("\n");
}
