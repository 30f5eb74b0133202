import type { Rule, SyntaxNode } from "./rule.ts";

/**
 * A test that is skipped says why: `skip("there is no strace")` in it, or `needs(…)` of e2e/testing for a suite. Vitest's
 * `skipIf`, `runIf`, `describe.skip` and the option `skip` have no place for a reason, so that nobody learns what a
 * machine would have to have.
 */
export const skipReason: Rule = {
  create: (context) => ({
    MemberExpression: (node) => {
      const name = node.property?.name ?? "";
      const isSkip = name === "skip" && makers.has(rootOf(node)) && makers.has(node.object?.name ?? "");
      if (name === "skipIf" || name === "runIf" || isSkip) context.report({ node, message });
    },
    CallExpression: (node) => {
      if (node.arguments?.length === 0 && isSkipCall(node.callee)) context.report({ node, message });
      if (makers.has(rootOf(node.callee)) && (node.arguments ?? []).some(hasSkip))
        context.report({ node, message });
    },
  }),
};

const message =
  'A test that is skipped says why: `skip("reason")` in it, or `needs(reason)` for a suite of e2e/.';

/** What makes suites and tests. */
const makers = new Set(["describe", "suite", "it", "test"]);

/** `it` of `it.each`. */
function rootOf(node: SyntaxNode | undefined): string {
  if (node?.type === "MemberExpression") return rootOf(node.object);
  return node?.type === "CallExpression" ? rootOf(node.callee) : (node?.name ?? "");
}

/** `skip()` and `context.skip()`. */
function isSkipCall(callee: SyntaxNode | undefined): boolean {
  return callee?.name === "skip" || callee?.property?.name === "skip";
}

/** `{ skip: … }`. */
function hasSkip({ properties = [] }: SyntaxNode): boolean {
  return properties.some(({ key }) => key?.name === "skip" || key?.value === "skip");
}
