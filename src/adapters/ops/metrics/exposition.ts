/** A value with its labels. */
export interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

export type Labels = Readonly<Record<string, string>>;

/** What a histogram counted: how many values each bound is the first to cover, and last those that are past all. */
export interface Distribution {
  readonly labels?: Labels;
  readonly counts: readonly number[];
  readonly sum: number;
}

/** Samples of one name. Names end in their unit, those of counters in `_total`. */
export type Family = {
  readonly name: string;
  readonly help: string;
} & (
  | { readonly type: "counter" | "gauge"; readonly samples: readonly Sample[] }
  | {
      readonly type: "histogram";
      /** Upper bounds, ascending; `+Inf` comes by itself. */
      readonly bounds: readonly number[];
      readonly distributions: readonly Distribution[];
    }
);

export const expositionType = "text/plain; version=0.0.4; charset=utf-8";

/** Writes the Prometheus text format 0.0.4 (Prometheus documentation, "Exposition formats"). */
export const formatFamilies = (families: readonly Family[]): string =>
  families.map(family => `${[...headOf(family), ...linesOf(family)].join("\n")}\n`).join("");

const headOf = ({ name, help, type }: Family): string[] => [
  `# HELP ${name} ${help.replace(/[\\\n]/g, escaped)}`,
  `# TYPE ${name} ${type}`,
];

function linesOf(family: Family): string[] {
  if (family.type !== "histogram") {
    return family.samples.map(({ labels, value }) => line(family.name, labels, value));
  }
  const { name, bounds, distributions } = family;
  return distributions.flatMap(({ labels, counts, sum }) => {
    let cumulative = 0;
    const buckets = [...bounds, Number.POSITIVE_INFINITY].map((bound, i) => {
      cumulative += counts[i] ?? 0;
      return line(`${name}_bucket`, { ...labels, le: textOf(bound) }, cumulative);
    });
    return [...buckets, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, cumulative)];
  });
}

function line(name: string, labels: Labels = {}, value: number): string {
  const pairs = Object.entries(labels).map(
    ([label, text]) => `${label}="${text.replace(/[\\\n"]/g, escaped)}"`,
  );
  return `${name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${textOf(value)}`;
}

const escaped = (character: string): string => (character === "\n" ? "\\n" : `\\${character}`);

function textOf(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  return value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value);
}
