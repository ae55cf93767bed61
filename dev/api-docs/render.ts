import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import openapiTS, { type OpenAPI3 } from "openapi-typescript";
import { makeRoutes, type UseCases } from "../../src/adapters/http/api/routes.ts";
import { trailCrypto } from "../../src/adapters/trail-crypto.ts";
import { helpOf } from "../../src/commands/help.ts";
import { formatSignerKey, makeSignerKey } from "../../src/domain/trail/note.ts";
import { runProgram, startService } from "../../test/support/program.ts";
import { admin, type Call, type Endpoint, endpoints } from "./calls.ts";
import { fieldReference, tableOfContents } from "./contents.ts";
import { describeApi, openApiText } from "./describe.ts";
import { type DescribedRoute, describedRoute } from "./openapi/openapi.ts";
import { apiPage } from "./page/page.ts";

/** The pages of docs/ that are made and not written, by file name. */
export type Pages = Readonly<Record<string, string>>;

/**
 * Makes the pages by calling a service of their own: what they show as an answer has been answered.
 *
 * @param databaseUrl an empty database
 */
export async function renderPages(databaseUrl: string): Promise<Pages> {
  const settings = {
    DATABASE_URL: databaseUrl,
    DATABASE_DURABILITY: "any",
    SECRET_KEY: "of a service that lives for a few seconds",
    ADMIN_PASSWORD: admin.password,
    TRAIL_KEY: formatSignerKey(makeSignerKey("maintenance.example.com", Buffer.alloc(32, 1), trailCrypto)),
  };
  await run(["migrate"], settings);
  const name = ["--first-name", admin.firstName, "--last-name", admin.lastName, "--phone", admin.phone];
  await run(["create-admin", "--email", admin.email, ...name], settings);
  const service = await startService(settings);
  try {
    const sections = await callAll(`http://127.0.0.1:${service.port}`);
    return {
      "api.md": pageOf(sections),
      "api.http": httpFileOf(sections),
      "api.html": apiPage(describeApi()),
      "openapi.json": openApiText(),
      "commands.md": commandsPage(),
      "api.d.ts": `/** Types of the API for TypeScript clients. Made by \`make docs\`. */\n${await typesOf()}`,
    };
  } finally {
    await service.stop();
  }
}

async function run(args: readonly string[], settings: Readonly<Record<string, string>>): Promise<void> {
  const { code, stderr } = await runProgram(args, settings);
  if (code !== 0) throw new Error(`${args[0]}: ${stderr}`);
}

/** What `--help` prints, alone and after each command. */
function commandsPage(): string {
  const usage = helpOf("");
  const commands = [...usage.matchAll(/^ {2}([a-z][\w-]*) /gm)].map(([, name = ""]) => name);
  const block = (text: string) => `\`\`\`text\n${text}\n\`\`\`\n`;
  const sections = commands.map(name => `\n## ${name}\n\n${block(helpOf(name))}`);
  const intro = "What each command takes, as `--help` prints it. Made by `make docs`.";
  return `# Commands\n\n${intro}\n\n${block(usage)}${sections.join("")}`;
}

// Without the banner of a tool, whose words change with its versions.
const typesOf = async (): Promise<string> =>
  openapiTS((await describeApi()) as object as OpenAPI3, { commentHeader: "" });

interface Section {
  readonly route: DescribedRoute;
  readonly exchanges: readonly Exchange[];
}

/** A call that was made. */
interface Exchange {
  readonly call: Call;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly command: string;
  readonly answer: Answer;
}

interface Answer {
  readonly statusLine: string;
  readonly headers: Headers;
  readonly body: string;
}

async function callAll(base: string): Promise<readonly Section[]> {
  const sections: Section[] = [];
  const environment = { BASE: base, API: `${base}/api/v1`, TOKEN: "" };
  let last = new Headers();
  for (const endpoint of endpoints) {
    const route = routeOf(endpoint);
    if (route.path.endsWith("/proof")) await untilCovered(environment);
    const exchanges: Exchange[] = [];
    for (const call of endpoint.calls) {
      const query = typeof call.query === "function" ? call.query(last) : call.query;
      const place = route.path.replace("{id}", String(call.id)).replace("{path}", call.path ?? "");
      const path = place + (query === undefined ? "" : `?${query}`);
      const headers = Object.fromEntries(
        Object.entries(call.headers ?? {}).map(([name, value]) => [
          name,
          typeof value === "function" ? value(last) : value,
        ]),
      );
      const command = commandOf(route, call, path, headers);
      const answer = await runCurl(command, environment);
      environment.TOKEN ||= JSON.parse(answer.body).token;
      last = answer.headers;
      exchanges.push({ call, path, headers, command, answer });
    }
    sections.push({ route, exchanges });
  }
  return sections;
}

/** Waits until the newest checkpoint covers all that was written before. */
async function untilCovered({ API, TOKEN }: { readonly API: string; readonly TOKEN: string }): Promise<void> {
  let size = -1;
  for (;;) {
    const answer = await fetch(`${API}/trail`, { headers: { Authorization: `Bearer ${TOKEN}` } });
    const head = (await answer.json()) as { readonly size: number };
    if (head.size === size) return;
    size = head.size;
    await sleep(3_000);
  }
}

const routes = makeRoutes({} as UseCases).map(describedRoute);

function routeOf(endpoint: Endpoint): DescribedRoute {
  const route = routes.find(({ method, path }) => `${method} ${path}` === endpoint.route);
  if (route === undefined) throw new Error(`there is no route ${endpoint.route}`);
  return route;
}

