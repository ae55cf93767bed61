type Labels = Readonly<Record<string, string>>;

/** A value with its labels, and what follows the name of its metric. */
export type Sample = readonly [labels: Labels, value: number, suffix?: string];

export const expositionType = "text/plain; version=0.0.4; charset=utf-8";

/**
 * One metric in the Prometheus text format 0.0.4 (Prometheus documentation, "Exposition formats"). Names end in their
 * unit, those of counters in `_total`. It has no sample where the value is undefined.
 */
const metric =
  (type: "gauge" | "counter" | "histogram") =>
  (name: string, help: string, values: number | undefined | readonly Sample[]): string => {
    const samples: readonly Sample[] = typeof values === "number" ? [[{}, values]] : (values ?? []);
    return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples.map(lineOf(name)), ""].join("\n");
  };

export const gauge = metric("gauge");
export const counter = metric("counter");
export const histogram = metric("histogram");

/** A sample for each value of a record, whose keys, with underscores, are the values of the label. */
export const by = (label: string, values: Readonly<Record<string, number>>): Sample[] =>
  Object.entries(values).map(([key, value]) => [{ [label]: key.replaceAll(" ", "_") }, value]);

/**
 * The samples of a histogram.
 *
 * @param bounds upper bounds, ascending
 * @param counts how many values each bound is the first to cover, and last those that are past all
 */
export function buckets(labels: Labels, bounds: readonly number[], counts: readonly number[], sum: number) {
  const samples: Sample[] = [];
  let cumulative = 0;
  for (const [i, bound] of [...bounds, "+Inf"].entries()) {
    cumulative += counts[i] ?? 0;
    samples.push([{ ...labels, le: String(bound) }, cumulative, "_bucket"]);
  }
  samples.push([labels, sum, "_sum"], [labels, cumulative, "_count"]);
  return samples;
}

const lineOf =
  (name: string) =>
  ([labels, value, suffix = ""]: Sample): string => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}`;
  };

const escaped = (text: string): string =>
  text.replace(/[\\\n"]/g, character => (character === "\n" ? "\\n" : `\\${character}`));
