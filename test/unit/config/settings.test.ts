import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readDatabaseUrl } from "../../../src/adapters/postgres/connection/database-url.ts";
import { type Environment, readSettings, SettingsError } from "../../../src/config/read-settings.ts";
import { databaseSettings, passwordSettings, readServeSettings } from "../../../src/config/settings.ts";
import { formatSignerKey, makeSignerKey } from "../../../src/domain/trail/note.ts";

const required = {
  DATABASE_URL: "postgres://maintenance:password@127.0.0.1:5432/maintenance",
  SECRET_KEY: "0123456789abcdef0123456789abcdef",
};

const noFiles = (path: string): string => {
  throw new Error(`no such file: ${path}`);
};

const serve = (environment: Environment, readFile = noFiles) =>
  readServeSettings({ ...required, ...environment }, readFile);

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

/** Tests that one setting is refused, in one line which names it, says why, shows an example and hides the value. */
function testRefused(name: string, values: readonly string[], reason: string): void {
  for (const value of values) {
    test(`${name} may not be ${JSON.stringify(value)}`, () => {
      const faults = faultsOf(() => serve({ [name]: value }));
      assert.equal(faults.length, 1);
      assert.match(faults[0] ?? "", new RegExp(`^${name} ${reason}; for example: \\S.*$`));
    });
  }
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
      durability: "required",
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
      durability: "any",
      certificateFile: "/tls/certificate.pem",
      keyFile: "/tls/key.pem",
      logLevel: "warn",
      trailKey,
      trailStateFile: "/var/lib/maintenance-log/trail-checkpoint",
    });
  });

  for (const name of Object.keys(required)) {
    test(`cannot do without ${name}`, () => {
      const faults = faultsOf(() => serve({ [name]: undefined }));
      assert.equal(faults.length, 1);
      assert.match(faults[0] ?? "", new RegExp(`^${name} is missing; for example: \\S`));
    });
  }

  test("are never taken for absent when they are empty: CORS_ALLOWED_ORIGINS= must not mean everybody", () => {
    for (const name of [
      "DATABASE_URL",
      "SECRET_KEY",
      "ISSUER",
      "PORT",
      "CORS_ALLOWED_ORIGINS",
      "LOG_LEVEL",
    ]) {
      const faults = faultsOf(() => serve({ [name]: "" }));
      assert.equal(faults.length, 1);
      assert.match(faults[0] ?? "", new RegExp(`^${name} is empty; for example: \\S`));
    }
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
    const files = faultsOf(() => serve({ PORT_FILE: "port" }, () => "planted\n"));
    const unreadable = faultsOf(() => serve({ PORT_FILE: "/planted/port" }));
    assert.equal(files.length, 1);
    assert.equal(unreadable.length, 1);
    assert.doesNotMatch([...files, ...unreadable].join(), /planted/);
  });
});

describe("a setting in a file", () => {
  const fromFile = (content: string) => serve({ ISSUER_FILE: "issuer.txt" }, () => content).issuer;

  test("is read from the path that NAME_FILE gives", () => {
    const readFile = (path: string) => `content of ${path}`;
    assert.equal(serve({ ISSUER_FILE: "issuer.txt" }, readFile).issuer, "content of issuer.txt");
  });

  for (const [content, value] of [
    ["house", "house"],
    ["house\n", "house"],
    ["house\r\n", "house"],
    ["house\n\n", "house\n"],
    ["\nhouse\n", "\nhouse"],
    [" house \n", " house "],
  ] as const) {
    test(`loses one trailing newline: ${JSON.stringify(content)} is ${JSON.stringify(value)}`, () => {
      assert.equal(fromFile(content), value);
    });
  }

  test("may not be given directly too", () => {
    const faults = faultsOf(() => serve({ SECRET_KEY_FILE: "secret" }, () => required.SECRET_KEY));
    assert.equal(faults.length, 1);
    assert.match(faults[0] ?? "", /^SECRET_KEY is given twice, also as SECRET_KEY_FILE; for example: /);
  });

  test("must be readable, even where there is a default", () => {
    for (const name of ["SECRET_KEY", "ISSUER"]) {
      const faults = faultsOf(() => serve({ [name]: undefined, [`${name}_FILE`]: "absent" }));
      const expected = `${name} cannot be read from the file that ${name}_FILE names; for example: `;
      assert.equal(faults.length, 1);
      assert.ok(faults[0]?.startsWith(expected), faults[0]);
    }
  });

  test("is empty when the file is", () => {
    const faults = faultsOf(() => serve({ SECRET_KEY: undefined, SECRET_KEY_FILE: "secret" }, () => "\n"));
    assert.match(faults.join(), /^SECRET_KEY is empty; /);
  });
});

