import { Html, html, textOf } from "../../../src/adapters/ops/page/html.ts";

/** Paragraphs of Markdown with `**strong**` text and code in backticks; nothing else of it is read. */
export const markdown = (text: string): Html =>
  html`${text.split("\n\n").map(paragraph => html`<p>${inline(paragraph)}</p>`)}`;

export const inline = (text: string): Html =>
  new Html(
    textOf(text)
      .replace(/\*\*(.+?)\*\*/g, "<strong>$1</strong>")
      .replace(/`(.+?)`/g, "<code>$1</code>"),
  );
