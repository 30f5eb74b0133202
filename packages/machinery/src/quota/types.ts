import type { Amounts, WrittenAmounts } from "./amounts.ts";

/** A scope of a quota: which of the objects that it could count it counts. */
export interface ScopeRequirement {
  readonly scopeName?: string | undefined;
  readonly operator?: string | undefined;
  readonly values?: readonly string[] | undefined;
}

/** What counting needs of a ResourceQuota. */
export interface CountingQuota {
  readonly spec?:
    | {
        readonly hard?: WrittenAmounts | undefined;
        readonly scopes?: readonly string[] | undefined;
        readonly scopeSelector?:
          | { readonly matchExpressions?: readonly ScopeRequirement[] | undefined }
          | undefined;
      }
    | undefined;
}

/** How objects of one resource are counted. */
export interface Evaluator {
  /** Which of these names of resources it counts. */
  matching(names: readonly string[]): readonly string[];
  /** What an object uses of all that it counts. `now` decides whether a pod that is deleted still counts. */
  usage(object: object, now: number): Amounts;
  /** Whether a scope applies to an object. */
  isInScope(object: object, scope: ScopeRequirement): boolean;
  /** What an object has to say to be counted and does not: `must specify limits.cpu for: c`. */
  constraint(object: object, names: readonly string[]): string | undefined;
  /** Whether a change of an object may change what it uses, when it is not created or deleted. */
  readonly updates: boolean;
}
