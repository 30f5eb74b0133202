import type { Steps } from "@kedge/machinery";
import { compileInSteps, type Program } from "../cel/compile.ts";
import type { Environment } from "../cel/values/environment.ts";
import { optionalOf, type CelType } from "../cel/values/types.ts";
import { findField } from "../field-path.ts";
import type { JsonSchema } from "../json-schema.ts";
import { environmentOf, sizesOf, type Declared } from "./declared.ts";

/** A rule as a schema has it; what was sent may lack anything. */
export type Rule = Partial<NonNullable<JsonSchema["x-kubernetes-validations"]>[number]>;

/** What became of a rule. Without a program and an error it is empty. */
export interface CompiledRule {
  readonly rule: Rule;
  readonly program?: Program;
  readonly error?: string;
  readonly usesOldSelf: boolean;
  /** What it may cost for one value. */
  readonly maxCost: number;
  readonly message?: Program;
  readonly messageError?: string;
  readonly messageMaxCost: number;
  /** Where the error belongs, below the value: `.spec.a`. */
  readonly fieldPath: string;
}

/** Compiles the rules of one part of a schema, one at a time; a long one takes several steps without a result. */
export function* compileRules(
  schema: JsonSchema,
  declared: Declared,
): Generator<CompiledRule | undefined, void, undefined> {
  const always = environmentOf(declared, (self) => self);
  const optional = environmentOf(declared, optionalOf);
  for (const rule of schema["x-kubernetes-validations"] ?? []) {
    yield yield* compileRule(rule, schema, declared, rule.optionalOldSelf === true ? optional : always);
  }
}

function* compileRule(
  rule: Rule,
  schema: JsonSchema,
  declared: Declared,
  environment: Environment,
): Steps<CompiledRule> {
  const none = { rule, usesOldSelf: false, maxCost: 0, messageMaxCost: 0, fieldPath: "" };
  const { rule: source = "", messageExpression = "", fieldPath = "" } = rule;
  if (source.trim() === "") return none;
  const compiled = yield* compiledTo("bool", source, environment);
  if ("wrong" in compiled) return { ...none, error: compiled.wrong };
  const { program } = compiled;
  yield;
  const sizes = sizesOf(declared);
  const base = {
    ...none,
    program,
    usesOldSelf: program.uses("oldSelf"),
    maxCost: program.estimate(sizes).max,
    fieldPath: fieldPath === "" ? "" : (findField(fieldPath, schema).path ?? ""),
  };
  if (messageExpression === "") return base;
  yield;
  const message = yield* compiledTo("string", messageExpression, environment, "messageExpression ");
  if ("wrong" in message) return { ...base, messageError: message.wrong };
  return { ...base, message: message.program, messageMaxCost: message.program.estimate(sizes).max };
}

function* compiledTo(
  kind: CelType["kind"],
  source: string,
  environment: Environment,
  what = "",
): Steps<{ readonly program: Program } | { readonly wrong: string }> {
  const compiled = yield* compileInSteps(source, environment);
  if ("wrong" in compiled) return { wrong: `${what}compilation failed: ${compiled.wrong}` };
  const type = "program" in compiled ? compiled.program.type : compiled.type;
  if (type.kind !== kind) {
    return {
      wrong: what === "" ? "cel expression must evaluate to a bool" : `${what}must evaluate to a string`,
    };
  }
  if ("program" in compiled) return compiled;
  return { wrong: `${what === "" ? "program " : what}instantiation failed: ${compiled.notReady}` };
}
