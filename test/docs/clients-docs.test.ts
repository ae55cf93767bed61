import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, copyFileSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { isInstalled, type Recipe, recipe, testRecipe } from "../support/client-recipe.ts";
import { noCurl } from "../support/curl.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";

const run = promisify(execFile);

/** test/release/kotlin-client.test.ts has the one that must be compiled first. */
const recipes: readonly Recipe[] = [
  {
    name: "client.sh",
    skip: noCurl,
    prepare(folder) {
      writeFileSync(join(folder, "sleep"), '#!/bin/sh\necho "$1" >>waits\n');
      chmodSync(join(folder, "sleep"), 0o700);
      return ["sh", recipe("client.sh")];
    },
  },
  {
    name: "client.py",
    skip: isInstalled("python3") ? false : "there is no python3",
    prepare(folder) {
      writeFileSync(
        join(folder, "run.py"),
        `import runpy, time
def sleep(seconds):
    with open("waits", "a") as waits:
        print(seconds, file=waits)
time.sleep = sleep
runpy.run_path("${recipe("client.py")}")
`,
      );
      return ["python3", join(folder, "run.py")];
    },
  },
  {
    name: "client.ts",
    skip: false,
    prepare(folder) {
      writeFileSync(
        join(folder, "waits.mjs"),
        `import { appendFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";
timers.setTimeout = async ms => appendFileSync("waits", ms / 1_000 + "\\n");
syncBuiltinESMExports();
`,
      );
      const imports = [join(folder, "waits.mjs"), import.meta.resolve("tsx")];
      return [process.execPath, ...imports.flatMap(path => ["--import", path]), recipe("client.ts")];
    },
  },
];

for (const each of recipes) testRecipe(each);

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
