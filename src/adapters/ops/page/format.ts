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

const units = { d: 86_400, h: 3_600, min: 60, s: 1 };

/** The two largest of its units. */
export function lengthOfTime(seconds: number): string {
  const parts: string[] = [];
  let rest = Math.floor(seconds);
  for (const [unit, length] of Object.entries(units)) {
    const count = Math.floor(rest / length);
    rest %= length;
    if (count > 0 || parts.length > 0) parts.push(count > 0 ? `${count} ${unit}` : "");
  }
  return parts.slice(0, 2).join(" ").trim() || "0 s";
}
