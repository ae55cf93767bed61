import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { programCommand } from "./compiled.ts";

const [, session = ""] =
  /^## A first session\n[\s\S]*?```sh\n([\s\S]*?)```/m.exec(readFileSync("README.md", "utf8")) ?? [];

/**
 * Pastes the session of README.md into a shell, with nothing changed but the port, the folder and how the program starts.
 *
 * @param folder where `.data` is
 */
export function runFirstSession(folder: string, port: number) {
  const input = session
    .replaceAll("127.0.0.1:7070", `127.0.0.1:${port}`)
    .replaceAll(".data/", `${join(folder, ".data")}/`)
    .replaceAll("node --import tsx src/main.ts", programCommand);
  const env = { PATH: process.env["PATH"] };
  const { status, stdout, stderr } = spawnSync("sh", { input, encoding: "utf8", env });
  return { status, stdout, stderr };
}
