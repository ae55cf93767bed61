import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { bodyLimitBytes } from "../../src/adapters/http/api/route.ts";
import { mostHeaders } from "../../src/adapters/http/request/request-head.ts";
import { httpLimits } from "../../src/adapters/http/server/limits.ts";
import { pageBytes } from "../../src/adapters/postgres/batching/pages.ts";
import { newAssetFields } from "../../src/domain/asset.ts";
import { registrationFields } from "../../src/domain/employee.ts";
import { type Field, readFields } from "../../src/domain/field.ts";
import { newLogFields } from "../../src/domain/maintenance-log.ts";

const page = readFileSync("docs/reference.md", "utf8");
const emailEnd = "@example.com";

/** A value of so many characters, which JavaScript counts twice. */
const letters = (length: number) => "𝒙".repeat(length);
const digits = (length: number) => "1".repeat(length);
const email = (length: number) => `${"x".repeat(length - emailEnd.length)}${emailEnd}`;

for (const [stated, field, sample] of [
  [/first and last names (\d+) to (\d+)/, registrationFields.firstName, letters],
  [/first and last names (\d+) to (\d+)/, registrationFields.lastName, letters],
  [/phone numbers (\d+) to (\d+)/, registrationFields.phone, digits],
  [/emails (up to) (\d[\d,]*\d)/, registrationFields.email, email],
  [/passwords (\d+) to (\d+)/, registrationFields.password, letters],
  [/names of assets (\d+) to (\d+)/, newAssetFields.name, letters],
  [/descriptions (up to) (\d[\d,]*\d)/, newAssetFields.description, letters],
  [/comments (up to) (\d[\d,]*\d)/, newLogFields.comment, letters],
] as const satisfies readonly (readonly [RegExp, Field<unknown>, (length: number) => string])[]) {
  test(`a field has the lengths that docs/reference.md states: ${stated.source}`, () => {
    const [, least = "", most = ""] = stated.exec(page) ?? assert.fail();
    const read = (length: number) => readFields({ field }, { field: sample(length) });
    const longest = Number(most.replace(",", ""));
    read(longest);
    assert.throws(() => read(longest + 1));
    if (least === "up to") return;
    read(Number(least));
    assert.throws(() => read(Number(least) - 1));
  });
}

for (const [stated, ...limits] of [
  [/\| body; .* \| (\d+) KiB;/, bodyLimitBytes / 1024],
  [/\| headers \| (\d+), and (\d+) KiB/, mostHeaders, httpLimits.headerBytes / 1024],
  [/to arrive \| (\d+) s \|/, httpLimits.receiveMilliseconds / 1_000],
  [/about (\d+) KiB \|/, pageBytes / 1024],
  [/silence of (\d+) s/, httpLimits.keepAliveMilliseconds / 1_000],
  [/none for a client; ([\d,]+) at a time/, httpLimits.requests],
] as const) {
  test(`a limit is what docs/reference.md states: ${stated.source}`, () => {
    const [, ...found] = stated.exec(page) ?? assert.fail();
    assert.deepEqual(
      found.map(number => Number(number.replace(",", ""))),
      limits,
    );
  });
}
