import type { Operation } from "./api-description.ts";
import { type Html, html } from "./html.ts";

/** A curl of the operation, with the variables BASE and TOKEN, on the first record there is. */
export function commandOf(endpoint: Operation & { readonly method: string; readonly path: string }): string {
  const { method, path, parameters, requestBody } = endpoint;
  const example = requestBody?.content["application/json"]?.example;
  const isImplied = method === (requestBody === undefined ? "GET" : "POST");
  return [
    `curl -i ${isImplied ? "" : `-X ${method} `}$BASE${path.replace("{id}", "1")}`,
    ...(endpoint["x-roles"].length === 0 ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...parameters
      .filter(parameter => parameter.in === "header" && Array.isArray(parameter.schema["examples"]))
      .map(({ name, schema }) => `-H ${quoted(`${name}: ${(schema["examples"] as unknown[])[0]}`)}`),
    ...(example === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(example))}`]),
  ].join(" \\\n  ");
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export const command = (text: string): Html => html`<pre class="command">${text}</pre>`;
