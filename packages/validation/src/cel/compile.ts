import { finish, type Steps } from "@kedge/machinery";
import { compilePattern } from "../pattern.ts";
import { check, type Checked } from "./check/check.ts";
import type { Environment } from "./values/environment.ts";
import { checkLiterals } from "./check/literals.ts";
import { estimateCost, type SizeOf } from "./cost/estimate.ts";
import type { Range } from "./cost/range.ts";
import { CostExceeded, type Frame } from "./run/frame.ts";
import { PlanError, Planner } from "./run/plan.ts";
import { Issues } from "./syntax/issues.ts";
import { parse } from "./syntax/parse.ts";
import { costLimitExceeded } from "./values/limits.ts";
import type { CelType } from "./values/types.ts";
import { CelError, type Value } from "./values/values.ts";

/** An expression that fits its environment. */
export interface Program {
  readonly type: CelType;
  /** Whether a variable is named anywhere in it. */
  uses(variable: string): boolean;
  /** What it may cost, with what is known of the sizes of values. */
  estimate(sizeOf: SizeOf): Range;
  /** Runs it. It ends, with the error, as soon as it has cost more than the limit. */
  run(variables: ReadonlyMap<string, Value>, limit: number): { readonly value: Value; readonly cost: number };
}

/** An expression that is ready; or `wrong`: all errors, as the server shows them; or what is wrong with its constants. */
export type Compiled =
  | { readonly program: Program }
  | { readonly wrong: string }
  | { readonly notReady: string; readonly type: CelType };

/** Compiles an expression. */
export function compile(source: string, environment: Environment): Compiled {
  return finish(compileInSteps(source, environment));
}

/** The same, in steps: each goes through the whole expression once. */
export function* compileInSteps(source: string, environment: Environment): Steps<Compiled> {
  const issues = new Issues(source);
  const parsed = parse(source, issues);
  if (parsed === undefined || issues.any) return { wrong: issues.toString() };
  yield;
  const used = new Set<string>();
  const checked = withUses(check(parsed, environment, issues), used);
  if (issues.any) return { wrong: issues.toString() };
  yield;
  checkLiterals(checked, issues, (pattern) => compilePattern(pattern).error);
  if (issues.any) return { wrong: issues.toString() };
  yield;
  const type = checked.typeOf(parsed);
  const names = [...environment.variables.keys()];
  try {
    const planner = new Planner(checked, names);
    const { run } = planner.plan(parsed);
    const count = planner.slots;
    return {
      program: {
        type,
        uses: (variable) => used.has(variable),
        estimate: (sizeOf) => estimateCost(checked, sizeOf),
        run: (variables, limit) => {
          const slots = Array.from(
            { length: count },
            (_, index) => variables.get(names[index] ?? "") ?? null,
          );
          const frame: Frame = { slots, cost: 0, limit, work: 0 };
          try {
            return { value: run(frame), cost: frame.cost };
          } catch (error) {
            if (!(error instanceof CostExceeded)) throw error;
            return { value: new CelError(costLimitExceeded), cost: frame.cost };
          }
        },
      },
    };
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    return { notReady: error.message, type };
  }
}

/** Notes which variables are referred to. */
function withUses(checked: Checked, used: Set<string>): Checked {
  return {
    ...checked,
    referenceOf: (expression) => {
      const reference = checked.referenceOf(expression);
      if (reference !== undefined && "variable" in reference) used.add(reference.variable);
      return reference;
    },
  };
}
