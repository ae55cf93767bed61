import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** What `make run` keeps for its next start, in files that only this user can read. */
export interface DataFolder {
  readonly path: string;
  /** The text that `name` keeps, or what `make` gives on the first call. */
  keep(name: string, make: () => string): string;
  has(name: string): boolean;
  /** Stores where the service listens, for those who find the folder in use. */
  setAddress(address: string): void;
}

/** The folder is in use by another process. */
export class FolderInUse extends Error {
  /** Where the service of that process listens, once it does. */
  readonly address: string | undefined;

  constructor(folder: string, processId: number, address: string | undefined) {
    super(
      `${folder} is in use by process ${processId}${address === undefined ? "" : `, which serves ${address}`}. ` +
        `Stop that one, or set DATA_FOLDER to another folder. If it is no make run, remove ${join(folder, "lock")}`,
    );
    this.address = address;
  }
}

/**
 * Makes the folder where it is missing and takes it for this process: PGlite would be ruined by two.
 *
 * @throws FolderInUse
 */
export function openDataFolder(relative: string): DataFolder {
  const path = resolve(relative);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const file = (name: string) => join(path, name);
  const write = (name: string, text: string) => writeFileSync(file(name), text, { mode: 0o600 });
  const has = (name: string) => existsSync(file(name));

  const [holder = "", address] = has("lock") ? readFileSync(file("lock"), "utf8").split("\n") : [];
  if (isRunning(Number(holder))) throw new FolderInUse(path, Number(holder), address);
  write("lock", String(process.pid));
  process.once("exit", () => rmSync(file("lock"), { force: true }));

  return {
    path,
    has,
    keep(name, make) {
      if (!has(name)) write(name, make());
      const text = readFileSync(file(name), "utf8").trim();
      if (text === "") throw new Error(`${file(name)} is empty. Remove it, and a new one is made`);
      return text;
    },
    setAddress: address => write("lock", `${process.pid}\n${address}`),
  };
}

/** A password, or a key for signing, that nobody guesses. */
export const randomText = (bytes: number): string => randomBytes(bytes).toString("base64url");

function isRunning(processId: number): boolean {
  if (!(processId > 0)) return false;
  try {
    return process.kill(processId, 0);
  } catch (error) {
    // Another user's process.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
