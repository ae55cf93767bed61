import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  bundlePath,
  isTileOf,
  readBundle,
  readTilePath,
  tileAt,
  tilePath,
  writeBundle,
} from "../../../../src/domain/trail/tile.ts";

describe("paths of tiles", () => {
  for (const [path, tile] of [
    ["0/000", { level: 0, index: 0, width: 256 }],
    ["0/x001/x234/067", { level: 0, index: 1_234_067, width: 256 }],
    ["1/000.p/1", { level: 1, index: 0, width: 1 }],
    ["63/999.p/255", { level: 63, index: 999, width: 255 }],
    ["2/x001/000", { level: 2, index: 1_000, width: 256 }],
    ["0/x123/x456/x789/x012/345.p/7", { level: 0, index: 123_456_789_012_345, width: 7 }],
  ] as const) {
    test(`are those of C2SP tlog-tiles: ${path}`, () => {
      assert.equal(tilePath(tile), path);
      assert.deepEqual(readTilePath(path), { ...tile, isBundle: false });
    });
  }

  test("of entry bundles have no level", () => {
    assert.equal(bundlePath({ index: 1_234_067, width: 3 }), "entries/x001/x234/067.p/3");
    assert.deepEqual(readTilePath("entries/x001/x234/067.p/3"), {
      level: 0,
      index: 1_234_067,
      width: 3,
      isBundle: true,
    });
  });

  test("have one form only", () => {
    for (const path of [
      "",
      "0",
      "0/",
      "0/0",
      "0/0000",
      "00/000",
      "64/000",
      "100/000",
      "-1/000",
      "data/000",
      "entries",
      "0/x000/001",
      "0/001/002",
      "0/x001",
      "0/x001/x002",
      "0/000.p",
      "0/000.p/",
      "0/000.p/0",
      "0/000.p/01",
      "0/000.p/256",
      "0/000.p/999",
      "0/000/",
      "0/000\n",
      "/0/000",
      "0/٠٠٠",
      "0/x001/x001/x001/x001/x001/001",
    ]) {
      assert.equal(readTilePath(path), undefined, path);
    }
  });
});

test("the tiles of a tree are there up to their width, as C2SP tlog-tiles has them", () => {
  const widths = (size: number, ...places: (readonly [level: number, index: number])[]) =>
    places.map(([level, index]) => tileAt(level, index, size)?.width);
  assert.deepEqual(tileAt(0, 1, 300), { level: 0, index: 1, width: 44 });
  const atTheEnds = [
    [0, 272],
    [0, 273],
    [0, 274],
    [1, 0],
    [1, 1],
    [1, 2],
    [2, 0],
    [3, 0],
  ] as const;
  const expected = [256, 112, undefined, 256, 17, undefined, 1, undefined];
  assert.deepEqual(widths(70_000, ...atTheEnds), expected);
  assert.deepEqual(widths(256, [0, 0], [0, 1], [1, 0]), [256, undefined, 1]);
  assert.deepEqual([widths(255, [1, 0]), widths(0, [0, 0])], [[undefined], [undefined]]);
  assert.equal(isTileOf({ level: 0, index: 1, width: 44 }, 300), true);
  assert.equal(isTileOf({ level: 0, index: 1, width: 45 }, 300), false);
  assert.equal(isTileOf({ level: 7, index: 0, width: 1 }, 300), false);
});

describe("entry bundles", () => {
  test("have each entry after its length in two bytes", () => {
    const entries = [Buffer.from("a"), Buffer.alloc(0), Buffer.alloc(65_535, "b"), Buffer.alloc(258, "c")];
    const bundle = Buffer.from(writeBundle(entries));
    assert.deepEqual(bundle.subarray(0, 8), Buffer.from([0, 1, 97, 0, 0, 0xff, 0xff, 98]));
    assert.deepEqual(
      readBundle(bundle).map(entry => Buffer.from(entry)),
      entries,
    );
    assert.deepEqual(readBundle(new Uint8Array()), []);
    assert.throws(() => writeBundle([new Uint8Array(65_536)]), { name: "TrailError" });
    for (const length of [1, 2, 4, bundle.length - 1]) {
      assert.throws(() => readBundle(bundle.subarray(0, length)), { name: "TrailError" });
    }
  });
});