describe("the URL of the database", () => {
  testRefused("DATABASE_URL", ["http://db/db?sslmode=no"], "is not a PostgreSQL connection URL, .*");

  test("may name certificates, which are read from their files", () => {
    const files = ["/etc/ca.pem"];
    const url = "postgres://u:p@db/db?sslmode=verify-full&sslrootcert=/etc/ca.pem";
    const faults = faultsOf(() =>
      serve({ DATABASE_URL: url }, path => {
        assert.equal(path, files.shift());
        return "no certificate";
      }),
    );
    assert.match(
      faults.join(),
      /^DATABASE_URL has certificates that are not in PEM, or a key that does not fit its certificate; /,
    );
    assert.deepEqual(files, []);
  });
});

describe("the secret key", () => {
  for (const secret of ["x".repeat(32), "x".repeat(500), "\u00e6".repeat(16), "\u{1f527}".repeat(8)]) {
    test(`may have ${Buffer.byteLength(secret)} bytes in ${secret.length} UTF-16 units, kept as given`, () => {
      assert.equal(serve({ SECRET_KEY: secret }).secretKey, secret);
    });
  }

  for (const name of ["SECRET_KEY", "SECRET_KEY_PREVIOUS"]) {
    const tooShort = ["x", "x".repeat(31), "\u00e6".repeat(15), " ".repeat(40)];
    testRefused(name, tooShort, "has fewer than 32 bytes");
  }

  test("may not be the one before it: then it was not changed", () => {
    const previous = (secret: string) => faultsOf(() => serve({ SECRET_KEY_PREVIOUS: secret }));
    assert.deepEqual(previous(required.SECRET_KEY), ["SECRET_KEY_PREVIOUS is the same as SECRET_KEY"]);
    assert.deepEqual(previous(`${required.SECRET_KEY} `), []);
  });
});

describe("the issuer", () => testRefused("ISSUER", [" ", "\t"], "is blank"));

describe("the lifetime of a token", () => {
  for (const [text, seconds] of [
    ["1", 1],
    ["3600", 3_600],
    ["1s", 1],
    ["45s", 45],
    ["90m", 5_400],
    ["12h", 43_200],
    ["7d", 604_800],
    ["3650d", 315_360_000],
    ["1000ms", 1],
    ["5000ms", 5],
    ["1500ms", 2],
    ["1ms", 1],
    [" 1h ", 3_600],
  ] as const) {
    test(`of ${JSON.stringify(text)} is ${seconds} s`, () => {
      assert.equal(serve({ TOKEN_EXPIRE_TIME: text }).tokenLifetimeSeconds, seconds);
    });
  }

  const others = [
    "0",
    "0h",
    "0ms",
    "-1",
    "-1h",
    "1.5h",
    "1,5",
    "1e3",
    "h",
    "1w",
    "1y",
    "1H",
    "1 h",
    "1h30m",
    "abc",
  ];
  testRefused(
    "TOKEN_EXPIRE_TIME",
    [...others, "0x10", "NaN", "Infinity", "9".repeat(13)],
    "is not a length of time",
  );
  testRefused("TOKEN_EXPIRE_TIME", ["3651d", "315360001", "999999999999d"], "is longer than ten years");
});

describe("the host", () => {
  for (const host of ["0.0.0.0", "::", "::1", "fe80::1%eth0", "localhost", "api-1.example.com"]) {
    test(`may be ${host}`, () => assert.equal(serve({ HOST: host }).host, host));
  }

  const others = [
    "a host",
    "http://localhost",
    "127.0.0.1/8",
    "a,b",
    "127.0.0.1:80",
    "localhost:80",
    "[::1]:80",
    "eth%0",
  ];
  testRefused("HOST", others, "is not a host name or address");
});

describe("the port", () => {
  for (const [text, port] of [
    ["0", 0],
    ["1", 1],
    ["65535", 65_535],
  ] as const) {
    test(`may be ${text}`, () => assert.equal(serve({ PORT: text }).port, port));
  }

  const others = [
    "abc",
    "65536",
    "99999",
    "-1",
    "+80",
    "80.5",
    "8e1",
    "0x50",
    "80 ",
    " ",
    "7070abc",
    "123456",
  ];
  testRefused("PORT", others, "is not a port from 0 to 65535");
});

