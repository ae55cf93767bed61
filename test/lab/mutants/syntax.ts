import { resolve } from "node:path";
import type { Node, SourceFile } from "typescript/unstable/ast";
import { API } from "typescript/unstable/sync";

/** The syntax trees of the program's sources, by path; positions are those of the files. */
export function parseSources(folder: string): ReadonlyMap<string, SourceFile> {
  const api = new API({ cwd: folder });
  try {
    const [project] = api.updateSnapshot({ openProject: resolve(folder, "tsconfig.json") }).getProjects();
    if (project === undefined) throw new Error("tsconfig.json names no project");
    const parsed = project.program.getSourceFileNames().flatMap(name => {
      const path = /\/(src\/.*\.ts)$/.exec(name)?.[1];
      const file = path === undefined ? undefined : project.program.getSourceFile(path);
      return path === undefined || file === undefined ? [] : [[path, file] as const];
    });
    return new Map(parsed);
  } finally {
    api.close();
  }
}

/** Calls `visit` for the node and all below it; what `visit` answers `false` to is not entered. */
export function walk(node: Node, visit: (node: Node) => boolean): void {
  if (!visit(node)) return;
  node.forEachChild(child => {
    walk(child, visit);
    return undefined;
  });
}
