import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { usualBodyLimitBytes } from "../../src/adapters/http/api/route.ts";
import { httpLimits } from "../../src/adapters/http/request/limits.ts";
import { pageBytes } from "../../src/adapters/postgres/batching/pages.ts";
import { serviceLimits } from "../../src/adapters/postgres/connection/database.ts";
import { mostHeaders } from "../../src/adapters/protocol/request-head.ts";

const kibibyte = 1_024;
const mebibyte = 1_024 * kibibyte;

/** Each number of SECURITY.md that a test over HTTP would wait for, or fill, too long. */
for (const [promised, unit, limit] of [
  [/holds at most ([\d,]+) connections/, 1, httpLimits.tlsConnections],
  [/At most ([\d,]+) connections are open/, 1, httpLimits.connections],
  [/takes nothing for (\d+) s is cut off/, 1_000, httpLimits.takeMilliseconds],
  [/on at most ([\d,]+) in all: others get 503/, 1, httpLimits.requests],
  [/does not arrive within (\d+) s/, 1_000, httpLimits.receiveMilliseconds],
  [/cuts off a handshake after (\d+) s/, 1_000, httpLimits.receiveMilliseconds],
  [/reads nothing for (\d+) s is cut off/, 1_000, httpLimits.takeMilliseconds],
  [/have not taken are at most (\d+) MiB/, mebibyte, httpLimits.responseBytes],
  [/and TLS handshakes, are closed after (\d+) ms/, 1, httpLimits.drainMilliseconds],
  [/has its result, or 503, within (\d+) s/, 1_000, serviceLimits.deadlineMilliseconds],
  [/A body has at most (\d+) KiB/, kibibyte, usualBodyLimitBytes],
  [/has at most (\d+) headers/, 1, mostHeaders],
  [/headers of (\d+) KiB in all/, kibibyte, httpLimits.headerBytes],
  [
    /bodies under way together take at most (\d+) MiB/,
    mebibyte,
    httpLimits.bodyBytes + httpLimits.bodyBytesWithoutToken,
  ],
  [/requests with a token get at most (\d+) MiB/, mebibyte, httpLimits.bodyBytes],
  [/requests without a token get at most (\d+) MiB/, mebibyte, httpLimits.bodyBytesWithoutToken],
] as const) {
  test(`a limit is the one that SECURITY.md states: ${promised.source}`, () => {
    const [, number = ""] = promised.exec(readFileSync("SECURITY.md", "utf8")) ?? [];
    assert.equal(Number(number.replaceAll(",", "")) * unit, limit);
  });
}

/** What no document states, and no test over HTTP meets with the limits of a service. */
test("the other limits fit those: what is counted for a list, and how often what is late is looked for", () => {
  const { longListBytes, sweepMilliseconds, receiveMilliseconds } = httpLimits;
  // A page of long logs, and the chunk that is being sent.
  assert.ok(longListBytes >= 2 * pageBytes);
  assert.ok(longListBytes <= httpLimits.responseBytes / 100);
  assert.ok(sweepMilliseconds <= receiveMilliseconds / 10);
  // Long enough for one more turn to a client far away, and no longer than a client can make use of.
  assert.ok(httpLimits.lingerMilliseconds >= 500 && httpLimits.lingerMilliseconds <= 5_000);
  // Proxies keep theirs for 60 s: the one who sends has to be the first to close.
  assert.ok(httpLimits.keepAliveMilliseconds > 60_000);
});
