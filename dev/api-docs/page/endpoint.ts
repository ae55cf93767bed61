import { Html, html, textOf } from "../../../src/adapters/ops/page/html.ts";
import type { Schema } from "../../../src/domain/field.ts";
import { command, commandOf } from "./curl-command.ts";
import type { ApiDescription, DescribedResponse, Operation, Parameter } from "./description.ts";
import { inline, markdown } from "./html.ts";
import { code, type FieldPlaces, placeKey, rowsOf, table, typeOf } from "./schema.ts";
import type { SharedParameter } from "./shared-parameters.ts";

export interface Endpoint extends Operation {
  readonly method: string;
  readonly path: string;
}

export const badge = (method: string): Html =>
  html`<span class="method ${method.toLowerCase()}">${method}</span>`;

/** A path that breaks after a slash, and not inside a word. */
export const pathCode = (path: string): Html =>
  html`<code>${new Html(textOf(path).replace(/(?<=.)\/(?=.)/g, "/<wbr>"))}</code>`;

/** What the page describes once, for all operations that have it. */
export interface Common {
  /** Names of error responses. */
  readonly errors: readonly string[];
  readonly parameters: readonly SharedParameter[];
  readonly fields: FieldPlaces;
}

/** One operation: its input and its responses, and a command to try it. */
export function endpointCard(
  endpoint: Endpoint,
  { schemas }: ApiDescription["components"],
  common: Common,
): Html {
  const { operationId, method, path, summary, description, parameters } = endpoint;
  const shared = common.parameters.filter(({ operations }) => operations.includes(operationId));
  const rows = parameters.filter(({ name }) => !shared.some(parameter => parameter.name === name)).map(rowOf);
  const { properties = {}, required = [] } = bodyOf(endpoint, schemas);
  const fields = rowsOf(properties as Fields, required as string[], common.fields, operationId);
  const described = Object.entries(endpoint.responses);
  const errors = described.filter(
    ([, { $ref }]) => $ref !== undefined && !common.errors.includes(nameOf($ref)),
  );
  const { schema, example } = described[0]?.[1].content?.["application/json"] ?? {};
  // The record that the response has, or has a list of, is shown with its own example.
  const record = schema?.["$ref"] ?? (schema?.["items"] as Schema | undefined)?.["$ref"];
  const hasExample = schemas[nameOf(record)]?.["examples"] !== undefined;
  return html`<article class="card" id="${operationId}">
<h3>${badge(method)} ${pathCode(path)}</h3>
<p><strong>${summary}.</strong> <span class="role">${roleOf(endpoint)}</span></p>
${markdown(description)}
${table([...rows, ...fields])}
${shared.length === 0 ? html`` : html`<p>Also: ${shared.map(linkTo)}</p>`}
<h4>Request</h4>
${command(commandOf(endpoint))}
<h4>Responses</h4>
<dl>
${described.filter(([, { $ref }]) => $ref === undefined).map(responseRow)}
</dl>
${errors.length === 0 ? html`` : html`<p>Errors: ${errors.map(linkToError)}</p>`}
${example === undefined || hasExample ? html`` : code(example)}
</article>`;
}

type Fields = Readonly<Record<string, Schema>>;
type Schemas = ApiDescription["components"]["schemas"];

const bodyOf = ({ requestBody }: Operation, schemas: Schemas): Schema =>
  schemas[nameOf(requestBody?.content["application/json"]?.schema["$ref"])] ?? {};

/** The first operation with the words of each field of a body. */
export const fieldPlacesOf = (endpoints: readonly Endpoint[], schemas: Schemas): FieldPlaces =>
  new Map(
    endpoints
      .flatMap(endpoint =>
        Object.entries((bodyOf(endpoint, schemas)["properties"] ?? {}) as Fields).map(
          ([name, schema]) => [placeKey(name, schema), endpoint.operationId] as const,
        ),
      )
      // Of two entries with one key a Map keeps the last.
      .reverse(),
  );

/** The row of a parameter in a table. */
export const rowOf = ({ name, in: place, required, schema, description }: Parameter) => ({
  name,
  note: `${place}, ${required ? "required" : "optional"}`,
  schema,
  description: inline(String(description)),
});

const linkTo = ({ id, name }: SharedParameter): Html => html`<a href="#${id}"><code>${name}</code></a> `;

export const nameOf = (reference: unknown): string => String(reference).split("/").at(-1) ?? "";

function roleOf(endpoint: Endpoint): string {
  const [role] = endpoint["x-roles"];
  if (role === undefined) return "open to everybody";
  if (role === "AUTHENTICATED") return "any employee";
  return role === "ADMIN" ? "ADMIN" : `${role} or above`;
}

const linkToError = ([status, { $ref }]: readonly [string, DescribedResponse]): Html =>
  html`<a href="#${nameOf($ref)}">${status}</a> `;

function responseRow([status, response]: readonly [string, DescribedResponse]): Html {
  const [type, content] = Object.entries(response.content ?? {})[0] ?? [];
  if (content === undefined) return html`<dt>${status}</dt><dd>${inline(response.description ?? "")}</dd>`;
  const note = type === "application/json" ? "" : ` as ${type}`;
  return html`<dt>${status}</dt><dd>${typeOf(content.schema)}${note}</dd>`;
}
