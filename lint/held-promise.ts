import type { Rule, RuleContext, SyntaxNode } from "./rule.ts";

/**
 * A promise that is begun, and waited for only after something else was waited for, may fail while nobody listens: that
 * ends the process. `const copies = copy(); await end; await copies` is what ended the node agent. Wait for both at once
 * (`Promise.all`, `Promise.allSettled`), or say before the first wait who hears of a failure (`copies.catch(…)`).
 */
export const heldPromise: Rule = {
  create: (context) => ({
    BlockStatement: (node) => check(node.body, context),
    Program: (node) => check(node.body, context),
  }),
};

function check(body: unknown, context: RuleContext): void {
  if (!Array.isArray(body)) return;
  const statements = body.filter(isNode);
  for (const [index, statement] of statements.entries()) {
    if (statement.type !== "VariableDeclaration") continue;
    for (const declaration of statement.declarations ?? []) {
      const name = declaration.id?.type === "Identifier" ? declaration.id.name : undefined;
      if (name === undefined || declaration.init?.type !== "CallExpression") continue;
      const later = statements.slice(index + 1);
      if (later.some((next) => isAwaited(next, name)) && waitsBefore(later, name)) {
        const message = `\`${name}\` may fail while something else is waited for, and nobody hears of it: wait for both at once, or attach a \`catch\` first.`;
        context.report({ node: declaration, message });
      }
    }
  }
}

/** Whether a statement waits for something before any mentions the name. */
function waitsBefore(statements: readonly SyntaxNode[], name: string): boolean {
  for (const statement of statements) {
    if (mentions(statement, name)) return false;
    if (some(statement, ({ type, await: isAwait }) => type === "AwaitExpression" || isAwait === true))
      return true;
  }
  return false;
}

function mentions(node: SyntaxNode, name: string): boolean {
  return some(node, ({ type, name: own }) => type === "Identifier" && own === name);
}

/** `await name`, `await name.catch(…)`, `await name.finally(…)`: so it is a promise. */
function isAwaited(node: SyntaxNode, name: string): boolean {
  return some(node, ({ type, argument }) => {
    if (type !== "AwaitExpression" || argument === undefined || argument === null) return false;
    return rootOf(argument).name === name && rootOf(argument).type === "Identifier";
  });
}

/** What `a.catch(…).finally(…)` is called on: `a`. Other calls are not on promises. */
function rootOf(node: SyntaxNode): SyntaxNode {
  if (node.type !== "CallExpression" || node.callee?.type !== "MemberExpression") return node;
  const method = node.callee.property?.name ?? "";
  const { object } = node.callee;
  return ["then", "catch", "finally"].includes(method) && object !== undefined ? rootOf(object) : node;
}

/** Looks at a node and all below it, but not into functions: they run at another time. */
function some(node: SyntaxNode, is: (node: SyntaxNode) => boolean): boolean {
  if (is(node)) return true;
  if (functions.has(node.type)) return false;
  return Object.entries(node).some(([key, child]: [string, unknown]) => {
    if (key === "parent") return false;
    if (Array.isArray(child)) return child.some((one) => isNode(one) && some(one, is));
    return isNode(child) && some(child, is);
  });
}

const functions = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
