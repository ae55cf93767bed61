import type { Readiness } from "../figures/readiness.ts";
import type { Reading } from "../figures/reading.ts";
import { between, quantile, type Recent, type RecentRoute, ratio } from "../figures/recent.ts";
import { type Card, cardsOf, judge, type Level } from "./cards.ts";
import { duration, lengthOfTime, rate } from "./format.ts";
import { type Html, html } from "./html.ts";
import { style } from "./style.ts";

const refreshSeconds = 5;
const windowSeconds = 60;

/** The same page, with and without a refresh: readers must be able to stop it (WCAG 2.2.1), and there is no script. */
export const statusPaths = { refreshing: "/", still: "/still" };

/**
 * The service at a glance, as one page without scripts.
 *
 * @param history earlier readings, oldest first; at least one
 */
export function statusPage(path: string, readiness: Readiness, now: Reading, history: readonly Reading[]) {
  const isRefreshing = path === statusPaths.refreshing;
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
${isRefreshing ? html`<meta http-equiv="refresh" content="${refreshSeconds}">` : ""}
<title>${title}: Maintenance Log Service</title>
<link rel="icon" href="data:image/svg+xml,${icon(level)}">
<style>${style}</style>
</head>
<body>
<header>
<h1>Maintenance Log Service</h1>
<p class="badge ${level}">${marks[level]} ${title}</p>
<p>${now.version} on Node ${now.runtime.nodeVersion}, up ${lengthOfTime(uptimeSeconds)}, at <time>${now.at.toISOString().slice(0, 19)}Z</time>. ${isRefreshing ? stop : start}</p>
<ul class="checks">
${Object.entries(readiness.checks).map(check)}
</ul>
</header>
<main>
${attention(readiness, cards)}
<section class="cards">
${cards.map(box)}
</section>
${chart([...history, now])}
${table(recent)}
</main>
<footer>Rates and times are of the last ${lengthOfTime(Math.round(recent.seconds))}, event-loop delay of the last 30 to
60 seconds. For programs: <a href="/metrics">/metrics</a>,
<a href="/readyz">/readyz</a>, <a href="/healthz">/healthz</a>, <a href="/openapi.json">/openapi.json</a>. For developers of clients: <a href="/api">the API</a>.</footer>
</body>
</html>
`.text;
}

const stop = html`Refreshes every ${refreshSeconds} seconds: <a href="${statusPaths.still}">stop</a>`;
const start = html`<a href="${statusPaths.refreshing}">Refresh every ${refreshSeconds} seconds</a>`;

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

const box = ({ title, figure, note, level, share }: Card): Html => html`<div class="card ${level}">
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
    const { seconds, requests, failures } = between(readings[i] ?? later, later);
    return { requests: ratio(requests, seconds), failures: ratio(failures, seconds) };
  });
  const peak = Math.max(...points.map(({ requests }) => requests), 0);
  const column = (kind: string, x: number, value: number): Html => {
    const height = chartHeight * ratio(value, peak);
    return html`<rect class="${kind}" x="${x}" y="${(chartHeight - height).toFixed(1)}" width="8" height="${height.toFixed(1)}"/>`;
  };
  const shown = points.slice(-columns);
  return html`<section>
<h2>Requests in the last ten minutes <span class="note">peak ${rate(peak)}; red were 5xx</span></h2>
<svg class="chart" viewBox="0 0 ${columns * 10} ${chartHeight}" preserveAspectRatio="none" role="img" aria-label="Requests a second over the last ten minutes">
${shown.flatMap(({ requests, failures }, i) => {
  const x = (columns - shown.length + i) * 10 + 1;
  return [column("answered", x, requests), column("failed", x, failures)];
})}
</svg>
</section>`;
}

/** The busiest first. */
function table({ routes, seconds }: Recent): Html {
  const rows = routes.toSorted(
    (a, b) => b.requests - a.requests || (a.route + a.method < b.route + b.method ? -1 : 1),
  );
  if (rows.length === 0) return html`<p class="note">There has been no request yet.</p>`;
  return html`<section class="wide" tabindex="0" role="region" aria-label="Routes">
<h2>Routes</h2>
<table>
<thead><tr><th>Method</th><th>Route</th><th class="number">Rate</th><th class="number">5xx</th><th class="number">p50</th><th class="number">p99</th><th><span class="note">0.5 ms to 10 s</span></th></tr></thead>
<tbody>
${rows.map(route => row(route, seconds))}
</tbody>
</table>
</section>`;
}

function row(recent: RecentRoute, seconds: number): Html {
  const { method, route, requests, failures } = recent;
  const [p50, p99] = [quantile(0.5, recent), quantile(0.99, recent)];
  return html`<tr class="${failures > 0 ? "bad" : judge(p99 ?? 0, 1, 5)}">
<td>${method}</td><td><code>${route}</code></td><td class="number">${rate(ratio(requests, seconds))}</td>
<td class="number">${failures > 0 ? `${marks.bad} ${failures}` : "0"}</td><td class="number">${duration(p50)}</td>
<td class="number">${duration(p99)}</td><td>${p99 === undefined ? "" : bar(logarithmic(p99))}</td>
</tr>`;
}

/** Where a time lies between 0.5 ms and 10 s. */
const logarithmic = (seconds: number): number =>
  Math.max(0.01, Math.log(seconds / 0.0005) / Math.log(10 / 0.0005));
