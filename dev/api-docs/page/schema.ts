import { type Html, html } from "../../../src/adapters/ops/page/html.ts";
import type { Schema } from "../../../src/domain/field.ts";
import { inline } from "./html.ts";

/** What a value may be, in words: `integer, 1 to 1000`, or a link to a schema that has a name. */
export function typeOf(schema: Schema): Html {
  const { $ref, type, items, anyOf, minimum, maximum, format, default: fallback } = schema;
  // The description of a text has its length, which counts without the whitespace at its ends.
  const bounds = boundsOf(minimum, maximum);
  const notes = [
    ...(bounds === undefined ? [] : [bounds]),
    ...(format === undefined ? [] : [String(format)]),
    ...(fallback === undefined ? [] : [`default ${JSON.stringify(fallback)}`]),
  ];
  if (Array.isArray(anyOf))
    return html`${anyOf.map((each, at) => html`${at === 0 ? "" : " or "}${typeOf(each)}`)}`;
  return html`${nameOf($ref, type, items)}${notes.map(note => `, ${note}`).join("")}`;
}

function nameOf(reference: unknown, type: unknown, items: unknown): Html {
  if (typeof reference === "string") {
    const name = reference.split("/").at(-1) ?? "";
    return html`<a href="#${name}">${name}</a>`;
  }
  if (items !== undefined) return html`array of ${typeOf(items as Schema)}`;
  // OpenAPI 3.1 describes a body that is no JSON by a schema without a type.
  return html`${Array.isArray(type) ? type.join(" or ") : String(type ?? "bytes")}`;
}

function boundsOf(least: unknown, most: unknown): string | undefined {
  if (least === undefined && most === undefined) return undefined;
  if (most === undefined) return `at least ${least}`;
  return least === undefined ? `at most ${most}` : `${least} to ${most}`;
}

export interface Row {
  /** An anchor. */
  readonly id?: string;
  readonly name: string;
  /** Where the value belongs. */
  readonly note: string;
  readonly schema: Schema;
  readonly description: Html;
}

export const table = (rows: readonly Row[]): Html =>
  rows.length === 0
    ? html``
    : html`<table>
<thead><tr><th>Name</th><th>Type</th><th>Description</th></tr></thead>
<tbody>
${rows.map(
  ({ id, name, note, schema, description }) => html`<tr${id === undefined ? "" : html` id="${id}"`}>
<td><code>${name}</code> <span class="note">${note}</span></td>
<td>${typeOf(schema)}</td>
<td>${description}</td>
</tr>`,
)}
</tbody>
</table>`;

/** Where the page has the words for a field, by name and words: the first operation that takes the field in its body. */
export type FieldPlaces = ReadonlyMap<string, string>;

export const placeKey = (name: string, { description }: Schema): string => `${name} ${description}`;

/** The fields of a record, or the words of a set. */
export function fieldTable({ properties, required = [], enum: words }: Schema, places: FieldPlaces): Html {
  if (words !== undefined) return html`<p>${(words as string[]).map(word => html`<code>${word}</code>`)}</p>`;
  return table(rowsOf(properties as Readonly<Record<string, Schema>>, required as string[], places));
}

/** The rows of a body, or of a record, with a link in place of words that another operation has. */
export const rowsOf = (
  fields: Readonly<Record<string, Schema>>,
  required: readonly string[],
  places: FieldPlaces,
  operation?: string,
): Row[] =>
  Object.entries(fields).map(([name, schema]) => {
    const place = places.get(placeKey(name, schema));
    const body = operation === undefined ? "" : "body, ";
    return {
      name,
      note: `${body}${required.includes(name) ? "required" : "optional"}`,
      schema,
      description:
        place === undefined || place === operation
          ? inline(String(schema["description"]))
          : html`As in <a href="#${place}">${place}</a>.`,
    };
  });

export const code = (value: unknown): Html => html`<pre>${JSON.stringify(value, null, 2)}</pre>`;

export const exampleOf = ({ examples }: Schema): Html =>
  examples === undefined ? html`` : code((examples as unknown[])[0]);
