import { HttpError } from "../../protocol/error-response.ts";
import type { Route } from "../api/route.ts";

/** A route, and the text in the place of `{id}` or `{path}` if its path has one. */
export interface Found {
  readonly route: Route;
  readonly id: string | undefined;
  readonly path?: string;
}

interface Node {
  readonly literals: Map<string, Node>;
  readonly routes: Map<string, Route>;
  parameter?: Node;
  /** Where `{path}` is: whatever follows, of one segment or more. */
  rest?: Node;
}

const makeNode = (): Node => ({ literals: new Map(), routes: new Map() });

/**
 * Finds the route of a method and path; a literal segment goes before `{id}`, and HEAD finds what GET finds.
 * Returns a 404 or 405 error instead of throwing it, because the caller first has to check the token.
 */
export function makeRouter(routes: readonly Route[]): (method: string, path: string) => Found | HttpError {
  const root = makeNode();
  for (const route of routes) {
    const node = segmentsOf(route.path).reduce(childFor, root);
    if (node.routes.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
    node.routes.set(route.method, route);
  }

  return (method, path) => {
    if (!path.startsWith("/")) return unknownPath();
    let node = root;
    let id: string | undefined;
    let rest: string | undefined;
    const segments = path.includes("%") ? segmentsOf(path).map(decode) : segmentsOf(path);
    for (let at = 0; at < segments.length; at += 1) {
      const segment = segments[at] as string;
      if (node.rest !== undefined && segment !== "") {
        rest = segments.slice(at).join("/");
        node = node.rest;
        break;
      }
      const literal = node.literals.get(segment);
      const next = literal ?? (segment === "" ? undefined : node.parameter);
      if (next === undefined) return unknownPath();
      if (literal === undefined) id = segment;
      node = next;
    }
    if (node.routes.size === 0) return unknownPath();
    const route = node.routes.get(method === "HEAD" ? "GET" : method);
    if (route === undefined) return wrongMethod([...node.routes.keys()]);
    return rest === undefined ? { route, id } : { route, id, path: rest };
  };
}

/** "/" has one segment, which is empty. A trailing slash adds an empty segment and so makes another path. */
const segmentsOf = (path: string): string[] => path.split("/").slice(1);

/** A segment is decoded once (RFC 3986, section 6.2.2.2); one that cannot be decoded stays as it is. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function childFor(node: Node, segment: string): Node {
  if (segment === "{id}") {
    node.parameter ??= makeNode();
    return node.parameter;
  }
  if (segment === "{path}") {
    node.rest ??= makeNode();
    return node.rest;
  }
  const child = node.literals.get(segment) ?? makeNode();
  node.literals.set(segment, child);
  return child;
}

const unknownPath = (): HttpError => new HttpError(404, "Not found");

function wrongMethod(methods: readonly string[]): HttpError {
  const allowed = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"];
  return new HttpError(405, "Method not allowed", { Allow: allowed.join(", ") });
}