/** As one would type it, with the variables BASE, API and TOKEN. */
function commandOf(
  { method }: DescribedRoute,
  { body, isAnonymous }: Call,
  path: string,
  headers: Readonly<Record<string, string>>,
): string {
  const address = path.startsWith("/api/v1/") ? path.replace("/api/v1", "$API") : `$BASE${path}`;
  const isImplied = method === (body === undefined ? "GET" : "POST");
  const first = `curl -si ${isImplied ? "" : `-X ${method} `}${/[?&]/.test(address) ? `"${address}"` : address}`;
  return [
    isAnonymous ? first : `${first} -H "Authorization: Bearer $TOKEN"`,
    ...Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`]),
  ].join(" \\\n  ");
}

async function runCurl(command: string, environment: Readonly<Record<string, string>>): Promise<Answer> {
  const env = { PATH: process.env["PATH"], ...environment };
  const { stdout } = await promisify(execFile)("sh", ["-c", command], { env, maxBuffer: 1024 * 1024 });
  const end = stdout.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = stdout.slice(0, end).split("\r\n");
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const [name = "", ...value] = line.split(": ");
      return [name, value.join(": ")];
    }),
  );
  return { statusLine, headers, body: stdout.slice(end + 4) };
}

const pageOf = (sections: readonly Section[]): string => `# The API by example

Every answer on this page was answered: \`make docs\` makes the page by running its commands, one after the other, on a
new database with one ADMIN, and a test does the same and compares. [reference.md](reference.md) says what holds for all
endpoints; [api.http](api.http) has the same calls for editors, [api.d.ts](api.d.ts) the types for TypeScript.

\`\`\`sh
BASE=http://127.0.0.1:7070
API=$BASE/api/v1
TOKEN=…                       # what the login answers
\`\`\`

The service of \`make run\` has an ADMIN with this email and a password of its own, which it prints.

Of the headers of an answer only those that tell something new are shown.

${tableOfContents()}

${sections.map(sectionOf).join("\n")}
${fieldReference()}`;

function sectionOf({ route, exchanges }: Section): string {
  const { method, path, role, summary, query = {} } = route;
  const who = role === "NONE" ? "Open" : role === "AUTHENTICATED" ? "Any employee" : role;
  const parameters = Object.keys(query).map(name => `\`${name}\``);
  return `## ${method} ${path}

${summary}. ${who}.${parameters.length > 0 ? ` Query: ${parameters.join(", ")}.` : ""}

${exchanges.map(exchangeOf).join("\n")}`;
}

const exchangeOf = ({ call, command, answer }: Exchange): string => `${call.shows}

\`\`\`sh
${command}
\`\`\`
\`\`\`http
${[answer.statusLine, ...toldHeaders(answer.headers)].join("\n")}${answer.body === "" ? "" : `\n\n${shownBody(answer)}`}
\`\`\`
`;

const toldHeaders = (headers: Headers): string[] =>
  ["Link", "ETag", "Idempotent-Replayed", "Retry-After", "Allow"].flatMap(name => {
    const value = headers.get(name);
    return value === null ? [] : [`${name}: ${value}`];
  });

const shownLines = 40;
const shownColumns = 160;

function shownBody({ headers, body }: Answer): string {
  const type = headers.get("content-type") ?? "";
  if (type.startsWith("application/octet-stream")) return `(${headers.get("content-length")} bytes)`;
  return sameEachTime(type.startsWith("text/plain") ? body.trimEnd() : bodyOf(body));
}

/** Hashes, signatures and moments are others each time. */
const sameEachTime = (text: string): string =>
  text
    .replaceAll(/"recordedAt":"[^"]+"/g, '"recordedAt":"2026-11-21T09:30:00.123456Z"')
    .replaceAll(/extra \S+/g, "extra eyJhc3NldElkIjox…")
    .replaceAll(/[\w+/]{91}=|[\w+/]{43}=/g, "AbC8…");

/** One record a line in lists; a token is another one each time, and a long body or line is cut. */
function bodyOf(body: string): string {
  const value: unknown = JSON.parse(body.replace(/"token":"[^"]+"/, '"token":"eyJhbGciOiJIUzI1NiJ9…"'));
  const text = Array.isArray(value)
    ? `[\n${value.map(row => `  ${JSON.stringify(row)}`).join(",\n")}\n]`
    : JSON.stringify(value, null, 2);
  const lines = text.split("\n");
  if (lines.length <= shownLines) return text;
  const cut = (line: string) => (line.length > shownColumns ? `${line.slice(0, shownColumns)}…` : line);
  return [...lines.slice(0, 12).map(cut), "…"].join("\n");
}

const httpFileOf = (
  sections: readonly Section[],
): string => `# The calls of api.md for editors with a REST client. Made by \`make docs\`.
@base = http://127.0.0.1:7070
@token = {{login.response.body.$.token}}

${sections
  .flatMap(({ route, exchanges }) => exchanges.map(exchange => requestOf(route, exchange)))
  .join("\n")}`;

function requestOf({ method, name }: DescribedRoute, { call, path, headers }: Exchange): string {
  const isLogin = call.body?.["password"] === admin.password && call.isAnonymous === true;
  const lines = [
    `### ${name}: ${call.shows}`,
    ...(isLogin ? ["# @name login"] : []),
    `${method} {{base}}${path}`,
    ...(call.isAnonymous ? [] : ["Authorization: Bearer {{token}}"]),
    ...Object.entries(headers).map(([header, value]) => `${header}: ${value}`),
    ...(call.body === undefined
      ? []
      : ["Content-Type: application/json", "", JSON.stringify(call.body, null, 2)]),
  ];
  return `${lines.join("\n")}\n`;
}
