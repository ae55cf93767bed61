export const sum = <T>(values: readonly T[], of: (value: T) => number): number =>
  values.reduce((total, value) => total + of(value), 0);

export const percent = (share: number): string => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;

export const rate = (perSecond: number): string => `${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s`;

export const bytes = (count: number): string => `${Math.round(count / 2 ** 20)} MiB`;

export function duration(seconds: number | undefined): string {
  if (seconds === undefined) return "–";
  if (seconds === Number.POSITIVE_INFINITY) return "over 10 s";
  if (seconds >= 1) return `${seconds.toFixed(1)} s`;
  const milliseconds = seconds * 1_000;
  return `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`;
}

/** The two largest of its units. */
export function lengthOfTime(seconds: number): string {
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
