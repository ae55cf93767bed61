import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { script } from "../../support/compiled.ts";
import { findPostgresBinaries } from "../../support/native-postgres.ts";

/** Why no network of its own can be had, which loses its packets. */
function missing(): string | false {
  if (process.getuid?.() !== 0) return "no network for root in this container";
  try {
    execFileSync("unshare", ["--net", "tc", "qdisc", "add", "dev", "lo", "root", "pfifo", "limit", "0"]);
    return false;
  } catch (error) {
    return `no network of its own in this container: ${error}`;
  }
}

for (const [lost, skip] of [
  ["clients", missing()],
  ["the server", findPostgresBinaries() === undefined ? "no native PostgreSQL" : missing()],
] as const)
  test(`packets of ${lost} that are lost, without an end, leave nothing behind`, { skip }, () => {
    execFileSync("unshare", ["--net", process.execPath, ...script("test/support/lost-packets.ts"), lost]);
  });
