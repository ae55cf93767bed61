import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { readDatabaseUrl } from "../../../src/adapters/postgres/connection/database-url.ts";
import { type Environment, readSettings, SettingsError } from "../../../src/config/read-settings.ts";
import { databaseSettings, passwordSettings, readServeSettings } from "../../../src/config/settings.ts";
import { formatSignerKey, makeSignerKey } from "../../../src/domain/trail/note.ts";
import { makeTemporaryFolder } from "../../support/temporary-folder.ts";

const required = {
  DATABASE_URL: "postgres://maintenance:password@127.0.0.1:5432/maintenance",
  SECRET_KEY: "0123456789abcdef0123456789abcdef",
};

const serve = (environment: Environment) => readServeSettings({ ...required, ...environment });

const folder = makeTemporaryFolder();

/** The path of a file with this content. */
function fileWith(content: string): string {
  const path = join(folder, randomUUID());
  writeFileSync(path, content);
  return path;
}

/** The faults that reading gives; none when it succeeds. */
function faultsOf(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    assert.ok(error instanceof SettingsError, String(error));
    return error.faults;
  }
}

/** Asserts that these settings have this fault, and no other. */
function assertFault(environment: Environment, fault: string): void {
  const faults = faultsOf(() => serve(environment));
  assert.equal(faults.length, 1, JSON.stringify(environment));
  assert.match(faults[0] ?? "", new RegExp(`^${fault}; for example: \\S.*$`));
}

const trailKey = makeSignerKey("trail.example.com", new Uint8Array(32).fill(7));

describe("the settings of serve", () => {
  test("have defaults for all but the database and the secret", () => {
    assert.deepEqual(serve({}), {
      databaseUrl: readDatabaseUrl(required.DATABASE_URL),
      secretKey: required.SECRET_KEY,
      previousSecretKey: undefined,
      issuer: "maintenance-log",
      tokenLifetimeSeconds: 3_600,
      host: "127.0.0.1",
      port: 7_070,
      opsHost: "127.0.0.1",
      opsPort: undefined,
      allowedOrigins: "*",
      trustedProxies: [],
      databaseUse: { isDurable: true },
      certificateFile: undefined,
      keyFile: undefined,
      logLevel: "info",
      trailKey: undefined,
      trailStateFile: undefined,
    });
  });

  test("are all read from the environment", () => {
    const environment = {
      DATABASE_URL: "postgresql://u:p@db/log",
      SECRET_KEY: "another secret that is long enough",
      SECRET_KEY_PREVIOUS: "the secret before, that is long enough",
      ISSUER: "https://issuer.example",
      TOKEN_EXPIRE_TIME: "90m",
      HOST: "::1",
      PORT: "8080",
      OPS_HOST: "127.0.0.2",
      OPS_PORT: "8081",
      CORS_ALLOWED_ORIGINS: "https://app.example.com",
      TRUSTED_PROXIES: "127.0.0.1, 10.0.0.0/8,::1",
      DATABASE_DURABILITY: "any",
      TLS_CERTIFICATE_FILE: "/tls/certificate.pem",
      TLS_KEY_FILE: "/tls/key.pem",
      LOG_LEVEL: "warn",
      TRAIL_KEY: formatSignerKey(trailKey),
      TRAIL_STATE_FILE: "/var/lib/maintenance-log/trail-checkpoint",
    };
    assert.deepEqual(serve(environment), {
      databaseUrl: readDatabaseUrl(environment.DATABASE_URL),
      secretKey: environment.SECRET_KEY,
      previousSecretKey: environment.SECRET_KEY_PREVIOUS,
      issuer: environment.ISSUER,
      tokenLifetimeSeconds: 5_400,
      host: "::1",
      port: 8_080,
      opsHost: "127.0.0.2",
      opsPort: 8_081,
      allowedOrigins: ["https://app.example.com"],
      trustedProxies: ["127.0.0.1", "10.0.0.0/8", "::1"],
      databaseUse: { isDurable: false },
      certificateFile: "/tls/certificate.pem",
      keyFile: "/tls/key.pem",
      logLevel: "warn",
      trailKey,
      trailStateFile: "/var/lib/maintenance-log/trail-checkpoint",
    });
  });

  test("cannot do without the database and the secret", () => {
    for (const name of Object.keys(required)) assertFault({ [name]: undefined }, `${name} is missing`);
  });

  test("are never taken for absent when they are empty: CORS_ALLOWED_ORIGINS= must not mean everybody", () => {
    for (const name of "DATABASE_URL SECRET_KEY ISSUER PORT CORS_ALLOWED_ORIGINS LOG_LEVEL".split(" "))
      assertFault({ [name]: "" }, `${name} is empty`);
  });
});

