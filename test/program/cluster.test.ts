import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { makePlace } from "../../dev/cluster/place.ts";

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

  test("haproxy.cfg is one that HAProxy takes", t => {
    const { error, status, stderr } = spawnSync("haproxy", ["-c", "-f", "deploy/patroni/haproxy.cfg"], {
      encoding: "utf8",
      env: { PATH: `${process.env["PATH"]}:/usr/sbin` },
    });
    if (error !== undefined) return t.skip("this machine has no haproxy");
    assert.equal(status, 0, stderr);
  });

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
