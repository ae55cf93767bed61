import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

const [, session = ""] =
  /^## A first session\n[\s\S]*?```sh\n([\s\S]*?)```/m.exec(readFileSync("README.md", "utf8")) ?? [];

/**
 * Pastes the session of README.md, with nothing changed but the port, into a shell.
 *
 * @param folder where `.data` is
 */
export function runFirstSession(folder: string, port: number) {
  const input = session.replaceAll("127.0.0.1:7070", `127.0.0.1:${port}`);
  const env = { PATH: process.env["PATH"] };
  const { status, stdout, stderr } = spawnSync("sh", { cwd: folder, input, encoding: "utf8", env });
  return { status, stdout, stderr };
}
