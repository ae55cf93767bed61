import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { describeApi } from "../../dev/api-docs/describe.ts";
import { commandOf } from "../../dev/api-docs/page/curl-command.ts";
import { apiPage } from "../../dev/api-docs/page/page.ts";
import { adminEmail } from "../../dev/run/logins.ts";
import { policyOf } from "../../src/adapters/ops/page/html.ts";
import { noCurl } from "../support/curl.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { aLog, aRegistration } from "../support/test-records.ts";
import { api, openWorld } from "../support/world.ts";

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
      assert.ok(
        section.replaceAll("<wbr>", "").includes(`${method}</span> <code>${path}</code>`),
        operationId,
      );
      assert.ok(section.includes(summary.replaceAll("'", "&#39;")), operationId);
      assert.match(section, /<pre class="command">curl -i /, operationId);
      for (const { name } of parameters)
        assert.ok(section.includes(`<code>${name}</code>`), `${operationId} ${name}`);
    }
    assert.match(sectionOf("writeLog"), /<code>performedDate<\/code>/);
    assert.match(sectionOf("writeLog"), /TECHNICIAN or above/);
    assert.match(sectionOf("writeLog"), /Idempotency-Key: /);
    assert.match(sectionOf("logIn"), /open to everybody/);
    assert.match(sectionOf("deactivateEmployee"), />ADMIN</);
  });

  test("describes a parameter that several operations have once", () => {
    const described = operations.flatMap(({ parameters }) =>
      parameters.map(({ name, in: place, description }) => `${name} ${place} ${description}`),
    );
    const rows = [...page.matchAll(/<td><code>[\w-]+<\/code> <span class="note">(path|query|header), /g)];
    assert.equal(rows.length, new Set(described).size);
    assert.ok(rows.length < described.length / 2);
  });

  test("says of every success what it has, and links to every error", () => {
    const meanings = [...page.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)].map(
      ([, , meaning = ""]) => meaning,
    );
    assert.ok(meanings.length > 25);
    const [, ofAll = ""] = /<h2 id="errors">errors<\/h2>\n<p>(.*?)<\/p>/s.exec(page) ?? [];
    for (const { operationId, responses } of operations) {
      const links = sectionOf(operationId) + ofAll;
      const refused = Object.keys(responses).filter(status => Number(status) >= 400);
      for (const status of refused)
        assert.ok(links.includes(`href="#Error${status}"`), `${operationId} ${status}`);
    }
    const wrong = meanings.filter(meaning => /undefined|^Of |^$/.test(meaning));
    assert.deepEqual(wrong, []);
  });

  test("has commands that the service carries out as they stand", { skip: noCurl }, async () => {
    await using world = await openWorld();
    // One of the commands deactivates the first employee.
    const { token } = await world.join("ADMIN");
    await world.call("POST", `${api}/assets`, { token, body: { name: "Pump 7" } });
    await world.call("POST", `${api}/assets/1/logs`, { token, body: aLog() });
    // Its credentials, and the password of the first employee, are not those of this service.
    const expected: Readonly<Record<string, number>> = { logIn: 401, changePassword: 403 };
    for (const { operationId, method, path, responses, ...operation } of operations) {
      const command = commandOf({ ...operation, operationId, method, path, responses });
      const env = { PATH: process.env["PATH"], BASE: `http://127.0.0.1:${world.port}`, TOKEN: token };
      const { stdout } = await promisify(execFile)("sh", ["-c", command], { env });
      const success = Number(Object.keys(responses).find(status => status.startsWith("2")));
      // There may be no checkpoint of a trail yet.
      const orNothing = /\/(trail|proof)\b/.test(path) ? "|404" : "";
      const status = `(${expected[operationId] ?? success}${orNothing})`;
      assert.match(stdout, new RegExp(`^HTTP/1.1 ${status} `), command);
    }
  });

  test("begins with a login that works for make run and make demo", { skip: noCurl }, async () => {
    await using world = await openWorld();
    const folder = makeTemporaryFolder();
    mkdirSync(join(folder, ".data/embedded"), { recursive: true });
    writeFileSync(join(folder, ".data/embedded/admin-password"), "own password");
    const token = world.tokens.ADMIN;
    const body = aRegistration({ email: adminEmail, role: "ADMIN", password: "own password" });
    assert.equal((await world.call("POST", `${api}/auth/register`, { token, body })).status, 201);
    const [, shown = ""] =
      /<p class="note">Before the commands below:<\/p>\n<pre class="command">(.*?)<\/pre>/s.exec(page) ?? [];
    const login = shown
      .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
      .replace("127.0.0.1:7070", `127.0.0.1:${world.port}`);
    const command = `${login}\ncurl -s -H "Authorization: Bearer $TOKEN" $BASE${api}/employees/me`;
    const { stdout } = await promisify(execFile)("sh", ["-c", command], { cwd: folder });
    assert.equal(JSON.parse(stdout).email, adminEmail);
  });

  test("shows every record and error, and its links lead somewhere", () => {
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const bodies = operations.map(({ requestBody }) =>
      String(requestBody?.content["application/json"]?.schema["$ref"]).split("/").at(-1),
    );
    for (const part of [document.components.schemas, document.components.responses]) {
      for (const name of Object.keys(part)) assert.ok(ids.has(name) !== bodies.includes(name), name);
    }
    for (const [, id] of page.matchAll(/href="#([^"]*)"/g)) assert.ok(ids.has(id), id);
  });

  test("loads nothing and runs nothing, and its style is as its policy has it", () => {
    assert.doesNotMatch(page, /<script|src=|url\(|@import| on\w+=| style=/i);
    assert.match(policyOf(page), /^default-src 'none'; style-src 'sha256-[\w+/=]+';/);
    assert.doesNotMatch(policyOf(page), /unsafe/);
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
