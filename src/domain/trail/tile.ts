import { TrailError } from "./encoding.ts";

/** Hashes of a full tile, and entries of a full bundle (C2SP tlog-tiles). */
export const tileWidth = 256;
/** What the two bytes of a length in a bundle can say. */
export const mostEntryBytes = 65_535;
/** The levels of the tree from one level of tiles to the next. */
export const tileHeight = 8;

/**
 * The hashes of `width` consecutive nodes of the tree's level `8 * level`, from node `256 * index` on. Of level 0 they
 * are those of entries, which an entry bundle of the same index and width holds themselves.
 */
export interface Tile {
  readonly level: number;
  readonly index: number;
  /** From 1 to 256; a partial tile has fewer than 256. */
  readonly width: number;
}

/** The tile at this place in a tree of this size; undefined where the tree has none. */
export function tileAt(level: number, index: number, size: number): Tile | undefined {
  const hashesOfLevel = Math.floor(size / tileWidth ** level);
  const width = Math.min(tileWidth, hashesOfLevel - index * tileWidth);
  return width > 0 ? { level, index, width } : undefined;
}

/** Whether a tree of this size has all hashes of the tile. */
export const isTileOf = ({ level, index, width }: Tile, size: number): boolean =>
  (tileAt(level, index, size)?.width ?? 0) >= width;

/** What follows `tile/` in the path of a tile: `0/x001/x234/067.p/5` is tile 1234067 of level 0, of width 5. */
export const tilePath = ({ level, index, width }: Tile): string => `${level}/${placePath(index, width)}`;

/** What follows `tile/` in the path of an entry bundle. */
export const bundlePath = ({ index, width }: Omit<Tile, "level">): string =>
  `entries/${placePath(index, width)}`;

function placePath(index: number, width: number): string {
  const digits = String(index);
  const path = digits.padStart(Math.ceil(digits.length / 3) * 3, "0").replace(/\d{3}(?=\d)/g, "x$&/");
  return width === tileWidth ? path : `${path}.p/${width}`;
}

const pathFormat = /^(entries|0|[1-9]\d?)\/((?:x\d{3}\/){0,4}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

/** Reads what follows `tile/` in a path; undefined for any other form, also of the same numbers. */
export function readTilePath(path: string): (Tile & { readonly isBundle: boolean }) | undefined {
  const [, kind = "", place = "", partial] = pathFormat.exec(path) ?? [];
  const isBundle = kind === "entries";
  const tile = {
    level: isBundle ? 0 : Number(kind),
    index: Number(place.replace(/\D/g, "")),
    width: partial === undefined ? tileWidth : Number(partial),
  };
  const written = isBundle ? bundlePath(tile) : tilePath(tile);
  return written === path && tile.level < 64 && tile.width <= tileWidth ? { ...tile, isBundle } : undefined;
}

/** An entry bundle: each entry after its length in two bytes, big-endian. Throws TrailError when one is too long for that. */
export function writeBundle(entries: readonly Uint8Array[]): Uint8Array {
  const bundle = new Uint8Array(entries.reduce((length, entry) => length + 2 + entry.length, 0));
  let at = 0;
  for (const entry of entries) {
    if (entry.length > mostEntryBytes) throw new TrailError("an entry is longer than 65,535 bytes");
    bundle.set([entry.length >> 8, entry.length & 0xff], at);
    bundle.set(entry, at + 2);
    at += 2 + entry.length;
  }
  return bundle;
}

/** The entries of a bundle. Throws TrailError when it ends within one. */
export function readBundle(bundle: Uint8Array): Uint8Array[] {
  const entries: Uint8Array[] = [];
  for (let at = 0; at < bundle.length; ) {
    const length = (bundle[at] ?? 0) * 256 + (bundle[at + 1] ?? 0);
    const entry = bundle.subarray(at + 2, at + 2 + length);
    if (at + 2 > bundle.length || entry.length < length) throw new TrailError("is a bundle that is cut off");
    entries.push(entry);
    at += 2 + length;
  }
  return entries;
}
