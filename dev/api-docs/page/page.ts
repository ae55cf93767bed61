import { type Html, html } from "../../../src/adapters/ops/page/html.ts";
import { command } from "./curl-command.ts";
import type { ApiDescription, Operation } from "./description.ts";
import { badge, type Endpoint, endpointCard, pathCode } from "./endpoint.ts";
import { inline, markdown } from "./html.ts";
import { style } from "./page-style.ts";
import { exampleOf, fieldTable } from "./schema.ts";

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
  const common = Object.keys(components.responses).filter(name =>
    endpoints.every(({ responses }) =>
      Object.values(responses).some(({ $ref }) => $ref?.endsWith(`/${name}`)),
    ),
  );
  const contents = html`${groups.map(
    ({ name, members }) => html`<h2><a href="#${name}">${name}</a></h2>
<ul>
${members.map(entry)}
</ul>`,
  )}
<h2><a href="#records">records</a></h2>
<ul>
${Object.keys(components.schemas).map(name => html`<li><a href="#${name}"><code>${name}</code></a></li>`)}
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
<p>The API, version ${info.version}. <a href="/">Status of the service</a></p>
</header>
<nav>${contents}</nav>
<details class="contents"><summary>Contents</summary>${contents}</details>
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
<h2 id="records">records</h2>
${Object.entries(components.schemas).map(
  ([name, schema]) => html`<article class="card" id="${name}">
<h3>${name}</h3>
<p>${inline(String(schema["description"]))}</p>
${fieldTable(schema)}
${exampleOf(schema)}
</article>`,
)}
</section>
<section>
<h2 id="errors">errors</h2>
<p>Every operation can also respond with ${common.map(name => html`<a href="#${name}">${statusOf(name)}</a>,`)} which are not repeated there.</p>
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

const statusOf = (name: string): string => name.replace("Error", "");

const messagesOf = (content: NonNullable<Operation["requestBody"]>["content"]): string[] =>
  Object.values(content).flatMap(({ examples = {} }) =>
    Object.values(examples).map(({ value }) => (value as { msg: string }).msg),
  );
