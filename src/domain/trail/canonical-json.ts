import { TrailError } from "./encoding.ts";

/**
 * The canonical form of a JSON value (RFC 8785): no white space, members in the order of their names' UTF-16 code
 * units. ECMAScript's own form of strings and numbers is the canonical one (sections 3.2.2.2 and 3.2.2.3).
 *
 * @throws TrailError for what has no canonical form: lone surrogates, NaN, infinities, and what is no JSON
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (value === null || typeof value === "boolean" || Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype) {
    throw new TrailError("has a value that is no JSON");
  }
  let text = "";
  for (const name of Object.keys(value).sort()) {
    text += `${text === "" ? "" : ","}${quote(name)}:${canonicalJson((value as Record<string, unknown>)[name])}`;
  }
  return `{${text}}`;
}

function quote(text: string): string {
  if (!text.isWellFormed()) throw new TrailError("has a lone surrogate");
  return JSON.stringify(text);
}
