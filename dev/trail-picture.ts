import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The picture of docs/trail.md: a tree of seven entries, and what proves one of them. */
interface Node {
  readonly x: number;
  readonly level: number;
  readonly label: string;
  readonly kind: "plain" | "path" | "sibling";
  readonly children: readonly Node[];
}

const [width, height] = [760, 346];
const [boxWidth, boxHeight] = [88, 34];
const rowOf = (level: number): number => 330 - level * 78;

const entryLabels = ["employee 1", "asset 1", "log 1", "log 2", "log 3", "asset 1", "log 4"];

/** The entry that is proven, and where the tree of the older checkpoint ends. */
const proven = 2;
const older = 4;

function subtree(from: number, to: number): Node {
  const contains = proven >= from && proven < to;
  if (to - from === 1) {
    return {
      x: 60 + from * 106,
      level: 0,
      label: `h${from}`,
      kind: contains ? "path" : "plain",
      children: [],
    };
  }
  let half = 1;
  while (half * 2 < to - from) half *= 2;
  const children = [subtree(from, from + half), subtree(from + half, to)].map(
    (child): Node => (contains && child.kind !== "path" ? { ...child, kind: "sibling" } : child),
  );
  const [left, right] = children as [Node, Node];
  return {
    x: (left.x + right.x) / 2,
    level: Math.max(left.level, right.level) + 1,
    label: `h${from}–${to - 1}`,
    kind: contains ? "path" : "plain",
    children,
  };
}

const lines = ({ x, level, children }: Node): string =>
  children
    .map(
      child =>
        `<path d="M${x} ${rowOf(level) + boxHeight}L${child.x} ${rowOf(child.level)}"/>\n${lines(child)}`,
    )
    .join("");

const boxes = (node: Node): string => {
  const top = rowOf(node.level);
  return `<g class="${node.kind}"><rect x="${node.x - boxWidth / 2}" y="${top}" width="${boxWidth}" height="${boxHeight}" rx="5"/><text x="${node.x}" y="${top + 22}">${node.label}</text></g>
${node.children.map(boxes).join("")}`;
};

const entries = (): string =>
  entryLabels
    .map((label, at) => {
      const x = 60 + at * 106;
      return `<g class="entry"><path d="M${x} 364V384"/><rect x="${x - boxWidth / 2}" y="384" width="${boxWidth}" height="36"/><text x="${x}" y="400">${at}</text><text x="${x}" y="414">${label}</text></g>\n`;
    })
    .join("");

export function drawTrail(): string {
  const root = subtree(0, entryLabels.length);
  const [olderRoot] = root.children as [Node];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 84 ${width} ${height}" role="img" aria-label="A Merkle tree of seven entries. Entry ${proven} is proven by three hashes beside its way to the root.">
<style>
:root { --ink: #1f2328; --soft: #59636e; --line: #8c959f; --card: #f6f8fa; --path: #0969da; --sibling: #bc4c00 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9198a1; --line: #656c76; --card: #161b22; --path: #4493f8; --sibling: #f0883e } }
text { font: 13px system-ui, sans-serif; fill: var(--ink); text-anchor: middle }
.entry text { font-size: 12px }
.note { fill: var(--soft); text-anchor: start }
path { stroke: var(--line); fill: none }
rect { fill: var(--card); stroke: var(--line) }
.path rect { stroke: var(--path); stroke-width: 2.5 }
.sibling rect { stroke: var(--sibling); stroke-width: 2.5; stroke-dasharray: 5 3 }
</style>
${lines(root)}${boxes(root)}${entries()}<text class="note" x="${root.x + 56}" y="${rowOf(root.level) + 14}">root of 7 entries,</text>
<text class="note" x="${root.x + 56}" y="${rowOf(root.level) + 30}">signed in the checkpoint of today</text>
<text class="note" x="16" y="${rowOf(olderRoot.level) + 14}">root of the first ${older},</text>
<text class="note" x="16" y="${rowOf(olderRoot.level) + 30}">signed last week</text>
</svg>
`;
}

/** Draws docs/trail.svg: `node --import tsx dev/trail-picture.ts`. */
if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync("docs/trail.svg", drawTrail());
