import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeLogOutput } from "../../src/adapters/log-output.ts";
import { makeClient } from "../support/client.ts";
import { programCommand } from "../support/compiled.ts";
import { until } from "../support/until.ts";

const lacksScript = spawnSync("script", ["--version"]).stdout?.includes("util-linux") !== true;

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
    const output = makeLogOutput(writer, 10_000);
    const reported: number[] = [];
    output.onRecovery(lines => reported.push(lines));
    const line = `${"x".repeat(999)}\n`;
    // More than the system's own buffers take.
    for (let i = 0; i < 20_000; i += 1) {
      output.write(line);
      if (i % 10 === 0) await new Promise(resolve => setImmediate(resolve));
    }
    const dropped = output.dropped();
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

  test("goes on without a reader", async () => {
    const { writer, reader } = await openPipe();
    const output = makeLogOutput(writer);
    reader.resetAndDestroy();
    for (let i = 0; i < 100; i += 1) {
      output.write("x\n");
      await new Promise(resolve => setImmediate(resolve));
    }
    await until(() => output.dropped() > 0);
    await output.flush(1);
  });

  test("goes on while a disk is full, and says how many lines are missing", t => {
    if (process.platform !== "linux") return t.skip("only Linux has /dev/full");
    const folder = mkdtempSync(join(tmpdir(), "log-output-"));
    const [full, file] = [openSync("/dev/full", "w"), openSync(join(folder, "log"), "w")];
    const stream = { fd: full, on: () => stream } as unknown as NodeJS.WritableStream & { fd: number };
    const output = makeLogOutput(stream);
    const reported: number[] = [];
    output.onRecovery(lines => {
      reported.push(lines);
      output.write("recovered\n");
    });
    for (let i = 0; i < 3; i += 1) output.write("lost\n");
    assert.deepEqual([output.dropped(), reported], [3, []]);
    stream.fd = file;
    output.write("a\n");
    output.write("b\n");
    for (const descriptor of [full, file]) closeSync(descriptor);
    assert.deepEqual(reported, [3]);
    // The line break before it ends what the disk may have taken of a line before.
    assert.equal(readFileSync(join(folder, "log"), "utf8"), "\na\nrecovered\nb\n");
    rmSync(folder, { recursive: true });
  });

  test("goes on while nobody reads its terminal", async t => {
    if (lacksScript) return t.skip("there is no script of util-linux");
    const env = {
      PATH: process.env["PATH"],
      SHELL: "/bin/sh",
      // The service starts without a database, too.
      DATABASE_URL: "postgres://nobody@127.0.0.1:1/nothing",
      SECRET_KEY: "a secret of the terminal test, 32 bytes",
      PORT: "0",
    };
    const terminal = spawn("script", ["-qec", `exec ${programCommand} serve`, "/dev/null"], {
      env,
      stdio: ["pipe", "pipe", "inherit"],
    });
    t.after(() => {
      terminal.kill();
      terminal.stdout.destroy();
    });
    let log = "";
    terminal.stdout.setEncoding("utf8").on("data", text => {
      log += text;
    });
    const port = Number(await until(() => /"event":"listening".*"port":(\d+)/.exec(log)?.[1]));
    terminal.stdout.pause();
    const call = makeClient(port);
    // Two lines each: more than the pipe, the terminal and script take.
    for (let i = 0; i < 500; i += 1) assert.equal((await call("GET", "/")).status, 403);
  });
});
