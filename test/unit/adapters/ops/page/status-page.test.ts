import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import type { Readiness } from "../../../../../src/adapters/ops/figures/readiness.ts";
import type { Reading } from "../../../../../src/adapters/ops/figures/reading.ts";
import { makeRequestMeter } from "../../../../../src/adapters/ops/figures/request-meter.ts";
import { html, policyOf } from "../../../../../src/adapters/ops/page/html.ts";
import { statusPage } from "../../../../../src/adapters/ops/page/status-page.ts";
import { type Meter, readingOf } from "../../../../support/readings.ts";

const ready: Readiness = { ready: true, checks: { service: "ok", database: "ok", schema: "ok" } };

/** The page after a minute in which this happened. */
function pageAfter(
  happen: (meter: Meter) => void,
  changes: Partial<Reading> = {},
  readiness = ready,
): string {
  const meter = makeRequestMeter();
  const before = readingOf(meter, 3_600);
  happen(meter);
  return statusPage("/", readiness, readingOf(meter, 3_660, changes), [before]);
}

const attentionOf = (page: string): string[] =>
  [
    ...(/<ul class="attention">([\s\S]*?)<\/ul>/.exec(page)?.[1] ?? "").matchAll(
      /<li class="(\w+)">(.*)<\/li>/g,
    ),
  ].map(([, level, text]) => `${level} ${text}`);

