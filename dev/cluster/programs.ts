import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findPostgresBinaries } from "../../test/support/native-postgres.ts";

/** What a cluster is made of, each by its path. */
export interface Programs {
  /** Folder of PostgreSQL's programs. */
  readonly postgres: string;
  readonly etcd: string;
  readonly patroni: string;
  readonly patronictl: string;
  readonly haproxy: string;
}

/** Finds the programs, or says what is missing and which Debian package has it. */
export function findPrograms(): Programs | { readonly missing: readonly string[] } {
  // The loopback network is one address there.
  if (process.platform !== "linux")
    return { missing: ["Linux, whose loopback network is all of 127.0.0.0/8"] };
  const found = {
    postgres: findPostgresBinaries(),
    etcd: pathOf("etcd"),
    patroni: pathOf("patroni"),
    patronictl: pathOf("patronictl"),
    haproxy: pathOf("haproxy"),
  };
  const { postgres, etcd, patroni, patronictl, haproxy } = found;
  if (postgres && etcd && patroni && patronictl && haproxy && hasEtcdLibrary(patroni)) {
    return { postgres, etcd, patroni, patronictl, haproxy };
  }
  const packages: Readonly<Record<keyof Programs, string>> = {
    postgres: "postgresql",
    etcd: "etcd-server",
    patroni: "patroni",
    patronictl: "patroni",
    haproxy: "haproxy",
  };
  const names = Object.keys(packages) as (keyof Programs)[];
  const missing = names
    .filter(name => found[name] === undefined)
    .map(name => `${name} (Debian package ${packages[name]})`);
  if (patroni !== undefined && !hasEtcdLibrary(patroni)) {
    missing.push("the etcd library of Patroni's Python (Debian package python3-etcd)");
  }
  return { missing };
}

/** An ordinary user's path lacks the folders that have haproxy. */
const pathOf = (name: string): string | undefined =>
  [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin", "/usr/local/sbin"]
    .map(folder => join(folder, name))
    .find(existsSync);

/** Asks the Python that runs Patroni. */
function hasEtcdLibrary(patroni: string): boolean {
  const [, python] = /^#!(\S+)/.exec(readFileSync(patroni, "utf8")) ?? [];
  if (python === undefined) return false;
  try {
    execFileSync(python, ["-c", "import etcd"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
