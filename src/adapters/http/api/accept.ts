/** Whether an Accept header (RFC 9110, section 12.5.1) puts HTML before JSON; a tie goes to JSON. */
export function prefersHtml(accept: string | undefined): boolean {
  const ranges = (accept ?? "*/*").split(",").map(readRange);
  return qualityOf("text/html", ranges) > qualityOf("application/json", ranges);
}

interface Range {
  readonly type: string;
  readonly quality: number;
}

function readRange(text: string): Range {
  const [type = "", ...parameters] = text.split(";").map(part => part.trim().toLowerCase());
  const weight = parameters.find(parameter => parameter.startsWith("q="));
  const quality = weight === undefined ? 1 : Number(weight.slice(2));
  return { type, quality: quality >= 0 && quality <= 1 ? quality : 0 };
}

/** The weight of the most specific range that covers the type. */
function qualityOf(type: string, ranges: readonly Range[]): number {
  const candidates = [type, `${type.split("/")[0]}/*`, "*/*"];
  for (const candidate of candidates) {
    const range = ranges.find(({ type }) => type === candidate);
    if (range !== undefined) return range.quality;
  }
  return 0;
}