describe("the two listeners", () => {
  const faults = (environment: Environment) => faultsOf(() => serve(environment));
  const PORT = "7171";

  test("need two ports on one host", () => {
    const fault = "OPS_PORT is the same as PORT, on the same host: each needs a port of its own";
    assert.deepEqual(faults({ PORT, OPS_PORT: PORT }), [fault]);
    assert.deepEqual(faults({ OPS_PORT: "7070" }), [fault]);
    assert.deepEqual(faults({ HOST: "::1", OPS_HOST: "::1", PORT, OPS_PORT: PORT }), [fault]);
  });

  test("may have one port on two hosts, any port, or a socket of systemd", () => {
    assert.deepEqual(faults({ HOST: "::1", PORT, OPS_PORT: PORT }), []);
    assert.deepEqual(faults({ PORT: "0", OPS_PORT: "0" }), []);
    assert.deepEqual(faults({ PORT, OPS_PORT: PORT, LISTEN_FDS: "1" }), []);
  });
});

describe("the faults of the settings", () => {
  const wrong: Environment = {
    DATABASE_URL: "mysql://planted-user:planted-password@host/planted",
    SECRET_KEY: "planted-secret",
    SECRET_KEY_PREVIOUS: "planted-previous-secret",
    ISSUER: "   ",
    TOKEN_EXPIRE_TIME: "planted-time",
    HOST: "planted host",
    PORT: "planted-port",
    CORS_ALLOWED_ORIGINS: "planted-origin",
    TRUSTED_PROXIES: "planted-proxy",
    DATABASE_DURABILITY: "planted",
    LOG_LEVEL: "planted-level",
  };

  test("come all at once, one line for each setting, in the order of the settings", () => {
    const faults = faultsOf(() => serve(wrong));
    assert.deepEqual(
      faults.map(fault => fault.split(" ")[0]),
      Object.keys(wrong),
    );
    for (const fault of faults) assert.match(fault, /^[A-Z_]+ .+; for example: .+$/);
  });

  test("never show a value, in the lines or in the message", () => {
    assert.throws(
      () => serve(wrong),
      (error: Error) => !/planted/.test(`${error.message} ${JSON.stringify(error)} ${error.stack}`),
    );
  });

  test("never show a value that came from a file, nor what reading the file said", () => {
    const files = faultsOf(() => serve({ PORT_FILE: fileWith("planted\n") }));
    const unreadable = faultsOf(() => serve({ PORT_FILE: "/planted/port" }));
    assert.equal(files.length, 1);
    assert.equal(unreadable.length, 1);
    assert.doesNotMatch([...files, ...unreadable].join(), /planted/);
  });
});

describe("a setting in a file", () => {
  const fromFile = (content: string) => serve({ ISSUER_FILE: fileWith(content) }).issuer;

  test("is read, and loses one trailing newline", () => {
    for (const [content, value] of Object.entries({
      ...{ house: "house", "house\n": "house", "house\r\n": "house", "house\n\n": "house\n" },
      ...{ "\nhouse\n": "\nhouse", " house \n": " house " },
    }))
      assert.equal(fromFile(content), value, JSON.stringify(content));
  });

  test("may not be given directly too, must be readable, even where there is a default, and not be empty", () => {
    const given = { SECRET_KEY_FILE: fileWith(required.SECRET_KEY) };
    assertFault(given, "SECRET_KEY is given twice, also as SECRET_KEY_FILE");
    for (const name of ["SECRET_KEY", "ISSUER"]) {
      const fault = `${name} cannot be read from the file that ${name}_FILE names`;
      assertFault({ [name]: undefined, [`${name}_FILE`]: "absent" }, fault);
    }
    assertFault({ SECRET_KEY: undefined, SECRET_KEY_FILE: fileWith("\n") }, "SECRET_KEY is empty");
  });
});

