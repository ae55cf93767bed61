export interface Target {
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
}

const absolute = /^https?:\/\/[^/?#]+\/?/i;

/** Splits a request target (RFC 9112, section 3.2) without decoding it; the router decodes the segments of the path. */
export function readTarget(url: string): Target {
  // A proxy may send the absolute form, whose scheme and authority do not matter here; its path may be empty.
  const local = url.startsWith("/") ? url : url.replace(absolute, "/");
  const mark = local.indexOf("?");
  return mark < 0 ? { path: local, query: "" } : { path: local.slice(0, mark), query: local.slice(mark + 1) };
}
