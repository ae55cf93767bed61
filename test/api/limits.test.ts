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
const second = 1_000;
const { bodyBytes, bodyBytesWithoutToken, requests } = httpLimits;

/** Each number of these pages that a test over HTTP would wait for, or fill, too long. */
for (const [page, stated, ...limits] of [
  ["SECURITY.md", /holds at most ([\d,]+) connections/, httpLimits.tlsConnections],
  ["SECURITY.md", /At most ([\d,]+) connections are open/, httpLimits.connections],
  ["SECURITY.md", /takes nothing for (\d+) s is cut off/, httpLimits.stallMilliseconds / second],
  ["SECURITY.md", /on at most ([\d,]+) in all: others get 503/, requests],
  ["SECURITY.md", /does not arrive within (\d+) s/, httpLimits.receiveMilliseconds / second],
  ["SECURITY.md", /cuts off a handshake after (\d+) s/, httpLimits.receiveMilliseconds / second],
  ["SECURITY.md", /have not taken are at most (\d+) MiB/, httpLimits.responseBytes / mebibyte],
  ["SECURITY.md", /and TLS handshakes, are closed after (\d+) ms/, httpLimits.drainMilliseconds],
  ["SECURITY.md", /has its result, or 503, within (\d+) s/, serviceLimits.deadlineMilliseconds / second],
  ["SECURITY.md", /A body has at most (\d+) KiB/, usualBodyLimitBytes / kibibyte],
  ["SECURITY.md", /has at most (\d+) headers/, mostHeaders],
  ["SECURITY.md", /headers of (\d+) KiB in all/, httpLimits.headerBytes / kibibyte],
  [
    "SECURITY.md",
    /bodies under way together take at most (\d+) MiB/,
    (bodyBytes + bodyBytesWithoutToken) / mebibyte,
  ],
  ["SECURITY.md", /requests without a token get at most (\d+) MiB/, bodyBytesWithoutToken / mebibyte],
  ["docs/reference.md", /\| body \| (\d+) KiB/, usualBodyLimitBytes / kibibyte],
  ["docs/reference.md", /\| headers \| (\d+), and (\d+) KiB/, mostHeaders, httpLimits.headerBytes / kibibyte],
  ["docs/reference.md", /to arrive \| (\d+) s \|/, httpLimits.receiveMilliseconds / second],
  ["docs/reference.md", /about (\d+) KiB \|/, pageBytes / kibibyte],
  ["docs/reference.md", /silence of (\d+) s/, httpLimits.keepAliveMilliseconds / second],
  ["docs/reference.md", /\| ([\d,]+) of all clients; (\d+) of one/, requests, requests / 2],
] as const) {
  test(`a limit is what ${page} states: ${stated.source}`, () => {
    const [, ...found] =
      stated.exec(readFileSync(page, "utf8")) ?? assert.fail("the page does not state it any more");
    assert.deepEqual(
      found.map(number => Number(number.replaceAll(",", ""))),
      limits,
    );
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
