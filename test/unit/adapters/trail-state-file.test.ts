import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeStateFile, replaceFile } from "../../../src/adapters/trail-state-file.ts";
import { makeTemporaryFolder } from "../../support/temporary-folder.ts";

const notRoot = process.geteuid?.() !== 0 && "only root can give a file to another user";
/** Of nobody here: the ids of the service's user and group. */
const service = { uid: 61_234, gid: 61_235 };

const ownerOf = (path: string) => {
  const { uid, gid, mode } = statSync(path);
  return { uid, gid, mode: mode & 0o777 };
};

describe("a state file", () => {
  test("is replaced as a whole, with nothing left beside it, and only its user may read a new one", async () => {
    const folder = makeTemporaryFolder();
    const path = join(folder, "state");
    const file = makeStateFile(path);
    assert.equal(await file.read(), undefined);
    await file.write("one");
    assert.equal(ownerOf(path).mode, 0o600);
    await file.write("two");
    assert.equal(await file.read(), "two");
    assert.deepEqual(readdirSync(folder), ["state"]);
  });

  test("is on the disk before it gets its name, and its name before anybody goes on", async t => {
    const folder = makeTemporaryFolder();
    const path = join(folder, "state");
    writeFileSync(path, "one");
    const probe = await open(path);
    await probe.close();
    const prototype = Object.getPrototypeOf(probe) as FileHandle;
    const { sync } = prototype;
    const synced: unknown[] = [];
    t.mock.method(prototype, "sync", async function (this: FileHandle) {
      const { ino, size } = await this.stat();
      synced.push({ ino, size, named: readFileSync(path, "utf8") });
      await sync.call(this);
    });
    await replaceFile(path, "the next");
    const [file, around] = [statSync(path), statSync(folder)];
    assert.deepEqual(synced, [
      { ino: file.ino, size: 8, named: "one" },
      { ino: around.ino, size: around.size, named: "the next" },
    ]);
  });

  test("is refused where it is no regular file, and never put in its place", async () => {
    const folder = makeTemporaryFolder();
    const [pipe, inner] = [join(folder, "pipe"), join(folder, "folder")];
    execFileSync("mkfifo", [pipe]);
    mkdirSync(inner);
    for (const path of [pipe, inner]) {
      const state = makeStateFile(path);
      const because = (what: string) => ({
        name: "TrailError",
        message: `TRAIL_STATE_FILE cannot be ${what}: it is not a regular file`,
      });
      await assert.rejects(state.read(), because("read"));
      await assert.rejects(state.write("one"), because("written"));
    }
    assert.ok(statSync(pipe).isFIFO());
    assert.deepEqual(readdirSync(folder), ["folder", "pipe"]);
  });

  test("that is longer than any checkpoint is not read", async () => {
    const path = join(makeTemporaryFolder(), "state");
    writeFileSync(path, "x".repeat(100_000));
    assert.equal((await makeStateFile(path).read())?.length, 100_000);
    writeFileSync(path, "x".repeat(100_001));
    const message = "TRAIL_STATE_FILE cannot be read: it is longer than 100000 bytes";
    await assert.rejects(makeStateFile(path).read(), { message });
  });

  test("keeps its mode", async () => {
    const path = join(makeTemporaryFolder(), "state");
    writeFileSync(path, "one");
    chmodSync(path, 0o640);
    await replaceFile(path, "two");
    assert.equal(ownerOf(path).mode, 0o640);
  });

  test("keeps its owner when root replaces it", { skip: notRoot }, async () => {
    const path = join(makeTemporaryFolder(), "state");
    writeFileSync(path, "one");
    chownSync(path, service.uid, service.gid);
    chmodSync(path, 0o600);
    await replaceFile(path, "two");
    assert.deepEqual(ownerOf(path), { ...service, mode: 0o600 });
  });

  test("belongs to the owner of its folder when root makes it", { skip: notRoot }, async () => {
    const folder = makeTemporaryFolder();
    chownSync(folder, service.uid, service.gid);
    await replaceFile(join(folder, "state"), "one");
    assert.deepEqual(ownerOf(join(folder, "state")), { ...service, mode: 0o600 });
  });

  test("is a whole one after many writes at once, as by two processes of one id in two containers", async () => {
    const folder = makeTemporaryFolder();
    const path = join(folder, "state");
    const texts = Array.from({ length: 40 }, (_, at) => `${at}`.repeat(1_000));
    await Promise.all(texts.map(text => replaceFile(path, text)));
    assert.ok(texts.includes(readFileSync(path, "utf8")));
    assert.deepEqual(readdirSync(folder), ["state"]);
  });

  test("leaves nothing beside it when it cannot be written", async t => {
    const folder = makeTemporaryFolder();
    const path = join(folder, "state");
    writeFileSync(path, "one");
    const probe = await open(path);
    await probe.close();
    t.mock.method(Object.getPrototypeOf(probe), "sync", () => Promise.reject(new Error("the disk is full")));
    await assert.rejects(replaceFile(path, "two"), /the disk is full/);
    assert.deepEqual([readdirSync(folder), readFileSync(path, "utf8")], [["state"], "one"]);
  });
});
