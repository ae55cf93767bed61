import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readDatabaseUrl } from "../../../../../src/adapters/postgres/connection/database-url.ts";
import { makeAuthority } from "../../../../support/certificates.ts";

const plain = {
  user: "u",
  password: "p",
  database: "db",
  encryption: undefined,
  needsWrites: false,
};
const { certificate } = makeAuthority("ours");
const db = { name: "db:5432", host: "db", port: 5_432 };

describe("a connection URL", () => {
  for (const [url, expected] of [
    ["postgres://u:p@db/db", { servers: [db] }],
    [
      "postgresql://u:p@127.0.0.1:5433/db",
      { servers: [{ name: "127.0.0.1:5433", host: "127.0.0.1", port: 5_433 }] },
    ],
    ["postgres://u@db/db", { servers: [db], password: undefined }],
    ["postgres://db/db", { servers: [db], user: undefined, password: undefined }],
    ["postgres://u:@db/db", { servers: [db], password: "" }],
    [
      "postgres://%C3%BC:p%40%23%25%2F%3F:ss@db/d%20b",
      { servers: [db], user: "ü", password: "p@#%/?:ss", database: "d b" },
    ],
    // As psql sends it, where the password has another form than the one that PostgreSQL keeps.
    ["postgres://u:u%CC%88%C2%A0%EF%AC%81%E2%85%A8@db/db", { servers: [db], password: "ü fiIX" }],
    [
      "postgres://u:p@db,127.0.0.1:5433/db",
      { servers: [db, { name: "127.0.0.1:5433", host: "127.0.0.1", port: 5_433 }] },
    ],
    ["postgres://u:p@[::1]/db", { servers: [{ name: "[::1]:5432", host: "::1", port: 5_432 }] }],
    [
      "postgres://u:p@[fe80::1%25eth0]:5433,db/db",
      { servers: [{ name: "[fe80::1%eth0]:5433", host: "fe80::1%eth0", port: 5_433 }, db] },
    ],
    [
      "postgres://u:p@%2Frun%2Fpostgresql/db",
      { servers: [{ name: "/run/postgresql/.s.PGSQL.5432", path: "/run/postgresql/.s.PGSQL.5432" }] },
    ],
    [
      "postgres://%2ftmp:5433/db",
      {
        servers: [{ name: "/tmp/.s.PGSQL.5433", path: "/tmp/.s.PGSQL.5433" }],
        user: undefined,
        password: undefined,
      },
    ],
    ["postgres://u:p@db/db?target_session_attrs=read-write", { servers: [db], needsWrites: true }],
    ["postgres://u:p@db/db?target_session_attrs=any&sslmode=disable", { servers: [db] }],
  ] as const) {
    test(`may be ${url}`, () => assert.deepEqual(readDatabaseUrl(url), { ...plain, ...expected }));
  }

  for (const [url, ...verifies] of [
    ["postgres://u:p@db/db?sslmode=require", false, true],
    ["postgres://u:p@db/db?sslmode=verify-ca", true, false],
    ["postgres://u:p@db/db?sslmode=verify-full&sslrootcert=system", true, true],
  ] as const) {
    test(`may ask for encryption: ${url}`, () => {
      const { rejectUnauthorized, checkServerIdentity } = readDatabaseUrl(url).encryption?.current() ?? {};
      assert.deepEqual([rejectUnauthorized, checkServerIdentity === undefined], verifies);
    });
  }

  test("may name files whose paths have any characters", () => {
    const read: string[] = [];
    readDatabaseUrl("postgres://u:p@db/db?sslmode=verify-ca&sslrootcert=/a%20b+c=d.pem", path => {
      read.push(path);
      return certificate;
    });
    assert.deepEqual(read, ["/a b+c=d.pem"]);
  });

  const notOne =
    "is not a PostgreSQL connection URL, in which @ / ? # % and blanks of a user or password are written as %40 %2F %3F %23 %25 %20";
  const hostLast = "has its host as a parameter: write postgres://user@%2Fpath:port/db";
  const noHost =
    "has a host that is not written as name, name:port or [address]:port, with a port up to 65535";
  for (const [url, fault] of [
    ["db", notOne],
    ['"postgres://u:p@db/db"', notOne],
    ["'postgres://u:p@db/db'", notOne],
    ["\ufeffpostgres://u:p@db/db", notOne],
    ["jdbc:postgresql://db/db", notOne],
    ["mysql://u:p@db/db", notOne],
    ["postgres://u:p@db", notOne],
    ["postgres://u:p@db/", notOne],
    ["postgres://u:p@db/a/b", notOne],
    ["postgres:///db", notOne],
    ["postgres:///db?host=/run/postgresql", hostLast],
    ["postgres://u@/db?sslmode=disable&host=%2Frun", hostLast],
    ["postgres://u:p@db/db?host=/run", hostLast],
    ["postgres://u:p@db/db?xhost=/run", /^has a parameter that is not known \(xhost\)/],
    ["postgres://u:p#w@db/db", notOne],
    ["postgres://u:p@w@db/db", notOne],
    ["postgres://u:p/w@db/db", notOne],
    ["postgres://u:p?w@db/db", notOne],
    ["postgres://u:p w@db/db", notOne],
    ["postgres://u:p%w@db/db", notOne],
    ["postgres://u:p%@db/db", notOne],
    ["postgres://u:p%00w@db/db", notOne],
    ["postgres://u%00:p@db/db", notOne],
    ["postgres://u:p@db/d%00b", notOne],
    ["postgres://u:p@db/db#x", notOne],
    ["postgres://u:p@db/d b", notOne],
    ["postgres://u:p@db/db?sslmode=require&sslcert=%00", notOne],
    ["postgres://u:p%ff@db/db", "has an encoded character that is not UTF-8"],
    ["postgres://u:p@a,/db", noHost],
    ["postgres://u:p@:5432/db", noHost],
    ["postgres://u:p@::1:5432/db", noHost],
    ["postgres://u:p@a,db:abc/db", noHost],
    ["postgres://u:p@db:99999/db", noHost],
    ["postgres://u:p@db:0/db", noHost],
    [
      "postgres://u:p@db/db?sslmode=on",
      "has a sslmode that is none of disable, require, verify-ca, verify-full",
    ],
    [
      "postgres://u:p@db/db?target_session_attrs=rw",
      "has a target_session_attrs that is none of any, read-write",
    ],
    ["postgres://u:p@db/db?sslmode=disable&sslmode=require", "has sslmode twice"],
    [
      "postgres://u:p@db/db?sslmod=require",
      /^has a parameter that is not known \(sslmod\); known are sslmode, /,
    ],
    ["postgres://u:p@db/db?p%20w=x", /^has a parameter that is not known \(it\); /],
    [
      "postgres://u:p@db/db?sslmode=require&sslrootcert=a",
      "has an sslrootcert, which sslmode=require does not look at: use verify-full",
    ],
    [
      "postgres://u:p@db/db?sslmode=verify-full&sslrootcert=a",
      "has an sslrootcert that names no file which can be read",
    ],
    [
      "postgres://u:p@db/db?sslcert=a&sslkey=b",
      "has an sslcert, which sslmode=disable does not look at: use verify-full",
    ],
    [
      "postgres://u:p@db/db?sslmode=require&sslcert=a&sslkey=b",
      "has an sslcert that names no file which can be read",
    ],
  ] as const) {
    test(`may not be ${url}`, () => assert.throws(() => readDatabaseUrl(url), { message: fault }));
  }

  test("may not name files that are no certificates, or one of two", () => {
    const read = (query: string) => () =>
      readDatabaseUrl(`postgres://u:p@db/db?${query}`, () => "no certificate");
    assert.throws(read("sslmode=require&sslcert=a&sslkey=b"), {
      message: "has certificates that are not in PEM, or a key that does not fit its certificate",
    });
    for (const one of ["sslcert", "sslkey"]) {
      assert.throws(read(`sslmode=require&${one}=a`), { message: "has only one of sslcert and sslkey" });
    }
  });
});
