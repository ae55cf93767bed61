import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openCheckpoint } from "../../src/domain/trail/checkpoint.ts";
import { provenLog } from "../../src/domain/trail/comparison.ts";
import { toBase64 } from "../../src/domain/trail/encoding.ts";
import { readEntry } from "../../src/domain/trail/entry.ts";
import { type Hash, leafHash, makeFrontier } from "../../src/domain/trail/merkle.ts";
import { formatVerifierKey } from "../../src/domain/trail/note.ts";
import { readProof } from "../../src/domain/trail/proof.ts";
import { bundlePath, readBundle, tilePath } from "../../src/domain/trail/tile.ts";
import { makeMemoryRepositories } from "../fakes/memory-repositories.ts";
import { callerOf } from "../support/by-admin.ts";
import { entryBytes } from "../support/entry-bytes.ts";
import { aLog, anAsset } from "../support/test-records.ts";
import { tilesOf } from "../support/trail.ts";
import { until } from "../support/until.ts";
import { describeInWorlds, openWorld, trailKey } from "../support/world.ts";

const trail = "/api/v1/trail";
/** How a link names the entry that it continues. */
const placeOf = (leaf: Hash | undefined) =>
  Buffer.from(leaf ?? assert.fail())
    .toString("hex")
    .slice(0, 16);

describeInWorlds("the trail over HTTP", async world => {
  const token = world.tokens.TECHNICIAN;
  const { id: assetId } = await world.ports.assets.insert(anAsset());

  const get = (path: string) => world.call("GET", path, { token });
  const getBytes = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${world.port}${path}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    return {
      status: response.status,
      type: response.headers.get("content-type"),
      bytes: new Uint8Array(await response.arrayBuffer()),
    };
  };
  const writeLogs = async (count: number) => {
    const caller = callerOf(world.employees.TECHNICIAN);
    const writes = Array.from({ length: count }, (_, at) =>
      world.ports.maintenanceLogs.append(assetId, caller, aLog({ comment: `"${at}" \u2028é😀\u0001\\ud` })),
    );
    return (await Promise.all(writes)).map(({ log }) => log.id);
  };
  const openNewest = async () => {
    const { text } = await get(`${trail}/checkpoint`);
    return openCheckpoint(text, [trailKey]);
  };
  const allEntries = async () => {
    const entries: { index: number; entry: object }[] = [];
    for (let path = `${trail}/entries?limit=97`; ; ) {
      const { json, headers } = await get(path);
      entries.push(...(json as typeof entries));
      const link = headers.get("link") ?? "";
      const [, next] =
        /^<(entries\?from=\d+&after=[\da-f]{16}&limit=97)>; rel="next"$/.exec(link) ?? assert.fail(link);
      path = `${trail}/${next}`;
      if ((json as object[]).length === 0) return { entries, path };
    }
  };

  test("has a log with its 201: nobody waits for the poll of the second", async () => {
    const [id = 0] = await writeLogs(1);
    const proof = await get(`/api/v1/logs/${id}/proof`);
    assert.equal(proof.status, 200);
    assert.equal(provenLog(readProof(proof.text), await openNewest()).id, id);
    const [more = 0] = await writeLogs(1);
    const { json, headers } = await get(`${trail}/entries?from=5`);
    assert.deepEqual(
      (json as { index: number; entry: { id: number } }[]).map(({ index, entry }) => [index, entry.id]),
      [[5, more]],
    );
    assert.equal(headers.get("trail-condition"), "whole");
  });

  test("has a head and a checkpoint that say the same", async () => {
    const { size, root } = await openNewest();
    const head = (await get(trail)).json as Record<string, unknown>;
    assert.deepEqual(head, {
      origin: "trail.example.com",
      publicKey: formatVerifierKey(trailKey),
      size,
      rootHash: toBase64(root),
      checkpoint: (await get(`${trail}/checkpoint`)).text,
    });
    assert.equal(size, 3 + 1 + 2);
    for (const path of [trail, `${trail}/checkpoint`])
      assert.equal((await get(path)).headers.get("trail-condition"), "whole");
  });

  test("entries, tiles, bundles and proofs agree with every checkpoint", async () => {
    const ids: number[] = [];
    for (const count of [1, 3, 300, 2, 400]) {
      ids.push(...(await writeLogs(count)));
      const { size, root } = await openNewest();
      const { entries, path } = await allEntries();
      assert.deepEqual(
        entries.map(({ index }) => index),
        Array.from({ length: size }, (_, at) => at),
      );
      const leaves: Hash[] = [];
      const frontier = makeFrontier();
      for (const { entry } of entries) {
        const bytes = entryBytes(readEntry(Buffer.from(JSON.stringify(entry))));
        leaves.push(leafHash(bytes));
        frontier.append(leafHash(bytes));
      }
      assert.equal(toBase64(frontier.root), toBase64(root));
      assert.equal(path, `${trail}/entries?from=${size}&after=${placeOf(leaves.at(-1))}&limit=97`);

      for (const tile of tilesOf(size)) {
        const { status, type, bytes } = await getBytes(`${trail}/tile/${tilePath(tile)}`);
        assert.deepEqual([status, type, bytes.length], [200, "application/octet-stream", 32 * tile.width]);
        if (tile.level > 0) continue;
        assert.deepEqual(
          Buffer.from(bytes),
          Buffer.concat(leaves.slice(256 * tile.index, 256 * tile.index + tile.width)),
        );
        const bundle = await getBytes(`${trail}/tile/${bundlePath(tile)}`);
        // Clients made from the OpenAPI document encode the slashes of a parameter.
        for (const slash of ["%2F", "%2f"]) {
          const encoded = await getBytes(`${trail}/tile/${bundlePath(tile).replaceAll("/", slash)}`);
          assert.deepEqual(encoded, bundle);
        }
        assert.deepEqual(
          readBundle(bundle.bytes).map(entry => toBase64(leafHash(entry))),
          leaves.slice(256 * tile.index, 256 * tile.index + tile.width).map(toBase64),
        );
      }
      for (const id of [
        ids[0],
        ids.at(-1),
        ids[Math.floor(ids.length / 2)],
        ids[Math.floor(ids.length / 3)],
      ] as number[]) {
        const { text, headers } = await get(`/api/v1/logs/${id}/proof`);
        assert.equal(headers.get("content-type"), "text/plain; charset=utf-8");
        const proof = readProof(text);
        const checkpoint = openCheckpoint(proof.checkpoint, [trailKey]);
        assert.equal(provenLog(proof, checkpoint).id, id);
      }
    }
  });

  test("what is not there, or not covered, is 404, and a wrong parameter is 400", async () => {
    const { size } = await openNewest();
    for (const path of [
      "tile/0/999",
      "tile/0/000.p/0",
      "tile/",
      "tile",
      "tile/entries/999",
      `tile/0/002.p/${(size % 256) + 1}`,
    ]) {
      assert.equal((await get(`${trail}/${path}`)).status, 404, path);
    }
    for (const query of [
      "from=-1",
      "from=x",
      "from=1&from=2",
      "limit=0",
      "limit=1001",
      "after=",
      "after=0123456789abcde",
      "after=0123456789ABCDEF",
    ]) {
      assert.equal((await get(`${trail}/entries?${query}`)).status, 400, query);
    }
    const end = await get(`${trail}/entries?from=${size}`);
    assert.deepEqual([end.status, end.json], [200, []]);
    const [, link = ""] = /^<(.*)>; rel="next"$/.exec(end.headers.get("link") ?? "") ?? [];
    assert.equal((await get(`${trail}/${link}`)).status, 200);
    for (const query of [
      `from=${size}&after=0123456789abcdef`,
      `from=${size + 1}&after=0123456789abcdef`,
      link.replace(`from=${size}`, `from=${size - 1}`),
      link.replace(`from=${size}`, `from=${size + 1}`),
    ]) {
      const other = await get(`${trail}/entries?${query.replace("entries?", "")}`);
      assert.deepEqual(
        [other.status, other.json],
        [409, { status: 409, msg: "The trail has another history" }],
        query,
      );
    }
    for (const from of [size + 1, size + 10, 999_999_999_999_999]) {
      const beyond = await get(`${trail}/entries?from=${from}`);
      assert.deepEqual(
        [beyond.status, beyond.json],
        [404, { status: 404, msg: `The trail has ${size} entries` }],
      );
      assert.equal(beyond.headers.get("link"), null);
    }
  });
});

