import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { apiPage, apiPagePolicy } from "../../../../src/adapters/ops/page/api-page.ts";
import { describeApi } from "../../../../src/app.ts";

const document = await describeApi();
const page = apiPage(document);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    path,
    method: method.toUpperCase(),
    ...operation,
  })),
);
const sectionOf = (id: string) => page.split(/(?=<article )/).find(part => part.includes(`id="${id}"`)) ?? "";

describe("the page of the API", () => {
  test("shows every operation with its path, role, parameters, fields and a command", () => {
    assert.ok(operations.length > 20);
    for (const { operationId, method, path, summary, parameters } of operations) {
      const section = sectionOf(operationId);
      assert.ok(section.includes(`${method}</span> <code>${path}</code>`), operationId);
      assert.ok(section.includes(summary.replaceAll("'", "&#39;")), operationId);
      assert.match(section, /<pre class="command">curl -i /, operationId);
      for (const { name } of parameters)
        assert.ok(section.includes(`<code>${name}</code>`), `${operationId} ${name}`);
    }
    assert.match(sectionOf("writeLog"), /<code>performedDate<\/code>/);
    assert.match(sectionOf("writeLog"), /TECHNICIAN or above/);
    assert.match(sectionOf("writeLog"), /Idempotency-Key: /);
    assert.match(sectionOf("logIn"), /open to everybody/);
  });

  test("shows every record and error, and its links lead somewhere", () => {
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    for (const part of [document.components.schemas, document.components.responses]) {
      for (const name of Object.keys(part)) assert.ok(ids.has(name), name);
    }
    for (const [, id] of page.matchAll(/href="#([^"]*)"/g)) assert.ok(ids.has(id), id);
  });

  test("loads nothing and runs nothing, and its style is as its policy has it", () => {
    assert.doesNotMatch(page, /<script|src=|url\(|@import| on\w+=| style=/i);
    assert.match(apiPagePolicy, /^default-src 'none'; style-src 'sha256-[\w+/=]+';/);
    assert.doesNotMatch(apiPagePolicy, /unsafe/);
  });

  test("escapes what the document says", () => {
    const hostile = "<script>alert(1)</script>";
    const [first] = document.tags;
    const changed = {
      ...document,
      info: { ...document.info, title: hostile, description: hostile },
      tags: [{ name: first?.name ?? "", description: hostile }],
    };
    assert.doesNotMatch(apiPage(changed), /<script/);
  });
});
