import { Html, html, textOf } from "../../../src/adapters/ops/page/html.ts";
import type { Schema } from "../../../src/domain/field.ts";
import { command, commandOf } from "./curl-command.ts";
import type { ApiDescription, DescribedResponse, Operation } from "./description.ts";
import { inline, markdown } from "./html.ts";
import { code, rowsOf, table, typeOf } from "./schema.ts";

export interface Endpoint extends Operation {
  readonly method: string;
  readonly path: string;
}

export const badge = (method: string): Html =>
  html`<span class="method ${method.toLowerCase()}">${method}</span>`;

/** A path that breaks after a slash, and not inside a word. */
export const pathCode = (path: string): Html =>
  html`<code>${new Html(textOf(path).replace(/(?<=.)\/(?=.)/g, "/<wbr>"))}</code>`;

/**
 * One operation: its input and its responses, and a command to try it.
 *
 * @param common names of the error responses that every operation has
 */
export function endpointCard(
  endpoint: Endpoint,
  { schemas, responses }: ApiDescription["components"],
  common: readonly string[],
): Html {
  const { operationId, method, path, summary, description, parameters } = endpoint;
  const rows = parameters.map(({ name, in: place, required, schema, description }) => ({
    name,
    note: `${place}, ${required ? "required" : "optional"}`,
    schema,
    description,
  }));
  const body = schemas[nameOf(endpoint.requestBody?.content["application/json"]?.schema["$ref"])];
  const fields = rowsOf(
    (body?.["properties"] ?? {}) as Readonly<Record<string, Schema>>,
    (body?.["required"] ?? []) as string[],
    "body",
  );
  const described = Object.entries(endpoint.responses);
  const example = described[0]?.[1].content?.["application/json"]?.example;
  return html`<article class="card" id="${operationId}">
<h3>${badge(method)} ${pathCode(path)}</h3>
<p><strong>${summary}.</strong> <span class="role">${roleOf(endpoint)}</span></p>
${markdown(description)}
${table([...rows, ...fields])}
<h4>Request</h4>
${command(commandOf(endpoint))}
<h4>Responses</h4>
<dl>
${described.filter(([, { $ref }]) => !common.includes(nameOf($ref))).map(([status, response]) => responseRow(status, response, responses))}
</dl>
${example === undefined ? html`` : code(example)}
</article>`;
}

const nameOf = (reference: unknown): string => String(reference).split("/").at(-1) ?? "";

function roleOf(endpoint: Endpoint): string {
  const [role] = endpoint["x-roles"];
  if (role === undefined) return "open to everybody";
  if (role === "AUTHENTICATED") return "any employee";
  return role === "ADMIN" ? "ADMIN" : `${role} or above`;
}

function responseRow(
  status: string,
  response: DescribedResponse,
  shared: ApiDescription["components"]["responses"],
): Html {
  if (response.$ref !== undefined) {
    const name = nameOf(response.$ref);
    const [first = ""] = (shared[name]?.description ?? "").split(/(?<=\.) /);
    return html`<dt><a href="#${name}">${status}</a></dt><dd>${inline(first)}</dd>`;
  }
  const [type, content] = Object.entries(response.content ?? {})[0] ?? [];
  if (content === undefined) return html`<dt>${status}</dt><dd>${inline(response.description ?? "")}</dd>`;
  const note = type === "application/json" ? "" : ` as ${type}`;
  return html`<dt>${status}</dt><dd>${typeOf(content.schema)}${note}</dd>`;
}