describe("a bundle with a record that was removed", () => {
  /** What becomes of the first bundle, of entries with this comment, when the record at an index is gone. */
  async function answerWithout(index: number, comment: string) {
    const repositories = makeMemoryRepositories();
    const { records } = repositories.trail;
    const { entries } = records;
    let gone = Number.POSITIVE_INFINITY;
    Object.assign(records, {
      entries: (from: number, to: number) => entries(from, from > gone ? to : Math.min(to, gone)),
    });
    const world = await openWorld({ repositories });
    const asset = await world.ports.assets.insert(anAsset());
    const caller = callerOf(world.employees.TECHNICIAN);
    for (let count = 0; count < 256; count += 1) {
      await world.ports.maintenanceLogs.append(asset.id, caller, aLog({ comment }));
    }
    await until(async () => {
      await world.cover();
      return world.trail.state().size >= 256;
    });
    gone = index;
    const answer = await world
      .call("GET", `${trail}/tile/entries/000`, { token: world.tokens.ADMIN })
      .catch(() => undefined);
    const failed = world.recorded.findLast(({ event }) => event === "request");
    await world.close();
    return { answer, failed };
  }

  test("is 410 as long as nothing was sent", async () => {
    for (const [index, comment] of [
      [0, "Oil"],
      [0, "\u0001".repeat(10_000)],
    ] as const) {
      const { answer } = await answerWithout(index, comment);
      assert.equal(answer?.status, 410);
      assert.match(answer?.json.msg, new RegExp(`^Entry ${index} of the trail was removed$`));
    }
  });

  test("is cut off after that, so that nobody takes it for a whole one", async () => {
    for (const comment of ["Oil", "\u0001".repeat(10_000)]) {
      const { answer, failed } = await answerWithout(250, comment);
      assert.equal(answer, undefined);
      assert.deepEqual([failed?.details?.["status"], failed?.details?.["cut"]], [200, true]);
    }
  });
});

describe("a trail without a key", () => {
  test("is numbered and not signed", async () => {
    await using world = await openWorld({ key: null });
    const token = world.tokens.TECHNICIAN;
    await world.cover();
    const { json } = await world.call("GET", trail, { token });
    const { rootHash, ...head } = json as Record<string, unknown>;
    assert.deepEqual(head, { origin: null, publicKey: null, size: 3, checkpoint: null });
    assert.equal(String(rootHash).length, 44);
    assert.equal((await world.call("GET", `${trail}/checkpoint`, { token })).status, 404);
    const proof = await world.call("GET", "/api/v1/logs/1/proof", { token });
    assert.deepEqual(proof.json, { status: 404, msg: "The trail is not signed" });
    const entries = await world.call("GET", `${trail}/entries`, { token });
    assert.equal((entries.json as object[]).length, 3);
  });
});
