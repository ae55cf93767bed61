import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { statusOf } from "../../src/adapters/http/api/status-of-error.ts";
import { exitCodes } from "../../src/commands/command.ts";

const page = readFileSync("docs/troubleshooting.md", "utf8");
const codeIn = (text: string): string[] => [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
/** In the lines of lists, what stands before a colon: behind it the page says what to do. */
const messagesIn = (text: string) =>
  [...text.matchAll(/^- ((?:`[^`]*`|[^:`])*): /gm)].map(([, messages = ""]) => messages);
/** What the page shows as a message, and what follows a colon in it. */
const shown = codeIn(page).flatMap(text => [text, text.replace(/^.*: /, "")]);

/** These speak of files that a reviewer hands to them, not of the service; and of what only a programmer can do wrong. */
const outOfScope =
  /^src\/(domain\/trail\/|application\/trail\/(audit|store-verification)|adapters\/trail-|commands\/(audit|trail-key|verif)|adapters\/http\/request\/router\.ts)/;

/** What these say of a setting follows its name, and is followed by an example of a right value. */
const withExample =
  /^src\/(config\/(values|read-settings)|adapters\/http\/request\/client-address|adapters\/postgres\/connection\/(database-url|encryption))\.ts/;

/** Nobody sees these unless a command forgets to hand something on. */
const internal = new Set(["files cannot be read here"]);

/** Calls that carry a message, and what begins or ends as only messages do. A RangeError is a broken invariant. */
const calls =
  /\b(?:invalid|unavailable|nonNull|accept|faults\.push|console\.error|new (?!Range)\w*Error|events(?:\.\w+|\[\w+\]))\(/g;
const literal = /"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;
const tellTale =
  /^(is|has|cannot|warning:|role) .* |^Invalid [a-z]|^[A-Z][\w-]* must be | required$|^(another|the|this)\b.* (is|may) /;

/** The messages in a source text, with `…` in place of what varies. */
function messagesOf(source: string): string[] {
  const code = source.replace(/^\s*(\/\/|\/?\*).*$/gm, "").replace(/^import .*$/gm, "");
  const called = [...code.matchAll(calls)].map(({ index, 0: { length } }) =>
    firstLiteral(code, index + length),
  );
  const telling = [...code.matchAll(literal)].map(textOf).filter(text => tellTale.test(text));
  return (
    [...called, ...telling]
      .map(text => text.replace(/\$\{(?:[^{}]|\{[^}]*\})*\}/g, "…"))
      // What ends like a sentence describes a field.
      .filter(text => /\w.* \w/.test(text) && !/\.$/.test(text))
  );
}

const textOf = ([, plain, template]: RegExpExecArray | RegExpMatchArray): string => plain ?? template ?? "";

/** The first text among the arguments that is no name of an error's kind. */
function firstLiteral(code: string, start: number): string {
  let depth = 1;
  let end = start;
  for (; depth > 0 && end < code.length; end += 1) {
    if (code[end] === "(") depth += 1;
    if (code[end] === ")") depth -= 1;
  }
  const texts = [...code.slice(start, end).matchAll(literal)].map(textOf);
  return texts.find(text => !/^[A-Z_]+$/.test(text) && /[a-z]/.test(text)) ?? "";
}

const asPattern = (text: string, varying: string): string =>
  text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("…", varying);

/** Whether a text has words of its own where the pattern has `…`; it may leave out what follows a colon or a semicolon. */
const matches = (pattern: string, text: string): boolean =>
  new RegExp(`^${asPattern(pattern, ".+")}(?:[:;].*)?$`).test(text);

/** As clients send them, and as messages write them: `taskType` and `task type`. */
const names = new Set<string>(["Request body"]);
JSON.parse(readFileSync("docs/openapi.json", "utf8"), (key, value) => {
  const named = key === "properties" ? Object.keys(value) : typeof value?.in === "string" ? [value.name] : [];
  for (const name of named)
    names.add(name).add(name.replace(/[A-Z]/g, (letter: string) => ` ${letter.toLowerCase()}`));
  return value;
});
const varying = `(?:${["…", ...names].join("|")})`;

