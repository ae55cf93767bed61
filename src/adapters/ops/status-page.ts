import { createHash } from "node:crypto";
import { type Html, html } from "./html.ts";
import type { Readiness } from "./readiness.ts";
import type { Reading } from "./reading.ts";
import { between, countOf, failuresOf, quantile, type Recent, ratio } from "./recent.ts";
import type { RequestSeries } from "./request-meter.ts";
import { style } from "./status-page-style.ts";

export const refreshSeconds = 5;
const windowSeconds = 60;

/** Nothing but this one style and the icon may load; nothing may run. */
export const statusPagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

type Level = "ok" | "warn" | "bad";

/** One figure, how it is to be judged, and how full it is, where it has a bound. */
interface Card {
  readonly title: string;
  readonly figure: string;
  readonly note: string;
  readonly level: Level;
  readonly share?: number;
}

/**
 * The service at a glance, as one page without scripts.
 *
 * @param history earlier readings, oldest first; at least one
 */
export function statusPage(readiness: Readiness, now: Reading, history: readonly Reading[]): string {
  const { uptimeSeconds } = now.runtime;
  const isOld = ({ runtime }: Reading) => uptimeSeconds - runtime.uptimeSeconds >= windowSeconds;
  const recent = between(history.findLast(isOld) ?? history[0] ?? now, now);
  const cards = cardsOf(now, recent);
  const level: Level = readiness.ready ? "ok" : "bad";
  const title = readiness.ready ? "Ready" : "Not ready";
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="${refreshSeconds}">
<title>${title}: Maintenance Log Service</title>
<link rel="icon" href="data:image/svg+xml,${icon(level)}">
${styleElement}
</head>
<body>
<header>
<h1>Maintenance Log Service</h1>
<p class="badge ${level}">${marks[level]} ${title}</p>
<p>${now.version} on Node ${now.nodeVersion}, up ${lengthOfTime(uptimeSeconds)}, at <time>${now.at.toISOString().slice(0, 19)}Z</time></p>
<ul class="checks">
${Object.entries(readiness.checks).map(check)}
</ul>
</header>
<main>
${attention(readiness, cards)}
<section class="cards">
${cards.map(card)}
</section>
${chart([...history, now])}
${table(recent)}
</main>
<footer>Rates and times are of the last ${lengthOfTime(Math.round(recent.seconds))}, event-loop delay of the last 30 to
60 seconds. The page reads itself anew every ${refreshSeconds} seconds. For programs: <a href="/metrics">/metrics</a>,
<a href="/readyz">/readyz</a>, <a href="/healthz">/healthz</a>.</footer>
</body>
</html>
`.text;
}

const styleElement = html`<style>${style}</style>`;

/** The level is never told by colour alone. */
const marks: Readonly<Record<Level, string>> = { ok: "●", warn: "▲", bad: "✖" };

const icon = (level: Level): string =>
  encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4.5" cy="4.5" r="4" fill="${level === "ok" ? "#2da44e" : "#cf222e"}"/></svg>`,
  );

const check = ([name, state]: [string, string]): Html => {
  const level = state === "ok" ? "ok" : "bad";
  return html`<li class="${level}">${marks[level]} ${name}: ${state}</li>`;
};

/** What calls for attention, in words and before all figures. */
function attention({ checks }: Readiness, cards: readonly Card[]): Html {
  const items = [
    ...Object.entries(checks)
      .filter(([, state]) => state !== "ok")
      .map(check),
    ...cards.filter(({ level }) => level !== "ok").map(concern),
  ];
  if (items.length === 0) return html`<p class="attention">Nothing calls for attention.</p>`;
  return html`<ul class="attention">
${items}
</ul>`;
}

const concern = ({ level, title, figure, note }: Card): Html =>
  html`<li class="${level}">${marks[level]} ${title}: ${figure}, ${note}</li>`;

function cardsOf({ http, database, passwords, runtime }: Reading, recent: Recent): Card[] {
  const requests = sum(recent.requests, countOf);
  const failures = sum(recent.requests, failuresOf);
  const { p99Seconds, medianSeconds, maxSeconds } = runtime.eventLoopDelay;
  const [failed, throttled] = [recent.refused("login_failed"), recent.refused("login_throttled")];
  const [tokens, roles] = [recent.refused("token_refused"), recent.refused("role_refused")];
  const heapShare = ratio(runtime.heapUsedBytes, runtime.heapLimitBytes);
  return [
    {
      title: "Requests",
      figure: rate(ratio(requests, recent.seconds)),
      note: `${http.requests} in flight, ${http.connections} connections`,
      level: "ok",
    },
    {
      title: "Server errors",
      figure: `${failures}`,
      note: `${percent(ratio(failures, requests))} of requests answered 5xx`,
      level: judge(ratio(failures, requests), Number.MIN_VALUE, 0.01),
    },
    {
      title: "Turned away",
      figure: `${recent.turnedAway}`,
      note: "requests and connections past the bounds, slow clients",
      level: judge(recent.turnedAway, 1, 10),
    },
    {
      title: "Database connections",
      figure: `${database.inUse} of ${database.limit}`,
      note: `in use; ${database.idle} idle, ${database.waiting} statements waiting`,
      level: judge(database.waiting, 1, 10 * database.limit),
      share: ratio(database.inUse, database.limit),
    },
    {
      title: "Password hashing",
      figure: `${passwords.working} of ${passwords.workingLimit}`,
      note: `at work; ${passwords.waiting} of at most ${passwords.waitingLimit} waiting`,
      level: judge(ratio(passwords.waiting, passwords.waitingLimit), 0.1, 0.5),
      share: ratio(passwords.working, passwords.workingLimit),
    },
    {
      title: "Event-loop delay",
      figure: duration(p99Seconds),
      note: `p99; median ${duration(medianSeconds)}, longest ${duration(maxSeconds)}`,
      level: judge(p99Seconds, 0.05, 0.25),
      share: p99Seconds / 0.25,
    },
    {
      title: "CPU",
      figure: percent(recent.cpuShare),
      note: "of one core, all threads of the process",
      level: judge(recent.cpuShare, 0.85, 1.5),
      share: recent.cpuShare,
    },
    {
      title: "Memory",
      figure: bytes(runtime.residentBytes),
      note: `resident; heap ${bytes(runtime.heapUsedBytes)} of at most ${bytes(runtime.heapLimitBytes)}`,
      level: judge(heapShare, 0.7, 0.9),
      share: heapShare,
    },
    {
      title: "Failed logins",
      figure: `${failed}`,
      note: `and ${throttled} throttled`,
      level: judge(failed + throttled, 10, 100),
    },
    {
      title: "Tokens refused",
      figure: `${tokens}`,
      note: `and ${roles} requests above the caller's role`,
      level: judge(tokens, 60, 600),
    },
  ];
}

