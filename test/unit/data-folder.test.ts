import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FolderInUse, openDataFolder } from "../../dev/run/data-folder.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";

test("a data folder is taken from no process that runs, whoever's it is, and from one that has ended", t => {
  const folder = makeTemporaryFolder();
  const lock = join(folder, "lock");
  const outcomes: Readonly<Record<string, boolean>> = { none: true, EPERM: true, ESRCH: false };
  for (const [code, isTaken] of Object.entries(outcomes)) {
    writeFileSync(lock, "4194304\nhttp://127.0.0.1:7070");
    const kill = t.mock.method(process, "kill", () => {
      if (code !== "none") throw Object.assign(new Error(code), { code });
      return true;
    });
    if (isTaken) assert.throws(() => openDataFolder(folder), FolderInUse, code);
    else openDataFolder(folder);
    kill.mock.restore();
  }
  assert.ok(existsSync(lock));
});
