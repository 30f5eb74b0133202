import type { Rule, RuleContext, SyntaxNode } from "./rule.ts";

/**
 * Keeps time and chance injected where the rules of ambient.ts cannot see: `new Date()` and `Date()` read the machine's
 * clock, and an ambient object that is handed on (`{ clock: Date }`) is read where no rule looks. Its members,
 * `new Date(clock.now())`, `instanceof Date` and types are fine here.
 */
export const ambientObject: Rule = {
  create: (context) => ({ Identifier: (node) => check(node, context) }),
};

const objects = new Set(["Date", "Math", "AbortSignal", "crypto", "globalThis"]);

function check(node: SyntaxNode, context: RuleContext): void {
  if (node.name === undefined || !objects.has(node.name)) return;
  const { parent } = node;
  if (parent === null || parent === undefined || isHarmless(node, parent)) return;
  const message = isCall(parent, node)
    ? "Time is injected (docs/architecture.md): use `new Date(clock.now())` with a Clock from the constructor."
    : `Time and chance are injected (docs/architecture.md): do not hand on \`${node.name}\`, take a Clock or a Random.`;
  context.report({ node, message });
}

function isHarmless(node: SyntaxNode, parent: SyntaxNode): boolean {
  if (parent.type.startsWith("TS") && !expressionWrappers.has(parent.type)) return true;
  switch (parent.type) {
    case "MemberExpression":
      return parent.object === node || parent.computed !== true;
    case "NewExpression":
      return parent.callee === node && (parent.arguments ?? []).length > 0;
    case "BinaryExpression":
      return parent.operator === "instanceof" && parent.right === node;
    case "UnaryExpression":
      return parent.operator === "typeof";
    case "VariableDeclarator":
      // `const { parse } = Date`: no-restricted-properties looks at which members are taken.
      return parent.id === node || parent.id?.type === "ObjectPattern";
    case "Property":
    case "MethodDefinition":
    case "PropertyDefinition":
      return parent.key === node && parent.value !== node && parent.computed !== true;
    case "ImportSpecifier":
    case "ExportSpecifier":
    case "LabeledStatement":
      return true;
    default:
      return false;
  }
}

/** `Date as X`, `Date!`, `Date satisfies X`: the object itself in other clothes. All other TS nodes are types. */
const expressionWrappers = new Set(["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression"]);

function isCall(parent: SyntaxNode, node: SyntaxNode): boolean {
  return parent.callee === node;
}
