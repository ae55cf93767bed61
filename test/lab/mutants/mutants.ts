import { type BinaryExpression, type Node, type SourceFile, SyntaxKind } from "typescript/unstable/ast";
import { walk } from "./syntax.ts";

/** One planted mistake: what stands between two positions of a file is replaced. */
export interface Mutant {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** Of the position where it begins, from 1. */
  readonly line: number;
  readonly kind: "condition" | "operator" | "statement" | "literal" | "SQL";
}

const operators: Partial<Record<SyntaxKind, string>> = {
  [SyntaxKind.LessThanToken]: "<=",
  [SyntaxKind.LessThanEqualsToken]: "<",
  [SyntaxKind.GreaterThanToken]: ">=",
  [SyntaxKind.GreaterThanEqualsToken]: ">",
  [SyntaxKind.EqualsEqualsEqualsToken]: "!==",
  [SyntaxKind.ExclamationEqualsEqualsToken]: "===",
  [SyntaxKind.AmpersandAmpersandToken]: "||",
  [SyntaxKind.BarBarToken]: "&&",
  [SyntaxKind.PlusToken]: "-",
  [SyntaxKind.MinusToken]: "+",
  [SyntaxKind.AsteriskToken]: "/",
  [SyntaxKind.SlashToken]: "*",
  [SyntaxKind.PlusEqualsToken]: "-=",
  [SyntaxKind.MinusEqualsToken]: "+=",
};

/** Has no effect when the program runs. */
const isErased = ({ kind }: Node): boolean =>
  kind === SyntaxKind.ImportDeclaration ||
  kind === SyntaxKind.InterfaceDeclaration ||
  kind === SyntaxKind.TypeAliasDeclaration ||
  (kind >= SyntaxKind.FirstTypeNode && kind <= SyntaxKind.LastTypeNode);

/** All mutants of one file that the program reads, in the order of their places. */
export function mutantsOf(file: string, source: SourceFile): Mutant[] {
  const { text } = source;
  const found: Mutant[] = [];
  const add = (kind: Mutant["kind"], start: number, end: number, replacement: string): void => {
    const line = text.slice(0, start).split("\n").length;
    if (text.slice(start, end) !== replacement) found.push({ file, start, end, replacement, line, kind });
  };
  const replace = (kind: Mutant["kind"], node: Node, replacement: string): void =>
    add(kind, node.getStart(source), node.end, replacement);
  const negate = (condition: Node): void =>
    replace("condition", condition, `!(${text.slice(condition.getStart(source), condition.end)})`);

  walk(source, node => {
    if (isErased(node)) return false;
    switch (node.kind) {
      case SyntaxKind.IfStatement:
      case SyntaxKind.WhileStatement:
        negate((node as unknown as { expression: Node }).expression);
        break;
      case SyntaxKind.ConditionalExpression:
        negate((node as unknown as { condition: Node }).condition);
        break;
      case SyntaxKind.BinaryExpression: {
        const { left, operatorToken, right } = node as BinaryExpression;
        const other = operators[operatorToken.kind];
        if (other !== undefined) replace("operator", operatorToken, other);
        if (operatorToken.kind === SyntaxKind.QuestionQuestionToken) {
          add("operator", left.end, right.end, "");
        }
        break;
      }
      case SyntaxKind.ExpressionStatement:
      case SyntaxKind.ThrowStatement:
        replace("statement", node, ";");
        break;
      case SyntaxKind.NumericLiteral: {
        const value = Number(text.slice(node.getStart(source), node.end).replaceAll("_", ""));
        replace("literal", node, String(value === 0 ? 1 : value * 10));
        break;
      }
      case SyntaxKind.TrueKeyword:
        replace("literal", node, "false");
        break;
      case SyntaxKind.FalseKeyword:
        replace("literal", node, "true");
        break;
      case SyntaxKind.StringLiteral:
        replace("literal", node, '"mutant"');
        break;
      case SyntaxKind.TaggedTemplateExpression:
        for (const { start, end, replacement } of sqlMutantsOf(text, node.getStart(source), node.end)) {
          add("SQL", start, end, replacement);
        }
    }
    return true;
  });
  return found;
}

const sqlMistakes: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/^[ \t]*(?:and|for key share|on conflict|order by)\b[^`\n]*/gm, ""],
  [/(?<=\bwhere )(?!\$\{)[^\n`]+$/gm, "true"],
  [/\bdesc\b/g, "asc"],
  [/\blimit (?=\d|\$\{)/g, "limit 1 + "],
  [/\bleft join\b/g, "join"],
  [/ (?:<|>) (?=\$\{|\()/g, " <> "],
];

/** Mistakes in the SQL of a template: conditions dropped, orders turned, limits moved. */
function* sqlMutantsOf(text: string, start: number, end: number) {
  if (!/^(?:sql)`/.test(text.slice(start, start + 4))) return;
  const template = text.slice(start, end);
  for (const [pattern, replacement] of sqlMistakes) {
    for (const { index, 0: match } of template.matchAll(pattern)) {
      // What does not close what it opens would only be a syntax error.
      if (isBalanced(match)) yield { start: start + index, end: start + index + match.length, replacement };
    }
  }
}

const isBalanced = (text: string): boolean =>
  (text.match(/`/g)?.length ?? 0) % 2 === 0 &&
  [
    ["(", ")"],
    ["{", "}"],
  ].every(([open = "", close = ""]) => text.split(open).length === text.split(close).length);
