import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { makeDaemon } from "../../dev/cluster/daemon.ts";
import { makePlace } from "../../dev/cluster/place.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";

const page = readFileSync("docs/cluster.md", "utf8");
const example = (name: string): string => readFileSync(`deploy/patroni/${name}`, "utf8");

describe("the examples of docs/cluster.md", () => {
  for (const name of ["etcd", "patroni.yml"]) {
    test(`${name} has just the placeholders that the page replaces`, () => {
      const settings = example(name).replace(/^ *#.*$/gm, "");
      const placeholders = new Set(settings.match(/\b(NODE|SUPERUSER|REPLICATION)_[A-Z]+\b/g));
      const [command = ""] = new RegExp(`^sed [^>]*deploy/patroni/${name} >`, "m").exec(page) ?? [];
      const replaced = [...command.matchAll(/s\/([A-Z_]+)\//g)].map(([, found]) => found);
      assert.deepEqual(replaced.sort(), [...placeholders].sort());
      for (const found of placeholders) {
        const onALine = settings.split("\n").map(line => line.split(found).length - 1);
        assert.ok(Math.max(...onALine) === 1, `sed without g misses the second ${found} of a line`);
      }
    });
  }

  for (const file of ["deploy/haproxy.cfg", "deploy/patroni/haproxy.cfg"]) {
    test(`${file} is one that HAProxy takes, and not as root`, t => {
      assert.match(
        readFileSync(file, "utf8"),
        /^global\n(?: {4}.*\n)* {4}user haproxy\n {4}group haproxy\n/m,
      );
      const { error, status, stderr } = spawnSync("haproxy", ["-c", "-f", file], {
        encoding: "utf8",
        env: { PATH: `${process.env["PATH"]}:/usr/sbin` },
      });
      if (error !== undefined) return t.skip("this machine has no haproxy");
      assert.equal(status, 0, stderr);
    });
  }

  test("are written for another network, as make cluster does, and for it alone", () => {
    const place = makePlace("127.0.5");
    try {
      const written = readFileSync(place.write("haproxy.cfg", "haproxy.cfg", {}), "utf8");
      const servers = example("haproxy.cfg").match(/\b10\.0\.0\.\d+:\d+/g) ?? [];
      assert.ok(servers.length >= 7);
      assert.doesNotMatch(written, /\b10\.0\.0\./);
      for (const server of servers) assert.ok(written.includes(server.replace("10.0.0.", "127.0.5.")));
      assert.throws(
        () => place.write("haproxy.cfg", "x", { "no such text": "" }),
        /does not say no such text/,
      );
    } finally {
      place.remove();
    }
  });
});

describe("a daemon of make cluster that is to run for ever", () => {
  const log = join(makeTemporaryFolder(), "log");
  const starts = () => (existsSync(log) ? readFileSync(log, "utf8").split("\n").length - 1 : 0);

  test("is started again when it is killed, and not when it is ended", async () => {
    const cwd = process.cwd();
    const daemon = makeDaemon("sh", ["-c", "echo started && exec sleep 60"], { cwd, log, restarts: true });
    daemon.start();
    await until(() => starts() === 1);
    process.kill(daemon.pid() as number, "SIGKILL");
    await until(() => starts() === 2);
    await daemon.end("SIGTERM");
    // Longer than the rest before a start.
    await sleep(1_500);
    assert.deepEqual([starts(), daemon.pid()], [2, undefined]);
  });
});
