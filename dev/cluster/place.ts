import { randomBytes } from "node:crypto";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unprivilegedUser } from "../../test/support/native-postgres.ts";

/** Where the machines of the examples are: in a folder of this one, at addresses of its loopback network. */
export interface Place {
  readonly folder: string;
  /** Who runs what must not run as root; undefined for oneself. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
  readonly passwords: { readonly superuser: string; readonly replication: string };
  /** The address here of one in the examples: `10.0.0.11` or `10.0.0.11:5432`. */
  address(example: string): string;
  /** Makes a folder that belongs to the user. */
  makeFolder(name: string): string;
  /** Writes an example of deploy/ with the addresses of this place, and answers its path. */
  write(example: string, name: string, replaced: Readonly<Record<string, string>>): string;
  remove(): void;
}

/** @param network the first three bytes of the addresses, in place of 10.0.0 */
export function makePlace(network: string): Place {
  const folder = mkdtempSync(join(tmpdir(), "maintenance-log-cluster-"));
  chmodSync(folder, 0o755);
  const user = process.getuid?.() === 0 ? unprivilegedUser() : undefined;
  const own = (path: string) => user !== undefined && chownSync(path, user.uid, user.gid);
  const address = (text: string) =>
    // Connections from a loopback address may come from any other.
    text.replaceAll("10.0.0.0/24", "127.0.0.0/8").replaceAll(/\b10\.0\.0\./g, `${network}.`);
  return {
    folder,
    user,
    passwords: { superuser: randomBytes(12).toString("hex"), replication: randomBytes(12).toString("hex") },
    address,
    makeFolder(name) {
      const path = join(folder, name);
      mkdirSync(path, { mode: 0o700 });
      own(path);
      return path;
    },
    write(example, name, replaced) {
      let text = readFileSync(join("deploy/patroni", example), "utf8");
      for (const [from, to] of Object.entries(replaced)) {
        if (!text.includes(from)) throw new Error(`deploy/patroni/${example} does not say ${from}`);
        text = text.replaceAll(from, to);
      }
      const path = join(folder, name);
      writeFileSync(path, address(text), { mode: 0o600 });
      own(path);
      return path;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