describe("the status page", () => {
  test("says that nothing calls for attention while nothing does", () => {
    const page = pageAfter(meter => meter.responded("GET", "/logs", 200, 2));
    assert.match(page, /Nothing calls for attention\./);
    assert.match(page, /<title>Ready: Maintenance Log Service<\/title>/);
    assert.match(page, /1\.0\.0 on Node v24\.0\.0, up 1 h 1 min, at <time>2026-11-21T10:01:00Z<\/time>/);
    assert.doesNotMatch(page, /class="card (warn|bad)"/);
  });

  test("shows each route with its rate, its failures and its times in the last minute", () => {
    const page = pageAfter(meter => {
      for (let i = 0; i < 600; i += 1) meter.responded("GET", "/logs/{id}", 200, 2);
      for (let i = 0; i < 6; i += 1) meter.responded("POST", "/logs", 503, 20_000);
    });
    const rows = [...page.matchAll(/<tr class="(\w+)">([\s\S]*?)<\/tr>/g)].map(([, level, row = ""]) => [
      level,
      ...[...row.matchAll(/<td[^>]*>(.*?)<\/td>/g)]
        .slice(0, 6)
        .map(([, cell]) => cell?.replace(/<.*?>/g, "")),
    ]);
    assert.deepEqual(rows, [
      ["ok", "GET", "/logs/{id}", "10/s", "0", "1.8 ms", "2.5 ms"],
      ["bad", "POST", "/logs", "0.1/s", "✖ 6", "over 10 s", "over 10 s"],
    ]);
  });

  test("shows the busiest route first, and routes that are as busy in their order, in sections that the keyboard can scroll", () => {
    const page = pageAfter(meter => {
      for (const route of ["/c", "/a", "/b", "/d", "/d"]) meter.responded("GET", route, 200, 1);
    });
    assert.deepEqual(
      [...page.matchAll(/<code>(\/[a-d])<\/code>/g)].map(([, route]) => route),
      ["/d", "/a", "/b", "/c"],
    );
    const sections = [...page.matchAll(/<\w+ class="wide"[^>]*>/g)];
    assert.ok(sections.length > 0);
    for (const [section] of sections) assert.match(section, /tabindex="0" role="region" aria-label="\w+"/);
  });

  test("puts what calls for attention first", () => {
    const page = pageAfter(
      meter => {
        for (let i = 0; i < 99; i += 1) meter.responded("GET", "/logs", 200, 2);
        meter.responded("GET", "/logs", 500, 2);
        for (let i = 0; i < 12; i += 1) meter.refused("login failed");
      },
      { database: { inUse: 10, idle: 0, limit: 10, waiting: 7 } },
      { ready: false, checks: { service: "draining", database: "ok", schema: "ok" } },
    );
    assert.deepEqual(attentionOf(page), [
      "bad ✖ service: draining",
      "bad ✖ Server errors: 1, 1.0 % of responses were 5xx",
      "warn ▲ Database connections: 10 of 10, in use; 0 idle, 7 statements waiting",
      "warn ▲ Failed logins: 12, and 0 throttled",
    ]);
    assert.match(page, /<title>Not ready: /);
  });

  test("says how long the certificate is valid, and that a renewal has failed", () => {
    const concernsOf = (days: number, isRenewalFailed = false) => {
      const at = readingOf(makeRequestMeter(), 3_660).at.getTime() / 1_000;
      const certificate = { validToSeconds: at + days * 86_400 + 60, isRenewalFailed };
      const page = pageAfter(() => {}, { certificate });
      assert.match(page, /<h2>Certificate<\/h2>/);
      return attentionOf(page);
    };
    assert.deepEqual(concernsOf(14), []);
    assert.deepEqual(concernsOf(13), ["warn ▲ Certificate: 13 d, left"]);
    assert.deepEqual(concernsOf(2), ["bad ✖ Certificate: 2 d, left"]);
    const failed = "bad ✖ Certificate: 60 d, left; the files that were read last cannot be used";
    assert.deepEqual(concernsOf(60, true), [failed]);
    assert.doesNotMatch(
      pageAfter(() => {}),
      /Certificate/,
    );
  });

  test("draws what happened between the readings, newest on the right, failures in red", () => {
    const meter = makeRequestMeter();
    const readings = [0, 10, 20].map(seconds => {
      for (let i = 0; i < seconds; i += 1) meter.responded("GET", "/", i % 2 === 0 ? 200 : 500, 1);
      return readingOf(meter, seconds);
    });
    const page = statusPage("/", ready, readingOf(meter, 30), readings);
    const columns = [...page.matchAll(/<rect class="(answered|failed)" x="(\d+)" .*? height="([\d.]+)"/g)];
    assert.deepEqual(
      columns.map(([, kind, x, height]) => [kind, Number(x), Number(height)]),
      [
        ["answered", 571, 30],
        ["failed", 571, 15],
        ["answered", 581, 60],
        ["failed", 581, 30],
        ["answered", 591, 0],
        ["failed", 591, 0],
      ],
    );
  });

  test("escapes everything that it is given", () => {
    const hostile = `<script>alert("1")</script>'&`;
    const page = pageAfter(
      meter => meter.responded("GET", hostile, 200, 1),
      { version: hostile },
      { ready: false, checks: { service: hostile, database: hostile, schema: hostile } },
    );
    assert.doesNotMatch(page, /<script|alert\("/);
    assert.ok(page.includes("&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62;&#39;&#38;"));
  });

  test("has one style, the one that its policy allows, and nothing inline, loaded or run", () => {
    const page = pageAfter(meter => meter.responded("GET", "/", 200, 1));
    const [, style = ""] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
    const hash = createHash("sha256").update(style).digest("base64");
    assert.ok(policyOf(page).includes(`style-src 'sha256-${hash}'`));
    assert.match(policyOf(page), /^default-src 'none'; /);
    assert.doesNotMatch(
      page.replace(/<style>[\s\S]*<\/style>/, ""),
      /style=|<script|\son\w+=|src=|https?:\/\/(?!www\.w3)/,
    );
    assert.doesNotMatch(style, /url\(|@import/);
    assert.match(page, /<meta http-equiv="refresh" content="5">/);
  });

  test("can be drawn before anything has happened", () => {
    const reading = readingOf(makeRequestMeter(), 0);
    const page = statusPage("/", ready, reading, [reading]);
    assert.match(page, /There has been no request yet\./);
    assert.doesNotMatch(page, /NaN|Infinity|undefined/);
  });
});

describe("a piece of HTML", () => {
  test("takes text as text, and pieces as pieces", () => {
    const inner = html`<b>${"<&>"}</b>`;
    assert.equal(html`<p title="${'"'}">${inner}${3}${[inner, inner]}</p>`.text.split("\n").length, 2);
    assert.equal(inner.text, "<b>&#60;&#38;&#62;</b>");
  });
});
