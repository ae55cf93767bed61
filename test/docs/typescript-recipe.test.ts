import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { recipe, withoutExample } from "../support/client-recipe.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";

const run = promisify(execFile);

describe("docs/client.ts", () => {
  test("compiles, with the compiler's strictest settings", async () => {
    const folder = makeTemporaryFolder();
    for (const name of ["client.ts", "api.d.ts"]) copyFileSync(recipe(name), join(folder, name));
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const { compilerOptions } = JSON.parse(
      readFileSync("tsconfig.json", "utf8").replace(/^\s*\/\/.*$/gm, ""),
    );
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["client.ts"] }));
    const compiler = resolve("node_modules/.bin/tsc");
    await run(compiler, ["--noEmit", "-p", folder]).catch(({ stdout }) => assert.fail(stdout));
    const file = join(folder, "client.ts");
    writeFileSync(file, readFileSync(file, "utf8").replace('status: "COMPLETED"', 'status: "DONE"'));
    await assert.rejects(run(compiler, ["--noEmit", "-p", folder]), ({ stdout }) => /DONE/.test(stdout));
  });

  test("logs in once for all requests that wait for a token, also when it was refused", async () => {
    const folder = makeTemporaryFolder();
    const file = join(folder, "client.ts");
    writeFileSync(file, withoutExample(readFileSync(recipe("client.ts"), "utf8")));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    await run(resolve("node_modules/.bin/tsc"), ["--ignoreConfig", "--noCheck", "--target", "esnext", file]);
    let logins = 0;
    const server = createServer((request, response) => {
      const isLogin = request.url === "/api/v1/auth/login";
      if (isLogin) logins += 1;
      const isKnown = isLogin || request.headers.authorization === `Bearer ${logins}`;
      response.writeHead(
        isKnown ? 200 : 403,
        isKnown ? {} : { "WWW-Authenticate": 'Bearer error="invalid_token"' },
      );
      response.end(JSON.stringify(isLogin ? { token: `${logins}` } : {}));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      const { makeSend } = await import(pathToFileURL(file.replace(/ts$/, "js")).href);
      const { port } = server.address() as AddressInfo;
      const send = makeSend(`http://127.0.0.1:${port}`, () => ({
        email: "ada@example.com",
        password: "secret",
      }));
      const sendAll = () => Promise.all(Array.from({ length: 8 }, () => send("/api/v1/assets")));
      await sendAll();
      assert.equal(logins, 1);
      // The token of now is not known any more.
      logins = 5;
      await sendAll();
      assert.equal(logins, 6);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
