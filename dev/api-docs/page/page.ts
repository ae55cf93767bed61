import { type Html, html } from "../../../src/adapters/ops/page/html.ts";
import { command } from "./curl-command.ts";
import type { ApiDescription, Operation } from "./description.ts";
import { badge, type Endpoint, endpointCard, fieldPlacesOf, nameOf, pathCode, rowOf } from "./endpoint.ts";
import { inline, markdown } from "./html.ts";
import { style } from "./page-style.ts";
import { exampleOf, fieldTable, table } from "./schema.ts";
import { sharedParametersOf } from "./shared-parameters.ts";

/**
 * The whole API as one page without scripts, from its OpenAPI document. Of the generators that were tried, redoc
 * 3.0 makes a page that loads a script from a CDN, and widdershins 4.0 Markdown that repeats each error at each operation.
 */
export function apiPage({ info, tags, paths, components }: ApiDescription): string {
  const endpoints = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(
      ([method, operation]): Endpoint => ({ ...operation, method: method.toUpperCase(), path }),
    ),
  );
  const groups = tags.map(({ name, description }) => ({
    name,
    description,
    members: endpoints.filter(endpoint => endpoint.tags.includes(name)),
  }));
  const errorsOfAll = (operations: readonly Operation[]) =>
    Object.keys(components.responses).filter(name =>
      operations.every(({ responses }) => Object.values(responses).some(({ $ref }) => nameOf($ref) === name)),
    );
  const common = {
    errors: errorsOfAll(endpoints.filter(endpoint => !isOpen(endpoint))),
    parameters: sharedParametersOf(endpoints),
    fields: fieldPlacesOf(endpoints, components.schemas),
  };
  const ofOpenToo = errorsOfAll(endpoints);
  const ofTokens = common.errors.filter(name => !ofOpenToo.includes(name));
  // The fields of a body are shown with the operation that takes it.
  const bodies = endpoints.map(({ requestBody }) =>
    nameOf(requestBody?.content["application/json"]?.schema["$ref"]),
  );
  const records = Object.entries(components.schemas).filter(([name]) => !bodies.includes(name));
  const contents = html`${groups.map(
    ({ name, members }) => html`<h2><a href="#${name}">${name}</a></h2>
<ul>
${members.map(entry)}
</ul>`,
  )}
<h2><a href="#parameters">parameters</a></h2>
<h2><a href="#records">records</a></h2>
<ul>
${records.map(([name]) => html`<li><a href="#${name}"><code>${name}</code></a></li>`)}
</ul>
<h2><a href="#errors">errors</a></h2>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>The API: ${info.title}</title>
<link rel="icon" href="data:,">
${styleElement}
</head>
<body>
<header>
<h1>${info.title}</h1>
<p>The API, version ${info.version}. <a href="/">Status of the service</a> <a class="contents" href="#contents">Contents</a></p>
</header>
<main>
<section>
<div class="card">
${markdown(info.description)}
${endpoints.filter(isOpen).map(login)}
</div>
</section>
${groups.map(
  ({ name, description, members }) => html`<section>
<h2 id="${name}">${name}</h2>
<p>${inline(description)}</p>
${members.map(endpoint => endpointCard(endpoint, components, common))}
</section>`,
)}
<section>
<h2 id="parameters">parameters</h2>
<p>Parameters that several operations have.</p>
<div class="card">
${table(common.parameters.map(parameter => ({ ...rowOf(parameter), id: parameter.id })))}
</div>
</section>
<section>
<h2 id="records">records</h2>
${records.map(
  ([name, schema]) => html`<article class="card" id="${name}">
<h3>${name}</h3>
<p>${inline(String(schema["description"]))}</p>
${fieldTable(schema, common.fields)}
${exampleOf(schema)}
</article>`,
)}
</section>
<section>
<h2 id="errors">errors</h2>
<p>Every operation can also respond with ${ofOpenToo.map(linkToError)} and every operation that needs a token with ${ofTokens.map(linkToError)} which are not repeated there.</p>
${Object.entries(components.responses).map(
  ([name, { description = "", content = {} }]) => html`<article class="card" id="${name}">
<h3>${statusOf(name)}</h3>
<p>${inline(description)}</p>
<ul class="messages">
${messagesOf(content).map(message => html`<li><code>${message}</code></li>`)}
</ul>
</article>`,
)}
</section>
</main>
<nav id="contents">${contents}</nav>
</body>
</html>
`.text;
}

const styleElement = html`<style>${style}</style>`;

const entry = ({ operationId, method, path, summary }: Endpoint): Html =>
  html`<li><a href="#${operationId}" title="${summary}">${badge(method)} ${pathCode(path)}</a></li>`;

const isOpen = (operation: Operation): boolean => operation["x-roles"].length === 0;

/** What comes before all other commands. */
const login = ({ path }: Endpoint): Html => html`<p class="note">Before the commands below:</p>
${command(`BASE=http://127.0.0.1:7070   # where the API is
# Of make run and make demo, in the folder of their checkout; else your own.
EMAIL=admin@example.com PASSWORD=$(cat .data/embedded/admin-password)
TOKEN=$(curl -s $BASE${path} -H 'Content-Type: application/json' \\
  -d "{\\"email\\":\\"$EMAIL\\",\\"password\\":\\"$PASSWORD\\"}" | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')`)}
<p class="note">A click on a command selects all of it.</p>`;

const linkToError = (name: string): Html => html`<a href="#${name}">${statusOf(name)}</a>, `;

const statusOf = (name: string): string => name.replace("Error", "");

const messagesOf = (content: NonNullable<Operation["requestBody"]>["content"]): string[] =>
  Object.values(content).flatMap(({ examples = {} }) =>
    Object.values(examples).map(({ value }) => (value as { msg: string }).msg),
  );
