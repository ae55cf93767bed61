import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readDatabaseUrl } from "../../../../src/adapters/postgres/connection/database-url.ts";

const plain = {
  user: "u",
  password: "p",
  database: "db",
  encryption: undefined,
  attribute: "any",
  connectMilliseconds: 2_000,
  session: {},
};
const db = { host: "db", port: 5_432 };

describe("a connection URL", () => {
  for (const [url, expected] of [
    ["postgres://u:p@db/db", { servers: [db] }],
    ["postgresql://u:p@127.0.0.1:5433/db", { servers: [{ host: "127.0.0.1", port: 5_433 }] }],
    ["postgres://u@db/db", { servers: [db], password: undefined }],
    ["postgres://db/db", { servers: [db], user: undefined, password: undefined }],
    ["postgres://u:@db/db", { servers: [db], password: "" }],
    [
      "postgres://%C3%BC:p%40%23%25%2F%3F:ss@db/d%20b",
      { servers: [db], user: "ü", password: "p@#%/?:ss", database: "d b" },
    ],
    ["postgres://u:p@db,127.0.0.1:5433/db", { servers: [db, { host: "127.0.0.1", port: 5_433 }] }],
    ["postgres://u:p@[::1]/db", { servers: [{ host: "::1", port: 5_432 }] }],
    ["postgres://u:p@[fe80::1%25eth0]:5433,db/db", { servers: [{ host: "fe80::1%eth0", port: 5_433 }, db] }],
    ["postgres://u:p@/db?host=::1", { servers: [{ host: "::1", port: 5_432 }] }],
    ["postgres://u:p@/db?host=/run/postgresql", { servers: [{ path: "/run/postgresql/.s.PGSQL.5432" }] }],
    [
      "postgres://u:p@/db?host=/run/postgresql&port=5433",
      { servers: [{ path: "/run/postgresql/.s.PGSQL.5433" }] },
    ],
    [
      "postgres:///db?host=/tmp",
      { servers: [{ path: "/tmp/.s.PGSQL.5432" }], user: undefined, password: undefined },
    ],
    ["postgres://u:p@%2Frun%2Fpostgresql/db", { servers: [{ path: "/run/postgresql/.s.PGSQL.5432" }] }],
    [
      "postgres://u:p@/db?host=a,b&port=1,2",
      {
        servers: [
          { host: "a", port: 1 },
          { host: "b", port: 2 },
        ],
      },
    ],
    [
      "postgres://u:p@a,b/db?port=6432",
      {
        servers: [
          { host: "a", port: 6_432 },
          { host: "b", port: 6_432 },
        ],
      },
    ],
    ["postgres://u:p@db/db?target_session_attrs=read-write", { servers: [db], attribute: "read-write" }],
    ["postgres://u:p@db/db?connect_timeout=10", { servers: [db], connectMilliseconds: 10_000 }],
    ["postgres://u:p@db/db?channel_binding=prefer&sslmode=disable", { servers: [db] }],
    [
      "postgres://u:p@db/db?application_name=log%201&options=-c%20x=1",
      { servers: [db], session: { application_name: "log 1", options: "-c x=1" } },
    ],
  ] as const) {
    test(`may be ${url}`, () => assert.deepEqual(readDatabaseUrl(url), { ...plain, ...expected }));
  }

  for (const [url, isRequired, verifies] of [
    ["postgres://u:p@db/db?sslmode=prefer", false, "nothing"],
    ["postgres://u:p@db/db?sslmode=require", true, "nothing"],
    ["postgres://u:p@db/db?sslmode=verify-ca", true, "authority"],
    ["postgres://u:p@db/db?sslmode=verify-full&sslrootcert=system", true, "host"],
  ] as const) {
    test(`may ask for encryption: ${url}`, () => {
      const { encryption } = readDatabaseUrl(url);
      assert.deepEqual([encryption?.isRequired, encryption?.verifies], [isRequired, verifies]);
    });
  }

  const notOne = "is not a PostgreSQL connection URL";
  const unreserved = (found: string, code: string) =>
    `has a ${found} where none may be: in a user or password it is written as ${code}`;
  for (const [url, fault] of [
    ["db", notOne],
    ["mysql://u:p@db/db", notOne],
    ["postgres://u:p@db", notOne],
    ["postgres://u:p@db/", notOne],
    ["postgres://u:p@db/a/b", notOne],
    ["postgres://u:p#w@db/db", unreserved("#", "%23")],
    ["postgres://u:p@w@db/db", unreserved("@", "%40")],
    ["postgres://u:p/w@db/db", unreserved("/", "%2F")],
    ["postgres://u:p?w@db/db", unreserved("?", "%3F")],
    ["postgres://u:p w@db/db", unreserved("blank", "%20")],
    ["postgres://u:p%w@db/db", unreserved("%", "%25")],
    ["postgres://u:p%@db/db", unreserved("%", "%25")],
    ["postgres://u:p%00w@db/db", "has a NUL (%00), which PostgreSQL does not allow"],
    ["postgres://u%00:p@db/db", "has a NUL (%00), which PostgreSQL does not allow"],
    ["postgres://u:p@db/d%00b", "has a NUL (%00), which PostgreSQL does not allow"],
    ["postgres://u:p@db/db?application_name=a%00b", "has a NUL (%00), which PostgreSQL does not allow"],
    ["postgres://u:p%ff@db/db", "has an encoded character that is not UTF-8"],
    ["postgres://u:p@db/db#x", "has a # where none may be: it is written as %23"],
    ["postgres://u:p@db/d b", "has a blank where none may be: it is written as %20"],
    ["postgres:///db", "has a host that is not written as name, name:port or [address]:port"],
    ["postgres://u:p@a,/db", "has a host that is not written as name, name:port or [address]:port"],
    ["postgres://u:p@:5432/db", "has a host that is not written as name, name:port or [address]:port"],
    ["postgres://u:p@::1:5432/db", "has a host that is not written as name, name:port or [address]:port"],
    ["postgres://u:p@a,db:abc/db", "has a host that is not written as name, name:port or [address]:port"],
    ["postgres://u:p@db:99999/db", "has a port that is not 1 to 65535"],
    ["postgres://u:p@db:0/db", "has a port that is not 1 to 65535"],
    ["postgres://u:p@/db?host=a,b,c&port=1,2", "has another number of ports than of hosts"],
    ["postgres://u:p@db/db?host=other", "names hosts before the database and in host"],
    [
      "postgres://u:p@db/db?sslmode=on",
      "has a sslmode that is none of disable, prefer, require, verify-ca, verify-full",
    ],
    [
      "postgres://u:p@db/db?target_session_attrs=rw",
      "has a target_session_attrs that is none of any, read-write, read-only, primary, standby, prefer-standby",
    ],
    ["postgres://u:p@db/db?connect_timeout=0", "has a connect_timeout that is not 1 to 30 seconds"],
    ["postgres://u:p@db/db?connect_timeout=2s", "has a connect_timeout that is not 1 to 30 seconds"],
    ["postgres://u:p@db/db?sslmode=disable&sslmode=require", "has sslmode twice"],
    [
      "postgres://u:p@db/db?sslmod=require",
      /^has a parameter that is not known \(sslmod\); known are host, /,
    ],
    ["postgres://u:p@db/db?p%20w=x", /^has a parameter that is not known \(it\); /],
    [
      "postgres://u:p@db/db?channel_binding=require",
      /^has channel_binding=require, which this program cannot do/,
    ],
    ["postgres://u:p@db/db?channel_binding=x", "has a channel_binding that is none of disable, prefer"],
    [
      "postgres://u:p@db/db?sslmode=require&sslrootcert=a",
      "has an sslrootcert, which sslmode=require does not look at: use verify-full",
    ],
    [
      "postgres://u:p@db/db?sslmode=verify-full&sslrootcert=a",
      "has an sslrootcert that names no file which can be read",
    ],
    ["postgres://u:p@db/db?sslmode=require&sslcert=a", "has only one of sslcert and sslkey"],
    ["postgres://u:p@db/db?sslcert=a&sslkey=b", "has an sslcert, which sslmode=disable does not use"],
    [
      "postgres://u:p@db/db?sslmode=require&sslcert=a&sslkey=b",
      "has an sslcert that names no file which can be read",
    ],
  ] as const) {
    test(`may not be ${url}`, () => assert.throws(() => readDatabaseUrl(url), { message: fault }));
  }

  test("may not name files that are no certificates", () => {
    const read = (query: string) => () =>
      readDatabaseUrl(`postgres://u:p@db/db?${query}`, () => "no certificate");
    assert.throws(read("sslmode=verify-full&sslrootcert=a"), {
      message: "has an sslrootcert that is no certificate in PEM",
    });
    assert.throws(read("sslmode=require&sslcert=a&sslkey=b"), {
      message: "has an sslcert and an sslkey that are not a certificate in PEM and the key that fits it",
    });
  });
});
