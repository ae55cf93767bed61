import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { recipe } from "../support/client-recipe.ts";
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
});
