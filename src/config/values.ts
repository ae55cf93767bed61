import { isIPv6 } from "node:net";

export function requireFormat(text: string, format: RegExp, refusal: string): string {
  if (!format.test(text)) throw new Error(refusal);
  return text;
}

export const notBlank = (text: string): string => requireFormat(text, /\S/, "is blank");

export const oneOf =
  <Word extends string>(...words: readonly Word[]) =>
  (text: string): Word => {
    const word = words.find(known => known === text);
    if (word === undefined) throw new Error(`is not ${words.join(" or ")}`);
    return word;
  };

/** As it is, whitespace at its ends included, which does not count towards its length (RFC 7518, section 3.2). */
export function readSecretKey(text: string): string {
  if (Buffer.byteLength(text.trim()) < 32) throw new Error("has fewer than 32 bytes");
  return text;
}

export function readListenHost(text: string): string {
  // Without a colon it is no IPv6 address, and Node need not compile its pattern for them, which takes 5 ms.
  if (text.includes(":") && isIPv6(text)) return text;
  return requireFormat(text, /^[\w.-]+$/, "is not a host name or address");
}

export function readPort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new Error("is not a port from 0 to 65535");
  return Number(text);
}

const notOrigins = "is not a list of origins as browsers send them";

/** Browsers send an origin in just one form (RFC 6454, section 6.2), of any scheme; any other would never match. */
export function readOrigin(text: string): string {
  const origin = requireFormat(text.trim(), /^[^A-Z*]+$/, notOrigins);
  const { protocol, host } = URL.canParse(origin) ? new URL(origin) : { protocol: "", host: "" };
  if (host === "" || `${protocol}//${host}` !== origin) throw new Error(notOrigins);
  return origin;
}

const milliseconds: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A whole number of seconds, or of the unit that follows; parts of a second count as a whole one. */
export function readDuration(text: string): number {
  const [, amount = "", unit = "s"] = /^(\d{1,12})(ms|s|m|h|d)?$/.exec(text.trim()) ?? [];
  const seconds = Math.ceil((Number(amount) * (milliseconds[unit] ?? 0)) / 1_000);
  if (amount === "" || seconds < 1) throw new Error("is not a length of time");
  if (seconds > 10 * 365 * 86_400) throw new Error("is longer than ten years");
  return seconds;
}
