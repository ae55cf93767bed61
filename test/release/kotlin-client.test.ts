import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isInstalled, recipe, testRecipe } from "../support/client-recipe.ts";

/** Beside the example in one program, since compiling takes long. */
const driver = String.raw`
object Requests {
    @JvmStatic fun main(args: Array<String>) {
        val client = clientFromEnvironment()
        for (line in generateSequence(::readLine)) {
            val (method, path, body, field) = line.split("\u001f")
            val headers = if (field == "") mapOf() else mapOf(field.substringBefore(": ") to field.substringAfter(": "))
            val response = try {
                client.send(method, client.origin + path, if (body == "") null else body, headers)
            } catch (e: Failure) {
                e.response
            }
            println("" + response.status + " " + java.util.Base64.getEncoder().encodeToString(response.bytes))
        }
    }
}
`;

testRecipe({
  name: "client.kt",
  skip: isInstalled("kotlinc") ? false : "there is no kotlinc (Debian package kotlin)",
  prepare(folder) {
    const source = readFileSync(recipe("client.kt"), "utf8");
    const waits = 'File("waits").appendText("" + ($1) / 1_000 + "\\n")';
    writeFileSync(join(folder, "client.kt"), source.replace(/Thread\.sleep\((.*)\)$/m, waits) + driver);
    const jar = join(folder, "client.jar");
    execFileSync("kotlinc", [join(folder, "client.kt"), "-include-runtime", "-d", jar], { stdio: "pipe" });
    const run = ["java", "-cp", jar];
    return { example: [...run, "ClientKt"], requests: [...run, "Requests"] };
  },
});
