import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { copyFileSync, readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { makeOwnIdentity } from "../support/certificates.ts";
import { askByTls } from "../support/https-client.ts";
import { freePort, nowhere } from "../support/native-postgres.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { readMetrics } from "../support/prometheus.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { once, until } from "../support/until.ts";

const folder = makeTemporaryFolder();
const at = (name: string) => join(folder, name);

describe("serve with TLS", () => {
  makeOwnIdentity(folder, "first", { days: 20 });
  makeOwnIdentity(folder, "second");
  const put = (name: string): void => {
    copyFileSync(at(`${name}.key`), at("key"));
    copyFileSync(at(`${name}.pem`), at("pem"));
  };
  const settings = async (): Promise<Record<string, string>> => ({
    DATABASE_URL: await nowhere(),
    SECRET_KEY: "a secret of the tests of TLS, thirty-two bytes",
    HOST: "127.0.0.1",
    PORT: "0",
  });

  test("takes new files on SIGHUP, and keeps the old ones when the new ones are wrong", async () => {
    put("first");
    const opsPort = await freePort();
    const program = startProgram(["serve"], {
      ...(await settings()),
      OPS_PORT: `${opsPort}`,
      TLS_CERTIFICATE_FILE: at("pem"),
      TLS_KEY_FILE: at("key"),
    });
    const lines: { event: string; port?: number }[] = [];
    createInterface({ input: program.stdout }).on("line", line => lines.push(JSON.parse(line)));
    const heard = (event: string) =>
      until(() => {
        assert.equal(program.exitCode, null);
        return lines.find(one => one.event === event);
      });
    const { port = 0 } = await heard("listening");
    const ask = async (name: string) =>
      (await askByTls(port, readFileSync(at(`${name}.pem`), "utf8"))).statusCode;
    assert.equal(await ask("first"), 200);
    /** Of the metrics, about the certificate: its end, and whether the last renewal failed. */
    const figures = async () => {
      const response = await fetch(`http://127.0.0.1:${opsPort}/metrics`);
      const metrics = readMetrics(await response.text());
      return ["end_seconds", "renewal_failed"].map(name =>
        metrics.get(`maintenance_log_certificate_${name}`),
      );
    };
    const endOf = (name: string) =>
      Date.parse(new X509Certificate(readFileSync(at(`${name}.pem`))).validTo) / 1_000;
    assert.deepEqual(await figures(), [endOf("first"), 0]);
    put("second");
    program.kill("SIGHUP");
    await heard("certificate renewed");
    assert.equal(await ask("second"), 200);
    copyFileSync(at("first.key"), at("key"));
    program.kill("SIGHUP");
    await heard("certificate not renewed");
    assert.equal(await ask("second"), 200);
    assert.deepEqual(await figures(), [endOf("second"), 1]);
    // The files of the certificate in use again: a restart would succeed.
    put("second");
    program.kill("SIGHUP");
    await until(async () => (await figures())[1] === 0);
    // Also while it drains, for a request that is under way until the end of its body.
    const options = { port, method: "POST", path: "/api/v1/auth/login", rejectUnauthorized: false };
    const headers = { "Content-Type": "application/json", "Content-Length": "2", Expect: "100-continue" };
    const underWay = request({ ...options, headers, agent: false });
    underWay.flushHeaders();
    await once(underWay, "continue");
    program.kill("SIGTERM");
    await heard("stopping");
    put("first");
    program.kill("SIGHUP");
    const renewals = () => lines.filter(({ event }) => event === "certificate renewed");
    await until(() => renewals().length === 2);
    underWay.end("{}");
    const [response] = await once(underWay, "response");
    assert.equal(response.statusCode, 400);
    response.resume();
    assert.deepEqual(await once(program, "exit"), [0, null]);
  });

  test("without a certificate ignores SIGHUP, from the first moment of its life", async () => {
    // Sends the signal to itself as soon as it handles any, and names the signals in the order in which it handles them.
    const preload = `process.on("newListener", name => {
      if (!name.startsWith("SIG")) return;
      process.stderr.write(name + " ");
      setImmediate(() => process.kill(process.pid, "SIGHUP"));
    })`;
    const program = startProgram(["serve"], {
      ...(await settings()),
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(preload)}`,
    });
    const handled = text(program.stderr);
    const lines: string[] = [];
    createInterface({ input: program.stdout }).on("line", line => lines.push(line));
    await until(() => {
      assert.deepEqual([program.exitCode, program.signalCode], [null, null]);
      return lines.some(line => line.includes('"listening"'));
    });
    program.kill("SIGHUP");
    program.kill("SIGTERM");
    assert.deepEqual(await once(program, "exit"), [0, null]);
    assert.match(await handled, /^SIGHUP .*SIGTERM/);
  });

  test("refuses one file without the other, and a key of another certificate", async () => {
    const half = await runProgram(["serve"], { ...(await settings()), TLS_KEY_FILE: at("first.key") });
    assert.deepEqual(
      [half.code, half.stderr],
      [78, "serve: TLS_CERTIFICATE_FILE and TLS_KEY_FILE belong together\n"],
    );
    const files = { TLS_KEY_FILE: at("first.key"), TLS_CERTIFICATE_FILE: at("second.pem") };
    const wrong = await runProgram(["serve"], { ...(await settings()), ...files });
    assert.equal(wrong.code, 78);
    assert.match(wrong.stderr, /^serve: TLS_KEY_FILE \S+ is not the key of the certificate in .*\n$/);
  });

  test("names the setting of a file that cannot be read", async () => {
    const files = { TLS_KEY_FILE: at("first.key"), TLS_CERTIFICATE_FILE: at("gone.pem") };
    const { code, stderr } = await runProgram(["serve"], { ...(await settings()), ...files });
    assert.deepEqual(
      [code, stderr],
      [78, `serve: TLS_CERTIFICATE_FILE ${at("gone.pem")} cannot be read: ENOENT\n`],
    );
  });
});
