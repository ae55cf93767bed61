import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isInstalled, type Recipe, recipe, testRecipe, withoutExample } from "../support/client-recipe.ts";
import { noCurl } from "../support/curl.ts";

/** test/release/kotlin-client.test.ts has the one that must be compiled first. */
const recipes: readonly Recipe[] = [
  {
    name: "client.sh",
    skip: noCurl,
    prepare(folder) {
      writeFileSync(join(folder, "sleep"), '#!/bin/sh\necho "$1" >>waits\n');
      chmodSync(join(folder, "sleep"), 0o700);
      const requests = withDriver(
        folder,
        "client.sh",
        String.raw`us=$(printf '\037')
while IFS=$us read -r method path body field; do
  set --
  [ -z "$field" ] || set -- -H "$field"
  case $body$field in '' | *Content-Type*) ;; *) set -- "$@" -H 'Content-Type: application/json' ;; esac
  [ -z "$body" ] || { printf '%s' "$body" >body && set -- "$@" --data-binary @body; }
  send "$method" "$ORIGIN$path" "$@"
  echo "$STATUS $(base64 <"$work/body" | tr -d '\n')"
done
`,
      );
      return { example: ["sh", recipe("client.sh")], requests: ["sh", requests] };
    },
  },
  {
    name: "client.py",
    skip: isInstalled("python3") ? false : "there is no python3",
    prepare(folder) {
      const requests = withDriver(
        folder,
        "client.py",
        String.raw`import base64
for line in sys.stdin:
    method, path, body, field = line.rstrip("\n").split("\x1f")
    name, _, value = field.partition(": ")
    try:
        response = send(method, urljoin(API, path), body.encode() or None, {name: value} if name else {})
    except Failure as failure:
        response = failure.response
    content = response.body if isinstance(response.body, bytes) else json.dumps(response.body).encode()
    print(response.status, base64.b64encode(content).decode())
`,
      );
      writeFileSync(
        join(folder, "run.py"),
        `import runpy, sys, time
def sleep(seconds):
    with open("waits", "a") as waits:
        print(seconds, file=waits)
time.sleep = sleep
runpy.run_path(sys.argv[1])
`,
      );
      const run = ["python3", join(folder, "run.py")];
      return { example: [...run, recipe("client.py")], requests: [...run, requests] };
    },
  },
  {
    name: "client.ts",
    skip: false,
    prepare(folder) {
      const requests = withDriver(
        folder,
        "client.ts",
        String.raw`import { createInterface } from "node:readline";
for await (const line of createInterface({ input: process.stdin })) {
  const [method, path, body, field] = line.split("\x1f") as [Sent["method"], string, string, string];
  const [name, value] = field.split(": ");
  const headers = name ? { [name]: value } : {};
  await withRetries(async () => {
    const response = await send(path, { method, ...(body && { body }), headers });
    console.log(response.status, Buffer.from(await response.arrayBuffer()).toString("base64"));
  }).catch(error => console.log(error.status ?? 0, Buffer.from(error.message).toString("base64")));
}
`,
      );
      writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
      writeFileSync(
        join(folder, "waits.mjs"),
        `import { appendFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";
timers.setTimeout = async ms => appendFileSync("waits", ms / 1_000 + "\\n");
syncBuiltinESMExports();
`,
      );
      // Without its types once, as Node 22.18 leaves them out: tsx would take longer at each start than the recipe.
      const example = join(folder, "client.ts");
      copyFileSync(recipe("client.ts"), example);
      const tsc = "node_modules/typescript/bin/tsc --ignoreConfig --noCheck --target esnext".split(" ");
      execFileSync(process.execPath, [...tsc, example, requests]);
      const run = [process.execPath, "--import", join(folder, "waits.mjs")];
      const [client, driver] = [example, requests].map(path => path.replace(/ts$/, "js"));
      return { example: [...run, client as string], requests: [...run, driver as string] };
    },
  },
];

/** Writes a program of a recipe's functions and other lines in place of its example, and returns its path. */
function withDriver(folder: string, name: string, driver: string): string {
  const path = join(folder, `requests-${name}`);
  writeFileSync(path, withoutExample(readFileSync(recipe(name), "utf8")) + driver);
  return path;
}

for (const each of recipes) testRecipe(each);
