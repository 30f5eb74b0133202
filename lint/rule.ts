/** The few parts of a syntax tree that our rules look at (ESTree's names). */
export interface SyntaxNode {
  readonly type: string;
  readonly parent?: SyntaxNode | null;
  readonly name?: string;
  readonly value?: unknown;
  readonly computed?: boolean;
  readonly arguments?: readonly SyntaxNode[];
  readonly callee?: SyntaxNode;
  readonly object?: SyntaxNode;
  readonly property?: SyntaxNode;
  readonly key?: SyntaxNode;
  readonly init?: SyntaxNode | null;
  readonly id?: SyntaxNode | null;
  readonly right?: SyntaxNode;
  readonly operator?: string;
  readonly source?: SyntaxNode | null;
  readonly body?: unknown;
  readonly properties?: readonly SyntaxNode[];
  readonly declarations?: readonly SyntaxNode[];
  readonly argument?: SyntaxNode | null;
  /** Of `for await`. */
  readonly await?: boolean;
}

/** What the linter gives to a rule for one file. */
export interface RuleContext {
  readonly filename: string;
  report(problem: { readonly node: SyntaxNode; readonly message: string }): void;
}

/** A rule of our own, as the linter loads it. */
export interface Rule {
  create(context: RuleContext): Record<string, (node: SyntaxNode) => void>;
}
