import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { startRelay } from "../lab/faults/relay.ts";
import { openDatabase } from "../support/database.ts";
import { shared } from "../support/left-open.ts";
import { freePort, nowhere } from "../support/native-postgres.ts";
import { operationsOf, runProgram, type Service, type Settings, startService } from "../support/program.ts";
import { noPromtool, readMetrics, runPromtool } from "../support/prometheus.ts";
import { once, until } from "../support/until.ts";

const eventOf = (line: string): string => JSON.parse(line).event;

/** Asks until the answer is the wanted one. */
const untilAnswered = <T>(ask: () => Promise<T>, isWanted: (answer: T) => boolean) =>
  until(async () => {
    const answer = await ask();
    return isWanted(answer) ? { answer } : undefined;
  }).then(({ answer }) => answer);

describe("the operations listener", async () => {
  const database = await shared(openDatabase());
  const sql = database.session();
  let service: Service;
  let operations: ReturnType<typeof operationsOf>;
  const settings = (changes: Settings = {}): Settings => ({
    DATABASE_URL: database.url,
    SECRET_KEY: "a secret of the operations tests, thirty-two bytes",
    DATABASE_DURABILITY: "any",
    OPS_PORT: "0",
    ...changes,
  });
  const start = async (changes: Settings = {}) => {
    service = await startService(settings(changes));
    operations = operationsOf(service);
  };
  const readyz = () => operations.call("GET", "/readyz");

  describe("of a service that can open no more files", () => {
    /** At the signal each file, and each figure that Node reads from one, fails; ten seconds are as short as twenty milliseconds. */
    const preload = `
      import fs from "node:fs";
      import { syncBuiltinESMExports } from "node:module";
      const { setInterval } = globalThis;
      globalThis.setInterval = (call, milliseconds) => setInterval(call, milliseconds === 10_000 ? 20 : milliseconds);
      process.once("SIGUSR2", () => {
        const fail = () => { throw Object.assign(new Error("too many open files"), { code: "EMFILE" }); };
        fs.readFileSync = fail;
        fs.promises.readFile = async () => fail();
        process.memoryUsage = fail;
        syncBuiltinESMExports();
      });`;
    const admin = { email: "files@example.com", password: "secret 1" };
    before(async () => {
      await runProgram(["create-admin", "--email", admin.email], settings(), admin.password);
      await start({ NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(preload)}` });
    });
    after(() => service.stop());

    test("goes on: what it needs was read at the start, and no timer ends the process", async () => {
      const { json } = await service.call("POST", "/api/v1/auth/login", { body: admin });
      service.signal("SIGUSR2");
      await until(() => service.lines.some(line => eventOf(line) === "figures not read"));
      assert.equal((await operations.call("GET", "/openapi.json")).status, 500);
      await until(() => service.lines.some(line => eventOf(line) === "operations request failed"));
      const document = await service.call("GET", "/openapi.json", { token: json.token });
      assert.deepEqual(document.json, JSON.parse(readFileSync("docs/openapi.json", "utf8")));
      assert.equal((await operations.call("GET", "/healthz")).status, 200);
      assert.equal((await service.call("GET", "/api/v1/assets")).status, 403);
    });
  });

  describe("of a service that is well", () => {
    before(() => start());
    after(() => service.stop());

    test("says so", async () => {
      const health = await operations.call("GET", "/healthz");
      assert.deepEqual([health.status, health.json], [200, { status: "ok" }]);
      const { status, json } = await readyz();
      const checks = { service: "ok", database: "ok", schema: "ok" };
      assert.deepEqual([status, json], [200, { ready: true, checks }]);
    });

    test("is on loopback, on a port of its own, where nothing of the API is", async () => {
      const lines = service.lines.map(line => JSON.parse(line));
      const { level, host, port } = lines.find(({ event }) => event === "operations listening");
      assert.deepEqual([level, host], ["info", "127.0.0.1"]);
      assert.notEqual(port, service.port);
      assert.equal((await operations.call("GET", "/api/v1/assets")).status, 404);
      for (const path of ["/healthz", "/readyz", "/metrics"]) {
        assert.equal((await service.call("GET", path)).status, 403, path);
      }
    });

    test("shows people a page that nothing may be loaded into or run on", async () => {
      const { status, headers, text } = await operations.call("GET", "/");
      assert.deepEqual([status, headers.get("content-type")], [200, "text/html; charset=utf-8"]);
      assert.match(headers.get("content-security-policy") ?? "", /^default-src 'none'; style-src 'sha256-/);
      assert.match(text, /<title>Ready: Maintenance Log Service<\/title>/);
    });

    test("shows people how the API is called, under the same policy", async () => {
      const { status, headers, text } = await operations.call("GET", "/api");
      assert.deepEqual([status, headers.get("content-type")], [200, "text/html; charset=utf-8"]);
      assert.match(headers.get("content-security-policy") ?? "", /^default-src 'none'; style-src 'sha256-/);
      assert.ok(text.includes("<wbr>auth/<wbr>login</code>"));
      assert.ok(text.includes(`BASE=http://127.0.0.1:${service.port} `) && !text.includes("7070"));
      assert.ok((await operations.call("GET", "/")).text.includes('<a href="/api">'));
    });

    test("gives generators of clients the OpenAPI document without a token", async () => {
      const { status, headers, text } = await operations.call("GET", "/openapi.json");
      assert.deepEqual([status, headers.get("content-type")], [200, "application/json; charset=utf-8"]);
      assert.equal(headers.get("access-control-allow-origin"), "*");
      const { servers, ...document } = JSON.parse(text);
      // PORT is 0 here.
      assert.deepEqual(servers, [{ url: `http://127.0.0.1:${service.port}` }]);
      const { servers: _, ...printed } = JSON.parse(readFileSync("docs/openapi.json", "utf8"));
      assert.deepEqual(document, printed);
    });

    test("gives its figures in the text format of Prometheus", async () => {
      const { version } = JSON.parse(readFileSync("package.json", "utf8"));
      for (let i = 0; i < 3; i += 1) await service.call("GET", `/api/v1/assets/${i}`);
      await service.call("GET", "/nope/canary");
      const login = { email: "nobody@example.com", password: "wrong password" };
      for (let i = 0; i < 6; i += 1) await service.call("POST", "/api/v1/auth/login", { body: login });
      const { status, headers, text } = await operations.call("GET", "/metrics");
      assert.deepEqual(
        [status, headers.get("content-type")],
        [200, "text/plain; version=0.0.4; charset=utf-8"],
      );
      const samples = readMetrics(text);
      for (const [key, value] of [
        [`maintenance_log_build_info{version="${version}",node="${process.version}"}`, 1],
        ["maintenance_log_ready", 1],
        ['maintenance_log_check_ok{check="database"}', 1],
        ['http_requests_total{method="GET",route="/api/v1/assets/{id}",status="403"}', 3],
        ['http_requests_total{method="POST",route="/api/v1/auth/login",status="401"}', 5],
        ['http_requests_total{method="POST",route="/api/v1/auth/login",status="429"}', 1],
        ['http_request_duration_seconds_count{method="POST",route="/api/v1/auth/login"}', 6],
        ['http_request_duration_seconds_bucket{method="POST",route="/api/v1/auth/login",le="+Inf"}', 6],
        ["http_requests_in_flight", 0],
        ['http_turned_away_total{what="connection"}', 0],
        ['http_turned_away_total{what="request"}', 0],
        ['maintenance_log_refusals_total{reason="login_failed"}', 5],
        ['maintenance_log_refusals_total{reason="login_throttled"}', 1],
        ['maintenance_log_refusals_total{reason="role_refused"}', 0],
        ['maintenance_log_database_connections{state="in_use"}', 0],
        ["maintenance_log_database_connections_limit", 10],
        ["maintenance_log_database_statements_waiting", 0],
        ['maintenance_log_password_hashes{state="working"}', 0],
        ['maintenance_log_password_hashes{state="waiting"}', 0],
      ] as const) {
        assert.equal(samples.get(key), value, key);
      }
      for (const key of [
        "process_start_time_seconds",
        "process_cpu_seconds_total",
        "process_resident_memory_bytes",
        "nodejs_heap_size_used_bytes",
        "nodejs_heap_size_limit_bytes",
        "nodejs_external_memory_bytes",
        'maintenance_log_database_connections{state="idle"}',
        'http_request_duration_seconds_sum{method="POST",route="/api/v1/auth/login"}',
      ]) {
        assert.ok((samples.get(key) ?? 0) > 0, key);
      }
      for (const which of ["p50", "p99", "max"]) {
        assert.ok((samples.get(`nodejs_eventloop_lag_${which}_seconds`) ?? -1) >= 0, which);
      }
      assert.doesNotMatch(text, /canary|nobody@|thirty-two|postgres/);
    });

    test("keeps the time of its start, and counters that only grow", async () => {
      const read = async () => readMetrics((await operations.call("GET", "/metrics")).text);
      const earlier = await read();
      await service.call("GET", "/api/v1/logs/1");
      const later = await read();
      const start = "process_start_time_seconds";
      assert.equal(later.get(start), earlier.get(start));
      for (const [key, value] of earlier) {
        if (/_(total|bucket|count)\b/.test(key)) assert.ok((later.get(key) ?? -1) >= value, key);
      }
    });

    test("has figures that Prometheus's own checker accepts", async t => {
      const verdict = runPromtool(["check", "metrics"], (await operations.call("GET", "/metrics")).text);
      if (verdict === undefined) return t.skip(noPromtool);
      assert.deepEqual(verdict, { status: 0, output: "" });
    });

    test("a second one on the same port is told so in one line", async () => {
      const OPS_PORT = String(operations.port);
      const { code, stdout, stderr } = await runProgram(["serve"], settings({ OPS_PORT, PORT: "0" }));
      assert.equal(code, 1);
      const place = `OPS_HOST 127.0.0.1, OPS_PORT ${OPS_PORT}`;
      assert.match(stderr, RegExp(`^serve: cannot listen on ${place}: .*address already in use.*\\n$`));
      assert.ok(!stdout.split("\n").some(line => line !== "" && eventOf(line) === "listening"));
    });

    test("cannot have the port of the API", async () => {
      const port = String(await freePort());
      const { code, stderr } = await runProgram(["serve"], settings({ OPS_PORT: port, PORT: port }));
      assert.equal(code, 78);
      assert.match(stderr, /^serve: OPS_PORT is the same as PORT, on the same host: /);
    });
  });

  test("is not there without OPS_PORT", async () => {
    const { OPS_PORT: _, ...others } = settings();
    service = await startService(others);
    assert.deepEqual(service.lines.map(eventOf), ["the trail is not signed", "listening"]);
    await service.stop();
  });

  test("tells of a database that cannot be reached, while the process is healthy", async () => {
    await start({ DATABASE_URL: await nowhere() });
    const { status, json } = await readyz();
    assert.equal(status, 503);
    const checks = { service: "ok", database: "not available", schema: "unknown" };
    assert.deepEqual(json, { ready: false, checks });
    assert.equal((await operations.call("GET", "/healthz")).status, 200);
    const page = await operations.call("GET", "/");
    assert.deepEqual([page.status, /<title>Not ready: /.test(page.text)], [200, true]);
    const samples = readMetrics((await operations.call("GET", "/metrics")).text);
    assert.equal(samples.get("maintenance_log_ready"), 0);
    assert.equal(samples.get('maintenance_log_check_ok{check="service"}'), 1);
    assert.equal(samples.get('maintenance_log_check_ok{check="database"}'), 0);
    await service.stop();
  });

  test("tells of a database that no longer answers, and of its return", async () => {
    const url = new URL(database.url);
    const relay = await startRelay(Number(url.port));
    url.port = String(relay.port);
    await start({ DATABASE_URL: url.href });
    assert.equal((await readyz()).status, 200);
    relay.drop();
    const { json } = await untilAnswered(readyz, ({ status }) => status === 503);
    assert.deepEqual(json.checks, { service: "ok", database: "does not respond", schema: "unknown" });
    relay.heal();
    await untilAnswered(readyz, ({ status }) => status === 200);
    await service.stop();
    await relay.close();
  });

  test("tells of a database that takes no writes, and of the end of that", async t => {
    if (!database.hasUsers) return t.skip("the embedded database has one session for everybody");
    await start();
    assert.equal((await readyz()).status, 200);
    const { name } = database;
    const [other] = await sql`select pg_backend_pid() as pid`;
    for (const [setting, status] of [
      ["on", 503],
      ["off", 200],
    ] as const) {
      await sql.unsafe(`set transaction_read_only = off`);
      await sql.unsafe(
        `begin; set transaction read write; alter database ${name} set default_transaction_read_only = ${setting}; commit`,
      );
      // A session that is there keeps what it has begun with.
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = ${name} and pid <> ${other?.["pid"]}`;
      const { json } = await untilAnswered(
        readyz,
        answer => answer.status === status && answer.json.checks.database !== "not available",
      );
      assert.equal(json.checks.database, setting === "on" ? "takes no writes" : "ok");
    }
    await service.stop();
  });

  test("tells of a trail that stands still: its condition, since when it has not looked, and how many records wait", async () => {
    await start();
    await sql.unsafe(`
      create function refuse_entries() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$;
      create trigger refuse_entries before insert on trail_entry for each row execute function refuse_entries();
      insert into asset (name, description) values ('Pump', '')`);
    const figure = async (name: string) =>
      Number(
        new RegExp(`^maintenance_log_trail_${name} (.*)$`, "m").exec(
          (await operations.call("GET", "/metrics")).text,
        )?.[1],
      );
    // The records are counted after the condition is told.
    await until(async () => (await figure("waiting_records")) === 1);
    assert.equal(await figure('condition{condition="failing"}'), 1);
    assert.equal(await figure('condition{condition="whole"}'), 0);
    assert.ok((await figure("poll_age_seconds")) > 0);
    assert.match(
      (await operations.call("GET", "/")).text,
      /it fails: PostgreSQL refuses a statement \(P0001\); 1 records wait/,
    );
    await sql.unsafe("drop function refuse_entries cascade");
    await until(async () => (await figure('condition{condition="whole"}')) === 1);
    await service.stop();
  });

  test("tells of a database that refuses new connections, though those of before go on", async t => {
    if (!database.hasUsers) return t.skip("the embedded database has one user for everybody");
    const role = `ready_${process.pid}`;
    await sql.unsafe(`create role ${role} login in role maintenance_log_service`);
    const url = new URL(database.url);
    url.username = role;
    await start({ DATABASE_URL: url.href });
    await untilAnswered(readyz, ({ status }) => status === 200);
    // As a change of the password, or of pg_hba.conf.
    await sql.unsafe(`alter role ${role} nologin`);
    const { json } = await untilAnswered(readyz, ({ status }) => status === 503);
    assert.deepEqual(json.checks, { service: "ok", database: "not available", schema: "unknown" });
    await sql.unsafe(`alter role ${role} login`);
    await untilAnswered(readyz, ({ status }) => status === 200);
    await service.stop();
    await sql.unsafe(`drop role ${role}`);
  });

  test("tells of a schema that is not that of the program any more", async () => {
    await start();
    assert.equal((await readyz()).status, 200);
    await sql`insert into schema_migration (version, name) values (99, 'of a newer program')`;
    const { json } = await untilAnswered(readyz, ({ status }) => status === 503);
    const schema = "the database is ahead of this program (migration 99): run a newer one";
    assert.deepEqual(json.checks, { service: "ok", database: "ok", schema });
    await sql`delete from schema_migration where version = 99`;
    await untilAnswered(readyz, ({ status }) => status === 200);
    await service.stop();
  });

  test("says that the service drains, while it goes on answering what is under way", async () => {
    await start();
    assert.equal((await readyz()).status, 200);
    const body = '{"email":"nobody@example.com","password":"wrong password"}';
    const client = connect(service.port, "127.0.0.1");
    const answer = text(client);
    const head = "POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
    client.write(`${head}Content-Length: ${body.length}\r\n\r\n${body.slice(0, -1)}`);
    await once(client, "ready");
    // The service has seen the request when it has answered one that came later.
    await service.call("GET", "/");
    const stopped = service.stop();
    const { json } = await untilAnswered(readyz, ({ status }) => status === 503);
    assert.deepEqual(json.checks, { service: "draining", database: "ok", schema: "ok" });
    assert.equal((await operations.call("GET", "/healthz")).status, 200);
    client.write(body.slice(-1));
    assert.match(await answer, /^HTTP\/1\.1 401 /);
    const { code, stderr } = await stopped;
    assert.deepEqual([code, stderr], [0, ""]);
  });
});
