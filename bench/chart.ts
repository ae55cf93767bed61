/** A line chart with two logarithmic axes, as an SVG that suits light and dark pages. */
export interface Chart {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly series: readonly Series[];
}

export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

const width = 760;
const plot = { left: 70, top: 44, right: 470, bottom: 330 };
const height = 390;
const legendLeft = plot.right + 22;
/** Told apart by people who see few colours, on white and on black (Okabe and Ito, without yellow). */
const colours = [
  "#0072b2",
  "#d55e00",
  "#009e73",
  "#cc79a7",
  "#e69f00",
  "#56b4e9",
  "#8c6bb1",
  "#a65628",
  "#7f7f7f",
];

export function drawChart({ title, xLabel, yLabel, series }: Chart): string {
  const all = series.flatMap(({ points }) => points);
  const xs = decades(all.map(([x]) => x));
  const ys = decades(all.map(([, y]) => y));
  const x = scale(xs, plot.left, plot.right);
  const y = scale(ys, plot.bottom, plot.top);

  const xLines = xs.map(
    value =>
      line(x(value), plot.top, x(value), plot.bottom) +
      label(x(value), plot.bottom + 18, short(value), "middle"),
  );
  const yLines = ys.map(
    value =>
      line(plot.left, y(value), plot.right, y(value)) +
      label(plot.left - 8, y(value) + 4, short(value), "end"),
  );
  const curves = series.map(({ points }, i) => {
    const colour = colours[i % colours.length];
    const at = points.map(([px, py]) => `${round(x(px))},${round(y(py))}`);
    const dots = at.map(point => `<circle cx="${point.replace(",", '" cy="')}" r="3.5" fill="${colour}"/>`);
    return `<polyline points="${at.join(" ")}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join("")}`;
  });
  const legend = series.map(({ name }, i) => {
    const top = plot.top + 8 + i * 24;
    const mark = `<rect x="${legendLeft}" y="${top - 9}" width="12" height="12" rx="2" fill="${colours[i % colours.length]}"/>`;
    return mark + label(legendLeft + 19, top + 1, name, "start");
  });
  const middle = (plot.left + plot.right) / 2;
  const centre = (plot.top + plot.bottom) / 2;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">
<style>
  text { font: 12px system-ui, sans-serif; fill: #333 }
  .title { font-size: 15px; font-weight: 600 }
  .grid { stroke: #8884; stroke-width: 1 }
  @media (prefers-color-scheme: dark) { text { fill: #ddd } }
</style>
<text class="title" x="${plot.left}" y="24">${escaped(title)}</text>
${[...xLines, ...yLines, ...curves, ...legend].join("\n")}
${label(middle, height - 18, xLabel, "middle")}
<text text-anchor="middle" transform="translate(18 ${centre}) rotate(-90)">${escaped(yLabel)}</text>
</svg>
`;
}

/** The powers of ten from the one below the least value to the one above the greatest. */
function decades(values: readonly number[]): readonly number[] {
  const logs = values.map(value => Math.log10(Math.max(value, 1e-3)));
  const first = Math.floor(Math.min(...logs) + 1e-9);
  const last = Math.max(first + 1, Math.ceil(Math.max(...logs) - 1e-9));
  return Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
}

function scale(ticks: readonly number[], from: number, to: number): (value: number) => number {
  const [first, last] = [Math.log10(ticks[0] ?? 1), Math.log10(ticks.at(-1) ?? 10)];
  return value => from + ((Math.log10(Math.max(value, 1e-3)) - first) / (last - first)) * (to - from);
}

const round = (value: number): number => Math.round(value * 10) / 10;
const short = (value: number): string =>
  value >= 1e6 ? `${value / 1e6}M` : value >= 1e3 ? `${value / 1e3}k` : `${Number(value.toPrecision(1))}`;
const line = (x1: number, y1: number, x2: number, y2: number): string =>
  `<line class="grid" x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"/>`;
const label = (x: number, y: number, text: string, anchor: string): string =>
  `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${escaped(text)}</text>`;
const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
