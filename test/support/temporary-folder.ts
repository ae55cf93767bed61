import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folders: string[] = [];
process.once("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder of its own, which is there until the end of this process. */
export function makeTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "maintenance-log-test-"));
  folders.push(folder);
  return folder;
}
