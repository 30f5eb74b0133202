import { isJsonObject, type JsonObject } from "@kedge/machinery";
import {
  authorizerValue,
  requestResourceValue,
  type AskedResource,
  type AuthorizationCheck,
} from "../cel/library/authorization.ts";
import { CelError, isError, isList, StructValue, type MapValue, type Value } from "../cel/values/values.ts";
import { dynamicValue, jsonOf, misplacedTypes } from "./dynamic-values.ts";
import type { AdmissionExpression, Composition } from "./expression.ts";

/** What expressions of admission are asked about, as JSON. */
export interface AdmissionInput {
  readonly object: unknown;
  readonly oldObject: unknown;
  readonly request: unknown;
  readonly params?: unknown;
  readonly namespaceObject?: unknown;
  /** Undefined where expressions may not name it. */
  readonly authorizer?: {
    readonly check: AuthorizationCheck;
    readonly requestResource: AskedResource;
  };
}

/** What an expression gave: a value, or why it has none. */
export type Evaluated = { readonly value: Value } | { readonly error: string };

/** Thrown when all expressions of a policy together cost more than they may. */
export class OutOfBudget extends Error {
  constructor() {
    super("validation failed due to running out of cost budget, no further validation rules will be run");
  }
}

/** What one expression may cost. */
const perCall = 1_000_000;

/** What the expressions of a policy may cost, and what match conditions may. */
export const policyBudget = 10_000_000;
export const matchBudget = policyBudget / 4;

/** Evaluates expressions about one request. Variables are evaluated when they are named, and once. */
export class Evaluation {
  readonly #variables: Map<string, Value>;
  #compositionCost = 0;
  #budget: number;

  constructor(input: AdmissionInput, budget: number, composition?: Composition) {
    this.#budget = budget;
    this.#variables = new Map<string, Value>([
      ["object", dynamicValue(input.object)],
      ["oldObject", dynamicValue(input.oldObject)],
      ["request", dynamicValue(input.request)],
      ["namespaceObject", dynamicValue(input.namespaceObject)],
      ["params", dynamicValue(input.params)],
    ]);
    if (input.authorizer !== undefined) {
      const { check, requestResource } = input.authorizer;
      this.#variables.set("authorizer", authorizerValue(check));
      this.#variables.set("authorizer.requestResource", requestResourceValue(check, requestResource));
    }
    if (composition !== undefined) this.#variables.set("variables", this.#lazy(composition));
  }

  /** What is left of the budget. */
  get budget(): number {
    return this.#budget;
  }

  /** Runs one. Throws `OutOfBudget`. */
  run({ source, program, wrong = "" }: AdmissionExpression): Evaluated {
    if (program === undefined) return { error: `compilation error: ${wrong}` };
    const { value, cost } = program.run(this.#variables, perCall);
    this.#spend(this.#compositionCost);
    this.#compositionCost = 0;
    this.#spend(cost);
    return isError(value)
      ? { error: `expression '${source}' resulted in error: ${value.message}` }
      : { value };
  }

  #spend(cost: number): void {
    if (cost > this.#budget) throw new OutOfBudget();
    this.#budget -= cost;
  }

  #lazy(composition: Composition): MapValue {
    const known = new Map<string, Value>();
    const find = (key: Value): Value | undefined => {
      if (typeof key !== "string") return undefined;
      const before = known.get(key);
      if (before !== undefined) return before;
      const compiled = composition.compiled.get(key);
      if (compiled === undefined) return undefined;
      const value = this.#variable(key, compiled);
      known.set(key, value);
      return value;
    };
    return {
      map: true,
      size: composition.compiled.size,
      find,
      keys: () => [...composition.compiled.keys()],
    };
  }

  #variable(name: string, { program, wrong = "" }: AdmissionExpression): Value {
    const called = `composited variable ${JSON.stringify(name)}`;
    if (program === undefined) return new CelError(`${called} fails to compile: ${wrong}`);
    const { value, cost } = program.run(this.#variables, perCall);
    this.#compositionCost += cost;
    return isError(value) ? new CelError(`${called} fails to evaluate: ${value.message}`) : value;
  }
}

/** The object that an expression made, as JSON. Throws what is wrong with it. */
export function appliedObject(value: Value): JsonObject {
  if (value instanceof StructValue) checkTypes(value);
  const json = jsonOrThrow(value);
  if (!isJsonObject(json)) throw new Error("the expression gave no object");
  return json;
}

/** The operations that an expression made, as those of a JSON patch. Throws what is wrong with them. */
export function patchOperations(value: Value): JsonObject[] {
  if (!isList(value)) throw new Error("the expression gave no list of patches");
  return Array.from({ length: value.size }, (_, index) => operationOf(value.at(index)));
}

function operationOf(patch: Value): JsonObject {
  if (!(patch instanceof StructValue)) throw new Error("the expression gave something that is no patch");
  const { op = "", path = "", from = "" } = Object.fromEntries(patch.fields);
  const added = patch.fields.get("value");
  if (added instanceof StructValue) checkTypes(added);
  return {
    op,
    path,
    ...(from !== "" && { from }),
    ...(added !== undefined && { value: jsonOrThrow(added) }),
  };
}

function checkTypes(value: StructValue): void {
  const misplaced = misplacedTypes(value, value.type.name);
  if (misplaced.length > 0) throw new Error(`type mismatch: ${misplaced.join("\n")}`);
}

function jsonOrThrow(value: Value): unknown {
  const json = jsonOf(value);
  if (json instanceof CelError) throw new Error(json.message);
  return json;
}
