import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, connect as dial, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { describeApi } from "../../dev/api-docs/describe.ts";
import { script } from "../support/compiled.ts";
import { openEmptyDatabase } from "../support/database.ts";
import { shared } from "../support/left-open.ts";
import { freePort, nowhere } from "../support/native-postgres.ts";
import { runProgram, type Service, startProgram, startService } from "../support/program.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { aLog } from "../support/test-records.ts";
import { once, until } from "../support/until.ts";

/** Begins a request that is under way until its body of two bytes has been sent. */
async function beginLogin(port: number) {
  const socket = dial(port, "127.0.0.1").on("error", () => {});
  const received = text(socket);
  const begun = once(socket, "data");
  const fields = ["Host: x", "Content-Type: application/json", "Content-Length: 2", "Expect: 100-continue"];
  socket.write(`POST /api/v1/auth/login HTTP/1.1\r\n${fields.join("\r\n")}\r\n\r\n`);
  await begun;
  return { socket, received };
}

const secretKey = "a secret of the process tests, thirty-two bytes";
const adminPassword = "first password";
const email = "admin@example.com";

describe("the program", () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));

  test("prints its version", async () => {
    assert.deepEqual(await runProgram(["--version"]), { code: 0, stdout: `${version}\n`, stderr: "" });
  });

  test("a Node that is too old is told so in one line, by the program and by make", () => {
    const { engines } = JSON.parse(readFileSync("package.json", "utf8"));
    assert.equal(engines.node, "^20.16 || >=22.3");
    for (const file of ["README.md", "SECURITY.md"])
      assert.match(readFileSync(file, "utf8"), /Node 22, 24 (or|and) 26/, file);
    const runOn = (version: string, ...args: readonly string[]) => {
      const pretend = `Object.defineProperty(process, "versions", { value: { node: "${version}" } })`;
      const preload = `data:text/javascript,${encodeURIComponent(pretend)}`;
      const { status, stderr } = spawnSync(process.execPath, ["--import", preload, ...args], {
        encoding: "utf8",
      });
      return { status, stderr };
    };
    const program = [...script("src/main.ts"), "--version"];
    for (const version of ["12.22.12", "18.20.8", "20.15.1", "21.7.3", "22.2.0"]) {
      const stderr = `Node 22, 24 or 26 is needed, and this is Node ${version}\n`;
      assert.deepEqual(runOn(version, ...program), { status: 78, stderr });
      assert.deepEqual(runOn(version, "dev/node-version.js"), { status: 1, stderr });
    }
    for (const version of ["20.16.0", "22.3.0", "26.1.0"]) {
      assert.deepEqual(runOn(version, ...program), { status: 0, stderr: "" });
      assert.deepEqual(runOn(version, "dev/node-version.js"), { status: 0, stderr: "" });
    }
    // What keeps main.ts readable for an old Node: no static import, nothing newer than import().
    assert.doesNotMatch(readFileSync("src/main.ts", "utf8"), /^import .*from|\?\?|\?\.|\bawait\b/m);
  });

  test("openapi prints the document of the API, without any settings", async () => {
    const { code, stdout, stderr } = await runProgram(["openapi"]);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.deepEqual(JSON.parse(stdout), await describeApi());
  });

  test("no command, or an unknown one, prints the usage and exits 64", async () => {
    for (const [args, named] of [
      [[], ""],
      [["toString"], "toString is not a command\n"],
      [["\u001b[1A"], "\\u{1b}[1A is not a command\n"],
    ] as const) {
      const { code, stdout, stderr } = await runProgram(args);
      assert.deepEqual([code, stdout], [64, ""], args.join());
      assert.ok(stderr.startsWith(`${named}usage: `), stderr);
    }
  });

  test("a command does not run with an argument that it does not take, or takes once", async () => {
    for (const [args, said] of [
      [["serve", "--dry-run"], "Unknown option '--dry-run'"],
      [["migrate", "now"], "Unexpected argument 'now'. This command does not take positional arguments"],
      [["create-admin", "--email", "a@b.c", "--email", "a@b.d"], "--email is given twice"],
    ] as const) {
      const { code, stderr } = await runProgram(args);
      assert.equal(code, 64);
      assert.ok(stderr.startsWith(`${args[0]}: ${said}`), stderr);
    }
  });

  test("wrong settings stop it with 78 and a line for each fault, without the values", async () => {
    const { code, stdout, stderr } = await runProgram(["serve"], {
      DATABASE_URL: "mysql://root:hunter22@db/x",
      SECRET_KEY: "too short a secret",
      PORT: "abc",
      TOKEN_EXPIRE_TIME: "soon",
      LOG_LEVEL: "loud",
    });
    assert.deepEqual([code, stdout], [78, ""]);
    const lines = stderr.trimEnd().split("\n");
    assert.deepEqual(
      lines.map(line => line.split(" ")[1]),
      ["DATABASE_URL", "SECRET_KEY", "TOKEN_EXPIRE_TIME", "PORT", "LOG_LEVEL"],
    );
    assert.ok(lines.every(line => line.includes("; for example: ")));
    assert.doesNotMatch(stderr, /hunter22|too short a secret/);
  });

  test("a database that cannot be reached is one line, and 69", async () => {
    const DATABASE_URL = await nowhere();
    for (const args of [["migrate"], ["create-admin", "--email", email, "--if-none"]]) {
      const { code, stdout, stderr } = await runProgram(args, { DATABASE_URL });
      assert.deepEqual([code, stdout], [69, ""]);
      assert.match(stderr, /^[\w-]+: The database is not available: .*ECONNREFUSED.*\n$/);
    }
  });
});

