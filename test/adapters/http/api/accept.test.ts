import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { prefersHtml } from "../../../../src/adapters/http/api/accept.ts";

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";

const html = [
  browser,
  "text/html",
  "TEXT/HTML",
  "text/*",
  "text/html, */*;q=0.1",
  "text/html;q=0.2",
  "application/json;q=0.5, text/html",
  "application/json;q=0.5,text/html;q=0.6",
  "application/json; q=0.5 , text/html ; q=0.51",
  "application/json;Q=0.1, text/html;Q=0.2",
  "text/html;charset=utf-8;q=0.9, application/json;q=0.8",
  "application/json;q=0, */*",
  "application/*;q=0.3, */*;q=0.4",
];

const json = [
  undefined,
  "",
  "*/*",
  "application/json",
  "application/json, text/plain, */*",
  "application/*",
  "image/png",
  "text/plain",
  "nonsense",
  ",;q=,",
  "text/html, application/json",
  "text/html;q=0.5, application/json;q=0.5",
  "text/html;q=0.5, application/json",
  "text/html;q=0",
  "text/html;q=0, */*",
  "text/*;q=0.4, */*;q=0.5",
  "text/*, text/html;q=0.1, application/json;q=0.2",
  "text/html;q=nonsense",
  "text/html;q=-1",
  "text/html;q=7",
];

describe("the choice between HTML and JSON", () => {
  for (const accept of html) {
    test(`Accept: ${accept} puts HTML first`, () => assert.equal(prefersHtml(accept), true));
  }
  for (const accept of json) {
    test(`Accept: ${accept ?? "(absent)"} is content with JSON`, () =>
      assert.equal(prefersHtml(accept), false));
  }
});
