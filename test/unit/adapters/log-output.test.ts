import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { EventEmitter } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join, resolve } from "node:path";
import type { Writable } from "node:stream";
import { describe, test } from "node:test";
import { LogOutput } from "../../../src/adapters/log-output.ts";
import { script } from "../../support/compiled.ts";
import { makeTemporaryFolder } from "../../support/temporary-folder.ts";
import { once, until } from "../../support/until.ts";

/** A pipe, with its reader, who does not read yet. */
async function openPipe() {
  const server = createServer({ pauseOnConnect: true });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const writer = connect((server.address() as { port: number }).port, "127.0.0.1");
  const [reader] = (await once(server, "connection")) as [Socket];
  server.close();
  return { writer: writer as Socket & { fd: number }, reader };
}

describe("the output of the log", () => {
  test("drops lines while its reader stalls, and says how many when it reads again", async () => {
    const { writer, reader } = await openPipe();
    const reported: number[] = [];
    const output = new LogOutput(writer, lines => reported.push(lines), 10_000);
    const line = `${"x".repeat(999)}\n`;
    // More than the system's own buffers take.
    for (let i = 0; i < 20_000; i += 1) {
      output.write(line);
      if (i % 10 === 0) await new Promise(resolve => setImmediate(resolve));
    }
    const dropped = output.dropped;
    assert.ok(dropped > 0);
    assert.ok(writer.writableLength <= 10_000);
    assert.deepEqual(reported, []);
    let received = "";
    reader.setEncoding("utf8").on("data", text => {
      received += text;
    });
    reader.resume();
    await until(() => reported.length > 0);
    assert.deepEqual(reported, [dropped]);
    output.write("the end\n");
    await until(() => received.endsWith("the end\n"));
    assert.equal(received.split("\n").length - 2, 20_000 - dropped);
    writer.destroy();
  });

  test("counts each line that is dropped once, in the episode in which it was", async () => {
    const taken: ((error?: Error | null) => void)[] = [];
    const stream = Object.assign(new EventEmitter(), {
      writableLength: 0,
      write: (_line: string, done: (error?: Error | null) => void) => taken.push(done) > 0,
    });
    const reported: number[] = [];
    const output = new LogOutput(stream as unknown as Writable, lines => reported.push(lines), 100);
    for (const lines of [3, 2, 0, 1]) {
      stream.writableLength = 100;
      for (let n = 0; n < lines; n += 1) output.write("dropped\n");
      stream.writableLength = 0;
      output.write("taken\n");
      taken.pop()?.();
    }
    assert.deepEqual([reported, output.dropped], [[3, 2, 1], 6]);
  });

  test("goes on without a reader", async () => {
    const { writer, reader } = await openPipe();
    const output = new LogOutput(writer, () => {});
    reader.resetAndDestroy();
    for (let i = 0; i < 100; i += 1) {
      output.write("x\n");
      await new Promise(resolve => setImmediate(resolve));
    }
    await until(() => output.dropped > 0);
    await output.flush(1);
  });

  test("goes on while a disk is full, and says how many lines are missing", t => {
    if (process.platform === "win32") return t.skip("Windows has no ulimit");
    const folder = makeTemporaryFolder();
    const [file, limited] = [join(folder, "log"), join(folder, "limited.mjs")];
    const [module = "", ...options] = script("src/adapters/log-output.ts").reverse();
    const program = `
      import { truncateSync } from "node:fs";
      import { LogOutput } from ${JSON.stringify(resolve(module))};
      const output = new LogOutput(process.stdout, lines => output.write(\`recovered \${lines}\\n\`));
      for (let line = 0; line < 7; line += 1) output.write("x".repeat(999) + "\\n");
      await new Promise(resolve => setImmediate(resolve));
      console.error(output.dropped);
      truncateSync(${JSON.stringify(file)});
      for (const line of ["a\\n", "b\\n"]) output.write(line);
      await output.flush(1_000);`;
    writeFileSync(limited, program);
    // 8 blocks of 512 bytes: four lines fit, and the system takes the fifth in part, as a full disk would.
    const command = `ulimit -f 8; exec "$@" >>"${file}"`;
    const args = ["-c", command, "sh", process.execPath, ...options.reverse(), limited];
    const { status, stderr } = spawnSync("sh", args, { encoding: "utf8" });
    assert.deepEqual([status, stderr], [0, "2\n"]);
    assert.equal(readFileSync(file, "utf8"), "a\nb\nrecovered 2\n");
  });
});