describe("the program on a database", async () => {
  const database = await shared(openEmptyDatabase());
  const sql = database.session();
  const folder = makeTemporaryFolder();

  const onDatabase = () => ({ DATABASE_URL: database.url });
  const serving = () => ({
    ...onDatabase(),
    SECRET_KEY: secretKey,
    // The embedded database does not write to disk as a server would.
    DATABASE_DURABILITY: database.hasUsers ? "required" : "any",
  });

  test("serve refuses a database without the schema, and does not make it", async () => {
    const { code, stderr } = await runProgram(["serve"], { ...serving(), PORT: "0" });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^serve: the database is behind this program \(missing: employee, .*\): run migrate first\n$/,
    );
  });

  test("migrate applies the migrations once and says so", async () => {
    const first = await runProgram(["migrate"], onDatabase());
    assert.deepEqual([first.code, first.stderr], [0, ""]);
    assert.match(first.stdout, /^applied employee\napplied asset\napplied maintenance_log\n/);
    const second = await runProgram(["migrate"], onDatabase());
    assert.deepEqual(second, { code: 0, stdout: "the schema is up to date\n", stderr: "" });
  });

  test("create-admin says what is wrong with its arguments and its password", async () => {
    for (const [args, password, code, message] of [
      [[], "x", 64, "--email is missing"],
      [["--email", email, "--password", "x"], "x", 64, "Unknown option '--password'"],
      [["--email", email], "", 65, "Password is required"],
      [["--email", email, "--phone", "x"], adminPassword, 65, "Invalid phone format"],
      [["--email", "nobody"], "abc", 65, "Invalid email format"],
    ] as const) {
      const outcome = await runProgram(["create-admin", ...args], onDatabase(), password);
      assert.deepEqual([outcome.code, outcome.stdout], [code, ""]);
      assert.ok(outcome.stderr.startsWith(`create-admin: ${message}`), outcome.stderr);
    }
  });

  test("create-admin takes the password from standard input, less one line end", async () => {
    const outcome = await runProgram(["create-admin", "--email", email], onDatabase(), `${adminPassword}\n`);
    const [event, said] = outcome.stdout.split("\n");
    const { time: _, ...logged } = JSON.parse(event ?? "");
    assert.deepEqual(logged, { level: "warn", event: "admin created", employeeId: 1 });
    assert.equal(said, `${email} is an active ADMIN (employee 1)`);
    assert.deepEqual([outcome.code, outcome.stderr], [0, ""]);
  });

  test("create-admin --if-none does nothing when there is one", async () => {
    const settings = { ...onDatabase(), ADMIN_PASSWORD: "another password" };
    const outcome = await runProgram(["create-admin", "--email", "b@example.com", "--if-none"], settings);
    assert.deepEqual(outcome, { code: 0, stdout: "an active ADMIN exists: nothing to do\n", stderr: "" });
  });

  describe("serve", () => {
    let service: Service;
    const login = (password: string) =>
      service.call("POST", "/api/v1/auth/login", { body: { email, password } });

    test("answers a whole session, from login to a written log", async () => {
      service = await startService(serving());
      const { json } = await login(adminPassword);
      const { token } = json;
      const asset = await service.call("POST", "/api/v1/assets", { token, body: { name: "Pump" } });
      const body = aLog({ performedDate: "2026-03-29T02:30", comment: "Oil" });
      const log = await service.call("POST", `/api/v1/assets/${asset.json.id}/logs`, { token, body });
      assert.deepEqual([log.status, log.json.performedDate], [201, "2026-03-29T02:30:00"]);
    });

    test("says where it listens, and nothing secret", async () => {
      const [first = "", line = ""] = service.lines;
      assert.equal(JSON.parse(first).event, "the trail is not signed");
      const { time, ...rest } = JSON.parse(line);
      assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.deepEqual(rest, { level: "info", event: "listening", host: "127.0.0.1", port: service.port });
    });

    test("a second one on the same port is told so in one line", async () => {
      const { code, stderr } = await runProgram(["serve"], { ...serving(), PORT: String(service.port) });
      assert.equal(code, 1);
      const place = `HOST 127.0.0.1, PORT ${service.port}`;
      assert.match(stderr, RegExp(`^serve: cannot listen on ${place}: .*address already in use.*\\n$`));
    });

    test("a host name without an address is told in one line", async () => {
      const { code, stderr } = await runProgram(["serve"], { ...serving(), HOST: "no.such.host.invalid" });
      assert.equal(code, 1);
      assert.match(
        stderr,
        /^serve: cannot listen on HOST no\.such\.host\.invalid, PORT \d+: getaddrinfo ENOTFOUND no\.such\.host\.invalid\n$/,
      );
    });

    test("stops with 0 when asked, and leaves nothing secret in its output", async () => {
      const { code, stdout, stderr } = await service.stop();
      assert.deepEqual([code, stderr], [0, ""]);
      assert.deepEqual(
        stdout.split("\n").map(line => JSON.parse(line).event),
        [
          "the trail is not signed",
          "listening",
          "logged in",
          "request",
          "request",
          "request",
          "stopping",
          "stopped",
        ],
      );
      assert.doesNotMatch(stdout, /first password|argon2|eyJ|thirty-two/);
    });

    test("after a restart the records are still there; SIGINT stops it too", async () => {
      service = await startService(serving());
      const { token } = (await login(adminPassword)).json;
      const { json } = await service.call("GET", "/api/v1/logs", { token });
      assert.deepEqual([json.length, json[0].assetName, json[0].comment], [1, "Pump", "Oil"]);
      assert.equal((await service.stop("SIGINT")).code, 0);
    });

    test("settings may be files, and a long token lifetime is warned about", async () => {
      const file = (name: string, text: string) => {
        writeFileSync(join(folder, name), text);
        return join(folder, name);
      };
      service = await startService({
        DATABASE_URL_FILE: file("url", `${database.url}\n`),
        SECRET_KEY_FILE: file("key", `${secretKey}\n`),
        TOKEN_EXPIRE_TIME: "2d",
      });
      const { token } = (await login(adminPassword)).json;
      const claims = JSON.parse(Buffer.from(token.split(".")[1], "base64url").toString());
      assert.equal(claims.exp - claims.iat, 2 * 86_400);
      await service.stop();
      assert.ok(
        service.lines.some(line => JSON.parse(line).level === "warn" && /TOKEN_EXPIRE_TIME/.test(line)),
      );
    });

    test("create-admin gives an employee the role, a new password and activity", async () => {
      await sql`update employee set active = false, role = 'TECHNICIAN' where id = 1`;
      const settings = { ...onDatabase(), ADMIN_PASSWORD: "second password" };
      const { code } = await runProgram(
        ["create-admin", "--email", email.toUpperCase(), "--if-none"],
        settings,
      );
      assert.equal(code, 0);
      service = await startService(serving());
      assert.equal((await login(adminPassword)).status, 401);
      const { authUser } = (await login("second password")).json;
      assert.deepEqual([authUser.id, authUser.role, authUser.active], [1, "ADMIN", true]);
      await service.stop();
    });

    test("starts while the database is down, answers 503 until it is back, then 200", async () => {
      const relay = makeRelay(database.url);
      const port = await freePort();
      const url = new URL(database.url);
      url.port = String(port);
      service = await startService({ ...serving(), DATABASE_URL: url.href });
      // It leaves a database that is down in peace for up to a second.
      const untilLoggedIn = () => until(async () => (await login("second password")).status === 200);
      assert.deepEqual([(await login("second password")).status], [503]);
      await relay.open(port);
      await untilLoggedIn();
      await relay.close();
      const down = await login("second password");
      assert.deepEqual(
        [down.status, down.json],
        [503, { status: 503, msg: "The database is not available" }],
      );
      await relay.open(port);
      await untilLoggedIn();
      await service.stop();
      await relay.close();
    });

    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      test(`${signal} stops it with 0 also while it still waits for the database, and SIGHUP does nothing`, async () => {
        // Nobody answers on the way to this one, so that the first look at the schema takes its time.
        const held: Socket[] = [];
        const silent = createServer(socket => held.push(socket));
        const port = await freePort();
        await new Promise<void>(resolve => silent.listen(port, "127.0.0.1", resolve));
        const DATABASE_URL = `postgres://postgres@127.0.0.1:${port}/x`;
        const starting = startProgram(["serve"], { ...serving(), DATABASE_URL, PORT: "0" });
        await once(silent, "connection");
        starting.kill("SIGHUP");
        starting.kill(signal);
        assert.deepEqual(await once(starting, "exit"), [0, null]);
        for (const socket of held) socket.destroy();
        silent.close();
      });

      test(`SIGHUP does nothing while it drains after ${signal}, and the request under way gets its response`, async () => {
        service = await startService(serving());
        const { socket, received } = await beginLogin(service.port);
        service.signal(signal);
        await until(() => service.lines.some(line => line.includes('"stopping"')));
        service.signal("SIGHUP");
        socket.end("{}");
        assert.match(await received, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 /);
        const { code, stderr } = await service.exited;
        assert.deepEqual([code, stderr], [0, ""]);
        assert.match(service.lines.at(-1) ?? "", /"stopped"/);
      });

      test(`a second ${signal} ends it at once while it drains`, async () => {
        service = await startService(serving());
        const { socket } = await beginLogin(service.port);
        service.signal(signal);
        await until(() => service.lines.some(line => line.includes('"stopping"')));
        service.signal(signal);
        const { code } = await service.exited;
        // By the signal: a shell says 128 and its number.
        assert.equal(code, null);
        assert.doesNotMatch(service.lines.join(), /"stopped"/);
        socket.destroy();
      });
    }

    test("refuses a database that can lose what it has acknowledged, unless told that any will do", async t => {
      if (!database.hasUsers) return t.skip("the embedded database has settings of its own");
      await sql.unsafe("alter table maintenance_log set unlogged");
      const { code, stderr } = await runProgram(["serve"], { ...serving(), PORT: "0" });
      assert.equal(code, 1);
      const reason = "the database can lose what it has acknowledged (table maintenance_log is not logged)";
      assert.ok(stderr.startsWith(`serve: ${reason}: alter table`), stderr);
      service = await startService({ ...serving(), DATABASE_DURABILITY: "any" });
      await service.stop();
      await sql.unsafe("alter table maintenance_log set logged");
    });

    test("logs what nobody handled and ends with 1", async () => {
      for (const failure of ["throw new Error('planted')", "Promise.reject(new Error('planted'))"]) {
        const fail = `process.once("SIGUSR2", () => { ${failure} })`;
        const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(fail)}`;
        service = await startService({ ...serving(), NODE_OPTIONS });
        const { code, stdout, stderr } = await service.stop("SIGUSR2");
        assert.deepEqual([code, stderr], [1, "serve: unexpected Error: planted\n"]);
        const last = stdout
          .split("\n")
          .map(line => JSON.parse(line))
          .at(-1);
        assert.deepEqual([last.level, last.event], ["error", "unexpected failure"]);
        assert.match(last.cause, /^Error: planted\n/);
      }
    });

    test("stops when the database that comes back has another schema", async () => {
      await sql`insert into schema_migration (version, name) values (99, 'of a newer program')`;
      const relay = makeRelay(database.url);
      const port = await freePort();
      const url = new URL(database.url);
      url.port = String(port);
      service = await startService({ ...serving(), DATABASE_URL: url.href });
      await relay.open(port);
      const { code, stderr } = await service.exited;
      assert.equal(code, 1);
      assert.match(stderr, /^serve: the database is ahead of this program \(migration 99\)/);
      await relay.close();
      await sql`delete from schema_migration where version = 99`;
    });

    test("works with the least-privilege role, which cannot migrate", async t => {
      if (!database.hasUsers) return t.skip("the embedded database has one user for everybody");
      const name = `service_${process.pid}`;
      await sql.unsafe(`create role ${name} login password 'x' in role maintenance_log_service`);
      const url = new URL(database.url);
      url.username = name;
      url.password = "x";
      service = await startService({ ...serving(), DATABASE_URL: url.href });
      const { token } = (await login("second password")).json;
      const assets = (await service.call("GET", "/api/v1/assets", { token })).json;
      const path = `/api/v1/assets/${assets[0].id}`;
      assert.equal((await service.call("POST", `${path}/logs`, { token, body: aLog() })).status, 201);
      assert.equal((await service.call("DELETE", path, { token })).status, 204);
      assert.equal(
        (await service.call("PUT", "/api/v1/employees/1", { token, body: { firstName: "Eve" } })).status,
        200,
      );
      await service.stop();
      const refused = await runProgram(["migrate"], { DATABASE_URL: url.href });
      assert.deepEqual(
        [refused.code, refused.stderr],
        [
          1,
          "migrate: permission denied for schema public: DATABASE_URL has to name the owner of the tables\n",
        ],
      );
      await sql.unsafe(`drop role ${name}`);
    });
  });
});

/** A relay to the database, which can be closed and opened again: a database that goes away and comes back. */
function makeRelay(databaseUrl: string) {
  const { hostname, port } = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let server: Server;
  return {
    async open(onPort: number) {
      server = createServer(socket => {
        const upstream = dial(Number(port), hostname);
        socket.pipe(upstream).pipe(socket);
        for (const side of [socket, upstream]) {
          sockets.add(side);
          side.on("error", () => {});
          side.on("close", () => {
            socket.destroy();
            upstream.destroy();
          });
        }
      });
      await new Promise<void>(resolve => server.listen(onPort, "127.0.0.1", resolve));
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