const key = formatSignerKey(trailKey);
const same = (...texts: readonly string[]) => texts.map(text => [text, text] as const);
const list = (...texts: readonly string[]) => texts.map(text => [text, text.split(",")] as const);

/** What a setting takes, and as what; and what it refuses, by the reason that it gives. */
interface Rule {
  readonly property?: keyof ReturnType<typeof serve>;
  readonly takes?: readonly (readonly [text: string, value: unknown])[];
  readonly refuses: Readonly<Record<string, readonly string[]>>;
}
const tooShort = ["x", "x".repeat(31), "\u00e6".repeat(15), " ".repeat(40)];
const rules: Readonly<Record<string, Rule>> = {
  DATABASE_URL: { refuses: { "is not a PostgreSQL connection URL, .*": ["http://db/db?sslmode=no"] } },
  SECRET_KEY: {
    property: "secretKey",
    takes: same("x".repeat(32), "x".repeat(500), "\u00e6".repeat(16), "\u{1f527}".repeat(8)),
    refuses: { "has fewer than 32 bytes": tooShort },
  },
  SECRET_KEY_PREVIOUS: {
    property: "previousSecretKey",
    takes: same(`${required.SECRET_KEY} `),
    refuses: { "has fewer than 32 bytes": tooShort },
  },
  ISSUER: { refuses: { "is blank": [" ", "\t"] } },
  TOKEN_EXPIRE_TIME: {
    property: "tokenLifetimeSeconds",
    takes: Object.entries({
      ...{ 1: 1, 3600: 3_600, "1s": 1, "45s": 45, "90m": 5_400, "12h": 43_200, "7d": 604_800 },
      ...{ "3650d": 315_360_000, "1000ms": 1, "5000ms": 5, "1500ms": 2, "1ms": 1, " 1h ": 3_600 },
    }),
    refuses: {
      "is not a length of time": [
        ..."0 0h 0ms -1 -1h 1.5h 1,5 1e3 h 1w 1y 1H 1h30m abc 0x10 NaN Infinity".split(" "),
        ...["1 h", "9".repeat(13)],
      ],
      "is longer than ten years": ["3651d", "315360001", "999999999999d"],
    },
  },
  HOST: {
    property: "host",
    takes: same("0.0.0.0", "::", "::1", "fe80::1%eth0", "localhost", "api-1.example.com"),
    refuses: {
      "is not a host name or address": [
        ..."http://localhost 127.0.0.1/8 a,b 127.0.0.1:80 localhost:80 [::1]:80 eth%0".split(" "),
        "a host",
      ],
    },
  },
  PORT: {
    property: "port",
    takes: Object.entries({ 0: 0, 1: 1, 65535: 65_535 }),
    refuses: {
      "is not a port from 0 to 65535": [
        ..."abc 65536 99999 -1 +80 80.5 8e1 0x50 7070abc 123456".split(" "),
        ...["80 ", " "],
      ],
    },
  },
  CORS_ALLOWED_ORIGINS: {
    property: "allowedOrigins",
    takes: [
      ...[" * ", "*"].map(text => [text, "*"] as const),
      ...list("capacitor://localhost,ionic://localhost,tauri://localhost,app://localhost,app://obsidian.md"),
      ...list("chrome-extension://localhost,moz-extension://localhost,capacitor://a:8080"),
      [
        "https://app.example.com, http://localhost:5173 ,https://[::1]:8443",
        ["https://app.example.com", "http://localhost:5173", "https://[::1]:8443"],
      ],
    ],
    refuses: {
      "is not a list of origins as browsers send them": [
        ..."app.example.com https:// https://a.example/ https://a.example/path null , https://*.example".split(
          " ",
        ),
        ..."capacitor://localhost/ capacitor://LOCALHOST Capacitor://localhost capacitor:// app:x".split(" "),
        ..."https://user@a.example https://a.example?x chrome-extension://* file:/// https://a.example,*".split(
          " ",
        ),
        ...[
          "https://a.example https://b.example",
          "https://a.example,",
          "https://A.example",
          "https://a.example:443",
        ],
      ],
    },
  },
  TRUSTED_PROXIES: {
    refuses: {
      "is not a list of addresses or networks":
        "proxy 10.0.0.0/33 10.0.0 10.0.0.0/8/8 10.0.0.0/ ::1/129 127.0.0.1, *".split(" "),
      "has an IPv6 zone: write the address without it": [
        ...["fe80::1%eth0", "127.0.0.1, fe80::%eth0/10", "2001:db8:0:0:0:0000:255.255.255.255%eth0"],
      ],
    },
  },
  DATABASE_DURABILITY: { refuses: { "is not required or any": ["on", "ANY", "none"] } },
  LOG_LEVEL: {
    property: "logLevel",
    takes: same("debug", "info", "warn", "error"),
    refuses: { "is not debug or info or warn or error": ["INFO", "verbose", "trace", "0", "info "] },
  },
  TRAIL_KEY: {
    refuses: {
      ".+": ["planted", key.slice(12), key.replace(/\+........\+/, "+00000000+"), key.slice(0, -4)],
      "has malformed base64": [`${key} `, `${key}\n`, `${key}\t`, `${key}=`],
      "is not a signer key": [` ${key}`, `\n${key}`, `\ufeff${key}`],
    },
  },
  TRAIL_STATE_FILE: { refuses: { "is not an absolute path": ["state", "./state", "~/state"] } },
};

