import { randomUUID } from "node:crypto";
import { type FileHandle, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { TrailObstacleError } from "../application/trail/condition.ts";
import type { StateFile } from "../application/trail/ports.ts";

const place = "TRAIL_STATE_FILE";
/** In bytes, as the database bounds a checkpoint. */
const longestNote = 100_000;

/** Without the path, which Node's messages have. */
function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === "ENOENT" ? "its folder is not there" : (code ?? message);
}

/** A note in a file that is replaced as a whole, and not before the new one is on the disk. */
export function makeStateFile(path: string): StateFile {
  return {
    place,

    async read() {
      try {
        const found = await stat(path);
        // A pipe would never end.
        refuseUnlessFile(found);
        if (found.size > longestNote) throw new Error(`it is longer than ${longestNote} bytes`);
        return await readFile(path, "utf8");
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw new TrailObstacleError(`${place} cannot be read: ${reasonOf(error)}`, "failing");
      }
    },

    async write(note) {
      await replaceFile(path, note).catch(error => {
        throw new TrailObstacleError(`${place} cannot be written: ${reasonOf(error)}`, "failing");
      });
    },
  };
}

/**
 * Replaces a file in one step, so that it is always a whole one. Resolves when the new one would survive a crash.
 * The new file keeps the mode of the old one, and when root writes it, also the owner: the service has to read what a
 * command of root has written. A first file gets the owner of its folder.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  // A name that nobody else has: should two processes share the file, neither may replace it with what the other has half written.
  const next = `${path}.${randomUUID()}`;
  const old = await stat(path).catch(() => undefined);
  // Root would replace /dev/null, for all programs of the machine.
  if (old !== undefined) refuseUnlessFile(old);
  try {
    await withFile(next, "wx", async file => {
      const { uid, gid } = old ?? (await stat(dirname(path)));
      if (process.geteuid?.() === 0) await file.chown(uid, gid);
      if (old !== undefined) await file.chmod(old.mode & 0o777);
      await file.writeFile(text);
      await file.sync();
    });
    await rename(next, path);
  } finally {
    await rm(next, { force: true });
  }
  // So that the new name survives a crash too.
  await withFile(dirname(path), "r", folder => folder.sync());
}

function refuseUnlessFile(found: { isFile(): boolean }): void {
  if (!found.isFile()) throw new Error("it is not a regular file");
}

async function withFile(path: string, flags: string, work: (file: FileHandle) => Promise<void>) {
  const file = await open(path, flags, 0o600);
  try {
    await work(file);
  } finally {
    await file.close();
  }
}
