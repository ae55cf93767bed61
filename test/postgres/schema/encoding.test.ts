import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openEmptyDatabase } from "../../support/database.ts";
import { shared } from "../../support/left-open.ts";
import { urlOf } from "../../support/native-postgres.ts";
import { runProgram } from "../../support/program.ts";

describe("the encoding of the database", async () => {
  const database = await shared(openEmptyDatabase());
  const server = database.session();

  for (const encoding of ["SQL_ASCII", "LATIN1"]) {
    test(`may not be ${encoding}: every command says so`, async t => {
      if (!database.hasUsers) return t.skip("the embedded database has but one encoding");
      const name = `encoding_${encoding.toLowerCase()}_${process.pid}`;
      await server.unsafe(`create database ${name} encoding '${encoding}' locale 'C' template template0`);
      const settings = {
        DATABASE_URL: urlOf(database.url, name),
        SECRET_KEY: "a secret of the encoding tests, 32 bytes",
        PORT: "0",
      };
      const said = `the encoding of the database is ${encoding}, not UTF8: create it with encoding 'UTF8' template template0`;
      for (const [command, ...args] of [
        ["migrate"],
        ["serve"],
        ["check"],
        ["export-logs"],
        ["set-password", "--email", "a@example.com"],
      ] as const) {
        const { code, stderr } = await runProgram([command, ...args], settings);
        assert.equal(code, 1, command);
        assert.ok(stderr.startsWith(`${command}: ${said}\n`), stderr);
      }
      await server.unsafe(`drop database ${name} with (force)`);
    });
  }
});
