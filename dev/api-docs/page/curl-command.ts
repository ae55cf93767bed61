import { type Html, html } from "../../../src/adapters/ops/page/html.ts";
import type { Operation, Parameter } from "./description.ts";

/** A curl of the operation, with the variables BASE and TOKEN, and 1 for a part of the path that has no example. */
export function commandOf(endpoint: Operation & { readonly method: string; readonly path: string }): string {
  const { method, path, parameters, requestBody } = endpoint;
  const address = path.replace(/\{(\w+)\}/g, (_, name) => exampleOf(parameters, name) ?? "1");
  const example = requestBody?.content["application/json"]?.example;
  const isImplied = method === (requestBody === undefined ? "GET" : "POST");
  return [
    `curl -i ${isImplied ? "" : `-X ${method} `}$BASE${address}`,
    ...(endpoint["x-roles"].length === 0 ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...parameters.flatMap(({ name, in: place }) => {
      const value = place === "header" ? exampleOf(parameters, name) : undefined;
      return value === undefined ? [] : [`-H ${quoted(`${name}: ${value}`)}`];
    }),
    ...(example === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(example))}`]),
  ].join(" \\\n  ");
}

const exampleOf = (parameters: readonly Parameter[], name: string): string | undefined =>
  (parameters.find(parameter => parameter.name === name)?.schema["examples"] as string[] | undefined)?.[0];

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export const command = (text: string): Html => html`<pre class="command">${text}</pre>`;
