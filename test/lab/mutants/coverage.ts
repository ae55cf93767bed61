import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type FunctionLikeDeclaration,
  type Node,
  type SourceFile,
  SyntaxKind,
} from "typescript/unstable/ast";
import { walk } from "./syntax.ts";

/** A function of the sources, or a whole file, as far as it is run when it is loaded. */
export interface Place {
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

const functionKinds = new Set([
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.FunctionExpression,
  SyntaxKind.ArrowFunction,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.Constructor,
  SyntaxKind.GetAccessor,
]);

const hitsFile = "hits.txt";

/**
 * Writes the sources into a tree so that each function notes the first time that it is run, in any process.
 *
 * @returns the places, whose numbers the tree notes
 */
export function instrument(tree: string, sources: ReadonlyMap<string, SourceFile>): readonly Place[] {
  const places: Place[] = [];
  const hits = JSON.stringify(join(tree, hitsFile));
  writeFileSync(
    join(tree, "hit.mjs"),
    `import { appendFileSync } from "node:fs";
const seen = new Set();
export function hit(place) {
  if (seen.has(place)) return;
  seen.add(place);
  appendFileSync(${hits}, place + "\\n");
}
`,
  );
  for (const [file, source] of sources) {
    // Its text is tested: an old Node must be able to read it.
    if (file === "src/main.ts") continue;
    const insertions: { readonly at: number; readonly text: string }[] = [];
    const mark = (node: Node): string => {
      places.push({ file, start: node.getStart(source), end: node.end });
      return `__hit(${places.length - 1})`;
    };
    walk(source, node => {
      const { body } = node as FunctionLikeDeclaration;
      if (!functionKinds.has(node.kind) || body === undefined) return true;
      if (body.kind === SyntaxKind.Block) {
        insertions.push({ at: body.getStart(source) + 1, text: `${mark(node)};` });
      } else {
        insertions.push({ at: body.getStart(source), text: `(${mark(node)}, ` }, { at: body.end, text: ")" });
      }
      return true;
    });
    const head = `import { hit as __hit } from ${JSON.stringify(join(tree, "hit.mjs"))};`;
    insertions.push({ at: 0, text: head }, { at: source.end, text: `\n${mark(source)};` });
    let text = source.text;
    for (const { at, text: inserted } of insertions.toSorted((a, b) => b.at - a.at)) {
      text = text.slice(0, at) + inserted + text.slice(at);
    }
    writeFileSync(join(tree, file), text);
  }
  return places;
}

/** Forgets what was noted in a tree. */
export const clearHits = (tree: string): void => rmSync(join(tree, hitsFile), { force: true });

/** The numbers of the places that have been run in a tree since the last time. */
export function readHits(tree: string): ReadonlySet<number> {
  const path = join(tree, hitsFile);
  const noted = existsSync(path) ? readFileSync(path, "utf8") : "";
  return new Set(noted.split("\n").filter(Boolean).map(Number));
}

/** The number of the innermost place that holds a position of a file. */
export function placeOf(places: readonly Place[], file: string, start: number, end: number): number {
  let best = -1;
  for (const [number, place] of places.entries()) {
    if (place.file !== file || place.start > start || place.end < end) continue;
    const known = places[best];
    if (known === undefined || place.end - place.start <= known.end - known.start) best = number;
  }
  return best;
}