/** On the page `…` stands for what varies in a message, for the name of a field, or at the end for a remedy or a reason. */
function says(text: string, message: string): boolean {
  const [, beginning = text, end = ""] = /^(.*[:;,]) (…)$/.exec(text) ?? [];
  return new RegExp(`^${asPattern(beginning, varying)}${end ? " .+" : "(?:[:;] .*)?"}$`, "i").test(message);
}

const isShown = (message: string): boolean =>
  shown.some(text => matches(message, text) || (/\w{3}/.test(text) && says(text, message)));

const allFiles = readdirSync("src", { recursive: true, encoding: "utf8" })
  .map(file => join("src", file))
  .filter(file => file.endsWith(".ts"));
const files = allFiles.filter(file => !outOfScope.test(file) && !withExample.test(file));

describe("docs/troubleshooting.md", () => {
  test("shows every message of the source", () => {
    const messages = files.flatMap(file =>
      messagesOf(readFileSync(file, "utf8")).map(message => ({ file, message })),
    );
    assert.ok(messages.length > 100, `${messages.length}`);
    const missing = messages.filter(({ message }) => !isShown(message) && !internal.has(message));
    assert.deepEqual(
      missing.map(({ file, message }) => `${file}: ${message}`),
      [],
      "add each of these messages to docs/troubleshooting.md, with what to do about it",
    );
  });

  test("can leave out those of make run and make demo, which say what to do", () => {
    const calls = ["dev/run", "dev/demo"].flatMap(folder =>
      readdirSync(folder).flatMap(file =>
        [...readFileSync(join(folder, file), "utf8").matchAll(/(?:new Error|super)\((.*?)\);/gs)].map(String),
      ),
    );
    assert.ok(calls.length >= 6, calls.join("\n"));
    // The last one passes on what the service says.
    const remedy = /\b(?:stop|move|remove|use) |make \S+ takes port|got status/i;
    assert.deepEqual(
      calls.filter(call => !remedy.test(call.replace(/in use by/, ""))),
      [],
    );
  });

  test("shows no message that the source does not have", () => {
    const sources = allFiles.map(file => readFileSync(file, "utf8"));
    const messages = sources.flatMap(messagesOf);
    const isKnown = (text: string) =>
      sources.some(source => source.includes(`"${text}"`)) ||
      messages.some(message => matches(message, text) || matches(text, message));
    const sections = ["Settings", "4xx responses", "5xx responses", "Lines of the log"].map(
      name => page.split(/^##+ /m).find(part => part.startsWith(name)) ?? "",
    );
    const said = sections.flatMap(messagesIn).flatMap(codeIn);
    const unknown = said.filter(text => !isKnown(text));
    assert.ok(said.length > 110, `${said.length}`);
    assert.deepEqual(unknown, [], "no source file has these messages: correct or remove their rows");
  });

  test("shows every status that the service can answer", () => {
    const source = files.map(file => readFileSync(file, "utf8")).join("\n");
    const direct = [...source.matchAll(/new HttpError\((\d{3}),/g)].map(([, status]) => Number(status));
    for (const status of new Set([...direct, ...Object.values(statusOf)])) {
      assert.match(page, new RegExp(`^- (?:\\d{3}, )*${status}[ ,]`, "m"), `add a line for ${status}`);
    }
  });

  test("has each exit code of the program once, and no other", () => {
    const table = page.slice(page.indexOf("| Exit code |"), page.indexOf("### Commands"));
    const rows = [...table.matchAll(/^\| (\d[\d, ]*) \|/gm)].flatMap(([, codes = ""]) =>
      codes.split(", ").map(Number),
    );
    assert.deepEqual(rows, [0, ...Object.values(exitCodes)]);
  });
});