const judge = (value: number, warn: number, bad: number): Level =>
  value >= bad ? "bad" : value >= warn ? "warn" : "ok";

const card = ({ title, figure, note, level, share }: Card): Html => html`<div class="card ${level}">
<h2>${title}</h2>
<p class="figure">${level === "ok" ? "" : `${marks[level]} `}${figure}</p>
${share === undefined ? "" : bar(share)}
<p class="note">${note}</p>
</div>`;

const bar = (share: number): Html =>
  html`<svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="4"/><rect class="fill" width="${(100 * Math.min(share, 1)).toFixed(1)}" height="4"/></svg>`;

const chartHeight = 60;
const columns = 60;

/** Requests a second between the readings, and how many of them failed, newest on the right. */
function chart(readings: readonly Reading[]): Html {
  const points = readings.slice(1).map((later, i) => {
    const { seconds, requests } = between(readings[i] ?? later, later);
    return {
      requests: ratio(sum(requests, countOf), seconds),
      failures: ratio(sum(requests, failuresOf), seconds),
    };
  });
  const peak = Math.max(...points.map(({ requests }) => requests), 0);
  const column = (kind: string, x: number, value: number): Html => {
    const height = chartHeight * ratio(value, peak);
    return html`<rect class="${kind}" x="${x}" y="${(chartHeight - height).toFixed(1)}" width="8" height="${height.toFixed(1)}"/>`;
  };
  const shown = points.slice(-columns);
  return html`<section>
<h2>Requests in the last ten minutes <span class="note">peak ${rate(peak)}; red were answered 5xx</span></h2>
<svg class="chart" viewBox="0 0 ${columns * 10} ${chartHeight}" preserveAspectRatio="none" role="img" aria-label="Requests a second over the last ten minutes">
${shown.flatMap(({ requests, failures }, i) => {
  const x = (columns - shown.length + i) * 10 + 1;
  return [column("answered", x, requests), column("failed", x, failures)];
})}
</svg>
</section>`;
}

/** The busiest first. */
function table({ requests, seconds }: Recent): Html {
  const rows = [...requests].sort(
    (a, b) => countOf(b) - countOf(a) || (a.route + a.method < b.route + b.method ? -1 : 1),
  );
  if (rows.length === 0) return html`<p class="note">No request has been answered yet.</p>`;
  return html`<section class="wide">
<h2>Routes</h2>
<table>
<thead><tr><th>Method</th><th>Route</th><th class="number">Rate</th><th class="number">5xx</th><th class="number">p50</th><th class="number">p99</th><th><span class="note">0.5 ms to 10 s</span></th></tr></thead>
<tbody>
${rows.map(series => row(series, seconds))}
</tbody>
</table>
</section>`;
}

function row(series: RequestSeries, seconds: number): Html {
  const failures = failuresOf(series);
  const [p50, p99] = [quantile(0.5, series), quantile(0.99, series)];
  return html`<tr class="${failures > 0 ? "bad" : judge(p99 ?? 0, 1, 5)}">
<td>${series.method}</td><td><code>${series.route}</code></td><td class="number">${rate(ratio(countOf(series), seconds))}</td>
<td class="number">${failures > 0 ? `${marks.bad} ${failures}` : "0"}</td><td class="number">${duration(p50)}</td>
<td class="number">${duration(p99)}</td><td>${p99 === undefined ? "" : bar(logarithmic(p99))}</td>
</tr>`;
}

/** Where a time lies between 0.5 ms and 10 s. */
const logarithmic = (seconds: number): number =>
  Math.max(0.01, Math.log(seconds / 0.0005) / Math.log(10 / 0.0005));

const sum = <T>(values: readonly T[], of: (value: T) => number): number =>
  values.reduce((total, value) => total + of(value), 0);

const percent = (share: number): string => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;

const rate = (perSecond: number): string => `${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s`;

const bytes = (count: number): string => `${Math.round(count / 2 ** 20)} MiB`;

function duration(seconds: number | undefined): string {
  if (seconds === undefined) return "–";
  if (seconds === Number.POSITIVE_INFINITY) return "over 10 s";
  if (seconds >= 1) return `${seconds.toFixed(1)} s`;
  const milliseconds = seconds * 1_000;
  return `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`;
}

/** The two largest of its units. */
function lengthOfTime(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3_600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [Math.floor(seconds) % 60, "s"],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  const shown = parts.slice(Math.max(first, 0), Math.max(first, 0) + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(" ") || "0 s";
}
