import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isInstalled, recipe, testRecipe } from "../support/client-recipe.ts";

testRecipe({
  name: "client.kt",
  skip: isInstalled("kotlinc") ? false : "there is no kotlinc (Debian package kotlin)",
  prepare(folder) {
    const source = readFileSync(recipe("client.kt"), "utf8");
    const waits = 'File("waits").appendText("" + ($1) / 1_000 + "\\n")';
    writeFileSync(join(folder, "client.kt"), source.replace(/Thread\.sleep\((.*)\)$/m, waits));
    const jar = join(folder, "client.jar");
    spawnSync("kotlinc", [join(folder, "client.kt"), "-include-runtime", "-d", jar]);
    // So that the recipe, and not the JVM, repeats what got no response.
    return ["java", "-Dsun.net.http.retryPost=false", "-jar", jar];
  },
});
