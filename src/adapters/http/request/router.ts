import { HttpError } from "../../protocol/error-response.ts";
import type { Route } from "../api/route.ts";

/** A route, and the text in the place of `{id}` or `{path}` if its path has one. */
export interface Found {
  readonly route: Route;
  readonly id: string | undefined;
  readonly path?: string;
}

interface Branch {
  readonly literals: Map<string, Branch>;
  readonly routes: Map<string, Route>;
  parameter?: Branch;
  /** Where `{path}` is: whatever follows, of one segment or more. */
  path?: Branch;
}

const makeBranch = (): Branch => ({ literals: new Map(), routes: new Map() });

/**
 * Finds the route of a method and path; a literal segment goes before `{id}`, and HEAD finds what GET finds.
 * Returns a 404 or 405 error instead of throwing it, because the caller first has to check the token.
 */
export function makeRouter(routes: readonly Route[]): (method: string, path: string) => Found | HttpError {
  const root = makeBranch();
  for (const route of routes) {
    const branch = segmentsOf(route.path).reduce(childFor, root);
    if (branch.routes.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
    branch.routes.set(route.method, route);
  }

  return (method, path) => {
    if (!path.startsWith("/")) return unknownPath();
    let branch = root;
    let id: string | undefined;
    // Decodes no segment behind the first that no route has: to decode 8,000 malformed ones took 30 to 90 ms.
    for (let begin = 1; begin <= path.length; ) {
      const slash = path.indexOf("/", begin);
      const end = slash < 0 ? path.length : slash;
      if (branch.path !== undefined && end > begin) {
        const route = routeAt(branch.path, method);
        return route instanceof HttpError ? route : { route, id, path: decode(path.slice(begin)) };
      }
      const segment = decode(path.slice(begin, end));
      const literal = branch.literals.get(segment);
      const next = literal ?? (segment === "" ? undefined : branch.parameter);
      if (next === undefined) return unknownPath();
      if (literal === undefined) id = segment;
      branch = next;
      begin = end + 1;
    }
    const route = routeAt(branch, method);
    return route instanceof HttpError ? route : { route, id };
  };
}

function routeAt({ routes }: Branch, method: string): Route | HttpError {
  if (routes.size === 0) return unknownPath();
  return routes.get(method === "HEAD" ? "GET" : method) ?? wrongMethod([...routes.keys()]);
}

/** "/" has one segment, which is empty. A trailing slash adds an empty segment and so makes another path. */
const segmentsOf = (path: string): string[] => path.split("/").slice(1);

/** A segment, or all that `{path}` stands for, is decoded once (RFC 3986, section 6.2.2.2). What cannot be decoded stays as it is. */
function decode(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function childFor(branch: Branch, segment: string): Branch {
  if (segment === "{id}") {
    branch.parameter ??= makeBranch();
    return branch.parameter;
  }
  if (segment === "{path}") {
    branch.path ??= makeBranch();
    return branch.path;
  }
  const child = branch.literals.get(segment) ?? makeBranch();
  branch.literals.set(segment, child);
  return child;
}

const unknownPath = (): HttpError => new HttpError(404, "Not found");

function wrongMethod(methods: readonly string[]): HttpError {
  const allowed = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"];
  return new HttpError(405, "Method not allowed", { Allow: allowed.join(", ") });
}
