import { dirname, relative, resolve } from "node:path";
import { isTest, mayImport, roomOf } from "./rooms.ts";
import type { Rule, RuleContext, SyntaxNode } from "./rule.ts";

/** Refuses imports that point the wrong way, reach into another room's files, or do I/O in machinery. */
export const importDirection: Rule = {
  create: (context) => {
    const check = (node: SyntaxNode): void => {
      const specifier = node.source?.value;
      if (typeof specifier !== "string") return;
      const message = problemOf(specifier, context);
      if (message !== undefined) context.report({ node, message });
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
      TSImportType: check,
    };
  },
};

const workspace = resolve(import.meta.dirname, "..");

function problemOf(specifier: string, context: RuleContext): string | undefined {
  const file = relative(workspace, context.filename);
  const from = roomOf(file);
  if (specifier.startsWith(".")) {
    const to = roomOf(relative(workspace, resolve(dirname(context.filename), specifier)));
    if (to === from || to === undefined || from === undefined) return undefined;
    return `This reaches into the files of ${to}: import what it exports by the name of its package.`;
  }
  if (specifier.startsWith("@kedge/")) return mayImport(file, specifier);
  if (file.startsWith("packages/machinery/src/") && !isTest(file)) {
    return "machinery has no dependency and does no I/O: it runs in operators, servers and browsers alike.";
  }
  return undefined;
}
