import type { Bytes, Uint } from "../values/values.ts";

/** A parsed expression. `at` is where errors about it point to, as an offset in the source; -1 for nowhere. */
export type Expression = Literal | Ident | Select | Call | ListExpression | MapExpression | Struct | Fold;

export interface Literal {
  readonly kind: "literal";
  readonly at: number;
  readonly value: null | boolean | bigint | number | string | Uint | Bytes;
}

export interface Ident {
  readonly kind: "ident";
  readonly at: number;
  readonly name: string;
}

export interface Select {
  readonly kind: "select";
  readonly at: number;
  readonly operand: Expression;
  readonly field: string;
  /** `has()`: is the field there? */
  readonly test: boolean;
}

export interface Call {
  readonly kind: "call";
  readonly at: number;
  readonly name: string;
  readonly target: Expression | undefined;
  readonly args: readonly Expression[];
}

export interface ListExpression {
  readonly kind: "list";
  readonly at: number;
  readonly elements: readonly Expression[];
  /** Positions of elements that are left out when they have no value. */
  readonly optional: ReadonlySet<number>;
}

export interface Entry {
  readonly at: number;
  readonly key: Expression;
  readonly value: Expression;
  readonly optional: boolean;
}

export interface MapExpression {
  readonly kind: "map";
  readonly at: number;
  readonly entries: readonly Entry[];
}

/** `Type{field: value}`: mutating policies make objects and patches so. Elsewhere it is parsed to be refused. */
export interface Struct {
  readonly kind: "struct";
  readonly at: number;
  readonly name: string;
  readonly fields: readonly {
    readonly at: number;
    readonly name: string;
    readonly value: Expression;
    /** `?field: value`. */
    readonly optional: boolean;
  }[];
}

/** What macros become: a loop over a list or a map that folds it into one value. */
export interface Fold {
  readonly kind: "fold";
  readonly at: number;
  readonly range: Expression;
  readonly variable: string;
  /** Then `variable` is the index or key, and this one the value. */
  readonly second: string | undefined;
  readonly accumulator: string;
  readonly init: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}
