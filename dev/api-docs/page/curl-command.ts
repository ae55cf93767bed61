import { type Html, html } from "../../../src/adapters/ops/page/html.ts";
import type { Operation } from "./description.ts";

/** A curl of the operation, with the variables BASE and TOKEN, and 1 for an id: the first session in README.md makes records with it. */
export function commandOf(endpoint: Operation & { readonly method: string; readonly path: string }): string {
  const { method, path, parameters, requestBody } = endpoint;
  const exampleOf = (wanted: string) => parameters.find(({ name }) => name === wanted)?.example;
  const address = path.replace("{id}", "1").replace("{path}", String(exampleOf("path")));
  const example = requestBody?.content["application/json"]?.example;
  const isImplied = method === (requestBody === undefined ? "GET" : "POST");
  return [
    `curl -i ${isImplied ? "" : `-X ${method} `}$BASE${address}`,
    ...(endpoint["x-roles"].length === 0 ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...parameters
      .filter(({ name, in: place }) => place === "header" && !name.startsWith("If-"))
      .map(({ name, example }) => `-H ${quoted(`${name}: ${example}`)}`),
    ...(example === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(example))}`]),
  ].join(" \\\n  ");
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export const command = (text: string): Html => html`<pre class="command">${text}</pre>`;