describe("the allowed origins", () => {
  const read = (text: string) => serve({ CORS_ALLOWED_ORIGINS: text }).allowedOrigins;

  test("may be all", () => {
    assert.equal(read("*"), "*");
    assert.equal(read(" * "), "*");
  });

  test("may be a list, with or without spaces", () => {
    const list = "https://app.example.com, http://localhost:5173 ,https://[::1]:8443";
    assert.deepEqual(read(list), ["https://app.example.com", "http://localhost:5173", "https://[::1]:8443"]);
  });

  test("may have any scheme", () => {
    const schemes = ["capacitor", "ionic", "tauri", "app", "chrome-extension", "moz-extension"];
    const list = [
      ...schemes.map(scheme => `${scheme}://localhost`),
      "app://obsidian.md",
      "capacitor://a:8080",
    ];
    assert.deepEqual(read(list.join(",")), list);
  });

  const others = ["app.example.com", "https://", "https://a.example/", "https://a.example/path", "null", ","];
  const more = [
    ...["capacitor://localhost/", "capacitor://LOCALHOST", "Capacitor://localhost", "capacitor://", "app:x"],
    ...["https://user@a.example", "https://a.example?x", "chrome-extension://*", "file:///"],
    "https://*.example",
    "https://a.example,*",
    "https://a.example https://b.example",
  ];
  testRefused(
    "CORS_ALLOWED_ORIGINS",
    [...others, ...more, "https://a.example,", "https://A.example", "https://a.example:443"],
    "is not a list of origins as browsers send them",
  );
});

describe("the trusted proxies", () => {
  testRefused(
    "TRUSTED_PROXIES",
    ["proxy", "10.0.0.0/33", "10.0.0", "10.0.0.0/8/8", "10.0.0.0/", "::1/129", "127.0.0.1,", "*"],
    "is not a list of addresses or networks",
  );
  const zoned = ["fe80::1%eth0", "127.0.0.1, fe80::%eth0/10", "2001:db8:0:0:0:0000:255.255.255.255%eth0"];
  testRefused("TRUSTED_PROXIES", zoned, "has an IPv6 zone: write the address without it");
});

describe("the durability of the database", () => {
  testRefused("DATABASE_DURABILITY", ["on", "ANY", "none"], "is not required or any");
});

describe("the log level", () => {
  for (const level of ["debug", "info", "warn", "error"]) {
    test(`may be ${level}`, () => assert.equal(serve({ LOG_LEVEL: level }).logLevel, level));
  }

  testRefused(
    "LOG_LEVEL",
    ["INFO", "verbose", "trace", "0", "info "],
    "is not debug or info or warn or error",
  );
});

describe("the settings of the other commands", () => {
  test("migrate needs the database, and neither needs nor judges what belongs to serve", () => {
    const environment = { DATABASE_URL: required.DATABASE_URL, PORT: "abc" };
    const settings = readSettings(databaseSettings, environment, noFiles);
    assert.deepEqual(settings, {
      databaseUrl: readDatabaseUrl(required.DATABASE_URL),
    });
    assert.match(
      faultsOf(() => readSettings(databaseSettings, {}, noFiles)).join(),
      /^DATABASE_URL is missing/,
    );
  });

  const createAdmin = (environment: Environment, readFile = noFiles) =>
    readSettings(passwordSettings, { DATABASE_URL: required.DATABASE_URL, ...environment }, readFile);

  test("create-admin takes the password as it is, from the environment or a file", () => {
    assert.equal(createAdmin({ ADMIN_PASSWORD: " pass " }).adminPassword, " pass ");
    assert.equal(createAdmin({ ADMIN_PASSWORD_FILE: "password" }, () => " pass \n").adminPassword, " pass ");
  });

  test("create-admin does without a password, which may come another way", () => {
    assert.equal(createAdmin({}).adminPassword, undefined);
  });
});

describe("TRAIL_KEY and TRAIL_STATE_FILE", () => {
  const key = formatSignerKey(trailKey);
  testRefused(
    "TRAIL_KEY",
    ["planted", key.slice(12), key.replace(/\+........\+/, "+00000000+"), key.slice(0, -4)],
    ".+",
  );
  testRefused("TRAIL_KEY", [`${key} `, `${key}\n`, `${key}\t`, `${key}=`], "has malformed base64");
  testRefused("TRAIL_KEY", [` ${key}`, `\n${key}`, `\ufeff${key}`], "is not a signer key");
  testRefused("TRAIL_STATE_FILE", ["state", "./state", "~/state"], "is not an absolute path");

  test("a key's file may end with one line end, as trail-key writes it", () => {
    const from = (content: string) => serve({ TRAIL_KEY_FILE: "key" }, () => content);
    assert.deepEqual(from(`${key}\n`).trailKey, trailKey);
    assert.deepEqual(from(`${key}\r\n`).trailKey, trailKey);
    assert.throws(() => from(`${key}\n\n`), /^SettingsError: TRAIL_KEY has malformed base64/);
    assert.throws(() => from(`${key} \n`), /^SettingsError: TRAIL_KEY has malformed base64/);
  });
});
