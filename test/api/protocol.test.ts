import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shared } from "../support/left-open.ts";
import { sendRaw } from "../support/raw-client.ts";
import { anAsset } from "../support/test-records.ts";
import { api, openWorld, password } from "../support/world.ts";

const login = `${api}/auth/login`;
const json = { "content-type": "application/json" };

describe("the HTTP edge", async () => {
  const world = await shared(openWorld());

  const assertError = async (answer: { status: number; json: unknown }, status: number, msg: string) =>
    assert.deepEqual([answer.status, answer.json], [status, { status, msg }]);
  const tokenHeader = () => `Authorization: Bearer ${world.tokens.ADMIN}\r\n`;

  describe("paths and methods", () => {
    test("are found as they are decoded, and what is not there is 404 or 405", async () => {
      for (const [method, path, status, allow] of [
        ["GET", `${api}/logs/active%2Dassets?limit=1`, 200, null],
        ["GET", `${api}%2Fassets`, 404, null],
        ["POST", `${api}/assets/`, 404, null],
        ["HEAD", login, 405, "POST, OPTIONS"],
        ["PROPFIND", `${api}/employees/1`, 405, "GET, PUT, DELETE, PATCH, HEAD, OPTIONS"],
      ] as const) {
        const answer = await world.call(method, path, { token: world.tokens.ADMIN });
        assert.deepEqual([answer.status, answer.headers.get("allow")], [status, allow], `${method} ${path}`);
      }
    });
  });

  describe("bodies", () => {
    const token = () => world.tokens.ADMIN;
    const asset = { name: "Pump" };

    test("another content type is 415", async () => {
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"]) {
        const answer = await world.call("POST", login, { raw: "{}", headers: { "content-type": type } });
        const msg = "Content-Type must be application/json; with curl: -H 'Content-Type: application/json'";
        await assertError(answer, 415, msg);
      }
    });

    test("a compressed body is 415, and the client learns what it may send", async () => {
      for (const encoding of ["gzip", "identity, GZIP", "gzip,", '"identity"']) {
        const headers = { ...json, "content-encoding": encoding };
        const answer = await world.call("POST", login, { raw: "{}", headers });
        await assertError(answer, 415, "Content-Encoding is not supported");
        assert.equal(answer.headers.get("accept-encoding"), "identity");
      }
    });

    test("a body without a content type is read as JSON", async () => {
      const answer = await world.call("POST", `${api}/assets`, {
        token: token(),
        raw: JSON.stringify(asset),
      });
      assert.equal(answer.status, 201);
      await assertError(await world.call("POST", login, { raw: "{}" }), 400, "Email is required");
    });

    test("malformed JSON and invalid UTF-8 are 400", async () => {
      const badUtf8 = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff]), Buffer.from('"}')]);
      for (const raw of ["{", '{"name":}', '{"name":"x"} x', "", " ", badUtf8, '{"name":"\u0000"}']) {
        const answer = await world.call("POST", `${api}/assets`, { token: token(), raw, headers: json });
        assert.equal(answer.status, 400, String(raw));
        assert.equal(typeof answer.json.msg, "string");
      }
    });

    test("what is not an object is 400, and so is no body at all", async () => {
      for (const raw of ["[]", "null", "1", '"x"', "true"]) {
        const answer = await world.call("POST", `${api}/assets`, { token: token(), raw, headers: json });
        await assertError(answer, 400, "Request body must be a JSON object");
      }
      await assertError(
        await world.call("POST", `${api}/assets`, { token: token() }),
        400,
        "Request body must be a JSON object",
      );
    });

    test("a route that takes no body does not read one", async () => {
      const { id } = await world.ports.assets.insert(anAsset());
      for (const [raw, type] of [
        ["", "application/json"],
        ["[]", "application/json"],
        ["x", "text/plain"],
        ["x".repeat(200_000), "application/json"],
      ] as const) {
        const sent = { token: token(), raw, headers: { "content-type": type } };
        assert.equal((await world.call("PATCH", `${api}/assets/${id}`, sent)).status, 204);
      }
      const dripping = `PATCH ${api}/assets/${id} HTTP/1.1\r\nHost: x\r\n${tokenHeader()}Content-Length: 9\r\n\r\n{`;
      assert.match(await sendRaw(world.port, dripping), /^HTTP\/1\.1 204 [\s\S]*connection: close/i);
    });

    test("a body in pieces of any size is read as it was sent", async () => {
      const raw = JSON.stringify({ name: "Pump", description: "x".repeat(200) });
      for (const size of [1, 2, 3, 7, 64, 200, 1_000]) {
        const chunks = raw.match(new RegExp(`.{1,${size}}`, "g")) ?? [];
        const sent = chunks.map(chunk => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("");
        const answer = await sendRaw(
          world.port,
          `POST ${api}/assets HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${tokenHeader()}Transfer-Encoding: chunked\r\n\r\n${sent}0\r\n\r\n`,
        );
        assert.match(answer, /^HTTP\/1\.1 201 /);
        assert.ok(answer.includes("x".repeat(200)));
      }
    });

    test("login and change of password take 4 KiB, which the longest email and password fit in", async () => {
      const escaped = (text: string) => text.replaceAll("𝄞", () => "\\ud834\\udd1e");
      const email = `${"𝄞".repeat(250)}@𝄞.𝄞`;
      const secret = "𝄞".repeat(72);
      const longest = escaped(JSON.stringify({ email, password: secret }));
      const logIn = (raw: string) => world.call("POST", login, { raw, headers: json });
      await assertError(await logIn(longest), 401, "Wrong email or password");
      const tooLong = "Request body must be at most 4096 bytes";
      await assertError(await logIn(longest.padEnd(4_097)), 413, tooLong);
      await assertError(await logIn(longest.padEnd(65_535)), 413, tooLong);
      const path = `${api}/employees/${world.employees.ADMIN.id}/password`;
      const change = (raw: string) => world.call("PATCH", path, { token: token(), raw, headers: json });
      const changed = escaped(JSON.stringify({ oldPassword: secret, newPassword: secret }));
      await assertError(await change(changed), 400, "Old password is incorrect");
      await assertError(await change(changed.padEnd(4_097)), 413, tooLong);
    });

    test("64 KiB are accepted, one byte more is 413", async () => {
      const sized = (bytes: number) => {
        const frame = JSON.stringify({ name: "Pump", padding: "" });
        return JSON.stringify({ name: "Pump", padding: "x".repeat(bytes - frame.length) });
      };
      const post = (raw: string) =>
        world.call("POST", `${api}/assets`, { token: token(), raw, headers: json });
      assert.equal((await post(sized(64 * 1024))).status, 201);
      for (const bytes of [64 * 1024 + 1, 200_000]) {
        await assertError(await post(sized(bytes)), 413, "Request body must be at most 65536 bytes");
      }
    });

    test("NUL characters and lone surrogates are 400 in any string", async () => {
      for (const raw of [
        '{"name":"a\\u0000b"}',
        '{"name":"\\ud800"}',
        '{"name":"\\udc00\\ud800"}',
        '{"name":"x","unknown":"\\u0000"}',
        '{"name":"x","unknown":["\\u0000"]}',
        '{"name":"x","unknown":{"a":"\\ud800"}}',
        '{"name":"x","\\u0000":1}',
        `{"name":"\\u0000","x":${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
        '{"name":"\\u0000","name":"x"}',
        '{"name":"\\\\\\u0000"}',
        '{"name":"\\ud834\\n\\udd1e"}',
        '{"name":"\\ud834","x":"\\udd1e"}',
      ]) {
        const answer = await world.call("POST", `${api}/assets`, { token: token(), raw, headers: json });
        await assertError(answer, 400, "Request body must not contain NUL characters or lone surrogates");
      }
      const escaped = `{"name":"\\\\u0000 \\\\\\\\ud800 \\u00e9","x":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
      const deep = await world.call("POST", `${api}/assets`, { token: token(), raw: escaped, headers: json });
      assert.deepEqual([deep.status, deep.json.name], [201, "\\u0000 \\\\ud800 é"]);
      const pair = { token: token(), raw: '{"name":"\\ud834\\udd1e"}', headers: json };
      assert.equal((await world.call("POST", `${api}/assets`, pair)).json.name, "𝄞");
    });

    test("Expect: 100-continue is honoured only where the body is wanted", async () => {
      const body = JSON.stringify({ email: world.employees.ADMIN.email, password });
      const rest = `Host: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n`;
      const accepted = `POST ${login} HTTP/1.1\r\n${rest}Expect: 100-continue\r\n\r\n${body}`;
      assert.match(await sendRaw(world.port, accepted), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
      const refused = `POST ${api}/assets HTTP/1.1\r\n${rest}Expect: 100-continue\r\n\r\n`;
      assert.match(await sendRaw(world.port, refused), /^HTTP\/1\.1 403 /);
      const bearer = `Authorization: Bearer ${world.tokens.MANAGER}\r\nExpect: 100-continue\r\n`;
      for (const [status, path, head] of [
        [412, "assets", `${rest}If-Match: "x"\r\n`],
        [413, "assets", rest.replace(/Length: \d+/, "Length: 70000")],
        [415, "assets", rest.replace("application/json", "text/plain")],
        [403, `employees/${world.employees.ADMIN.id}/password`, rest],
      ] as const) {
        const method = path === "assets" ? "POST" : "PATCH";
        const sent = `${method} ${api}/${path} HTTP/1.1\r\n${head}${bearer}\r\n`;
        assert.match(await sendRaw(world.port, sent), RegExp(`^HTTP/1\\.1 ${status} `), head);
      }
    });
  });

  describe("every response", () => {
    test("echoes a sane request id, and replaces any other", async () => {
      const idFor = async (sent: string) =>
        (await world.call("GET", "/", { headers: { "x-request-id": sent } })).headers.get("x-request-id");
      for (const sane of ["abc-1", "A.b_c:d~e+f/g=", "x".repeat(128)]) assert.equal(await idFor(sane), sane);
      for (const other of ["", "a b", "x".repeat(129), "<script>", '"'])
        assert.match((await idFor(other)) ?? "", /^[0-9a-f-]{36}$/);
    });
  });
});

describe("cross-origin requests", () => {
  const origin = "https://app.example.com";

  test("a preflight of any path is 200 without a token, and every response has the headers of its origin", async () => {
    await using world = await openWorld();
    const preflight = { origin, "access-control-request-method": "PATCH" };
    for (const path of [`${api}/assets/1`, "/", "/nope", login]) {
      const { status, headers, text } = await world.call("OPTIONS", path, { headers: preflight });
      assert.deepEqual([status, text, headers.get("content-length")], [200, "", "0"]);
      assert.equal(headers.get("access-control-allow-origin"), "*");
      assert.match(headers.get("access-control-allow-methods") ?? "", /PATCH/);
    }
    const star = await sendRaw(world.port, "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert.match(star, /^HTTP\/1\.1 200 /);
    for (const token of [world.tokens.ADMIN, undefined]) {
      const { headers } = await world.call("GET", "/", { token, headers: { origin } });
      assert.equal(headers.get("access-control-allow-origin"), "*");
      assert.match(headers.get("access-control-expose-headers") ?? "", /ETag/);
    }
  });

  test("with a list of origins only those are allowed", async () => {
    await using world = await openWorld({ allowedOrigins: [origin] });
    for (const from of [origin, `${origin}.evil.com`]) {
      const { headers } = await world.call("OPTIONS", "/", { headers: { origin: from } });
      assert.equal(headers.get("access-control-allow-origin"), from === origin ? origin : null);
    }
  });
});
