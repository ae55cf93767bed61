import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { anchorOf } from "../dev/api-docs/contents.ts";
import { type Pages, renderPages } from "../dev/api-docs/render.ts";
import { makeRoutes, type UseCases } from "../src/adapters/http/api/routes.ts";
import { noCurl } from "./support/curl.ts";
import { openEmptyDatabase, type TestDatabase } from "./support/database.ts";

const committed = (name: string): string => readFileSync(join("docs", name), "utf8");

const made = ["api.md", "api.http", "api.html", "openapi.json", "commands.md", "api.d.ts"];

describe("the pages of docs/ that are made", { skip: noCurl }, () => {
  let database: TestDatabase;
  let pages: Pages;
  before(async () => {
    database = await openEmptyDatabase();
    pages = await renderPages(database.url);
  });
  after(() => database.drop());

  for (const name of made) {
    test(`${name} is what running it makes; if not: make docs`, () => {
      assert.equal(committed(name), pages[name]);
    });
  }

  test("are all there are", () => assert.deepEqual(Object.keys(pages), made));
});

describe("docs/api.md", () => {
  const page = committed("api.md");

  test("shows every endpoint, with at least one call that succeeds", () => {
    const sections = page.split(/^## /m).filter(section => /^[A-Z]+ \//.test(section));
    const routes = makeRoutes({} as UseCases);
    assert.deepEqual(
      sections.map(section => section.split("\n", 1)[0]).sort(),
      routes.map(({ method, path }) => `${method} ${path}`).sort(),
    );
    for (const { method, path, status } of routes) {
      const section = sections.find(section => section.startsWith(`${method} ${path}\n`)) ?? "";
      assert.match(section, new RegExp(`^HTTP/1.1 ${status} `, "m"), `${method} ${path}`);
    }
  });

  test("links to each of its sections, and to nothing that is not there", () => {
    const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));
    const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
    assert.deepEqual(links.sort(), headings.sort());
    assert.equal(new Set(headings).size, headings.length);
  });

  test("says the accepted form beside each message that begins with Invalid", () => {
    for (const message of ["performed date", "performedFrom value", "performedTo value", "limit value"]) {
      const row = page.split("\n").find(line => line.startsWith("|") && line.includes(`Invalid ${message}`));
      assert.match(row ?? "", /YYYY-MM-DDTHH:MM|1 to 1000/, message);
    }
  });

  test("shows no token, and none of the port that it was made with", () => {
    for (const name of ["api.md", "api.http"]) {
      assert.doesNotMatch(committed(name), /eyJ[\w-]+\.[\w-]+/);
      assert.deepEqual([...new Set(committed(name).match(/127\.0\.0\.1:\d+/g))], ["127.0.0.1:7070"]);
    }
  });
});
