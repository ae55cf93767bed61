import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { usualBodyLimitBytes } from "../../src/adapters/http/api/route.ts";
import { httpLimits } from "../../src/adapters/http/request/limits.ts";
import { pageBytes } from "../../src/adapters/postgres/batching/pages.ts";
import { mostHeaders } from "../../src/adapters/protocol/request-head.ts";

const page = readFileSync("docs/reference.md", "utf8");

for (const [stated, ...limits] of [
  [/\| body \| (\d+) KiB/, usualBodyLimitBytes / 1024],
  [/\| headers \| (\d+), and (\d+) KiB/, mostHeaders, httpLimits.headerBytes / 1024],
  [/to arrive \| (\d+) s \|/, httpLimits.receiveMilliseconds / 1_000],
  [/about (\d+) KiB \|/, pageBytes / 1024],
  [/silence of (\d+) s/, httpLimits.keepAliveMilliseconds / 1_000],
  [/\| ([\d,]+) of all clients; (\d+) of one/, httpLimits.requests, httpLimits.requests / 2],
] as const) {
  test(`a limit is what docs/reference.md states: ${stated.source}`, () => {
    const [, ...found] = stated.exec(page) ?? assert.fail("the page does not state it any more");
    assert.deepEqual(
      found.map(number => Number(number.replace(",", ""))),
      limits,
    );
  });
}
