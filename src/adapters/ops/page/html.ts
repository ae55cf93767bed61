import { createHash } from "node:crypto";

/** Text that is HTML already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Html[];

/** A piece of HTML: whatever is put into it is escaped, unless it is such a piece itself. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((text, i) => (i === 0 ? text : textOf(parts[i - 1] ?? "") + text)).join(""));
}

export function textOf(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === "string" || typeof part === "number") return escaped(String(part));
  return part.map(({ text }) => text).join("\n");
}

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);

/** The policy of a page: nothing but the style in its head and an icon may load, and nothing may run. */
export function policyOf(page: string): string {
  const [, style = ""] = /<style>([^<]*)<\/style>/.exec(page) ?? [];
  return [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