for (const [name, { property, takes = [], refuses }] of Object.entries(rules)) {
  test(`${name} is taken as what it means, or refused in one line with the reason and an example`, () => {
    for (const [text, value] of takes)
      assert.deepEqual(serve({ [name]: text })[property as keyof ReturnType<typeof serve>], value, text);
    for (const [reason, texts] of Object.entries(refuses))
      for (const text of texts) assertFault({ [name]: text }, `${name} ${reason}`);
  });
}

test("the URL of the database may name certificates, which are read from their files", () => {
  const url = `postgres://u:p@db/db?sslmode=verify-full&sslrootcert=${fileWith("no certificate")}`;
  const faults = faultsOf(() => serve({ DATABASE_URL: url }));
  assert.match(
    faults.join(),
    /^DATABASE_URL has certificates that are not in PEM, or a key that does not fit its certificate; /,
  );
});

test("the previous secret key may not be the present one: then it was not changed", () => {
  const faults = faultsOf(() => serve({ SECRET_KEY_PREVIOUS: required.SECRET_KEY }));
  assert.deepEqual(faults, ["SECRET_KEY_PREVIOUS is the same as SECRET_KEY"]);
});

describe("the settings of the other commands", () => {
  test("migrate needs the database, and neither needs nor judges what belongs to serve", () => {
    const environment = { DATABASE_URL: required.DATABASE_URL, PORT: "abc" };
    const settings = readSettings(databaseSettings, environment);
    assert.deepEqual(settings, {
      databaseUrl: readDatabaseUrl(required.DATABASE_URL),
    });
    assert.match(faultsOf(() => readSettings(databaseSettings, {})).join(), /^DATABASE_URL is missing/);
  });

  const createAdmin = (environment: Environment) =>
    readSettings(passwordSettings, { DATABASE_URL: required.DATABASE_URL, ...environment });

  test("create-admin takes the password as it is, from the environment or a file", () => {
    assert.equal(createAdmin({ ADMIN_PASSWORD: " pass " }).adminPassword, " pass ");
    assert.equal(createAdmin({ ADMIN_PASSWORD_FILE: fileWith(" pass \n") }).adminPassword, " pass ");
  });

  test("create-admin does without a password, which may come another way", () => {
    assert.equal(createAdmin({}).adminPassword, undefined);
  });
});

test("the file of TRAIL_KEY may end with one line end, as trail-key writes it", () => {
  const from = (content: string) => serve({ TRAIL_KEY_FILE: fileWith(content) });
  for (const end of ["\n", "\r\n"]) assert.deepEqual(from(key + end).trailKey, trailKey);
  for (const end of ["\n\n", " \n"])
    assert.throws(() => from(key + end), /^SettingsError: TRAIL_KEY has malformed base64/);
});
