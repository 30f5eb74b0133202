import { compile, type Program } from "../cel/compile.ts";
import {
  boolType,
  dynType,
  listOf,
  nullType,
  sameType,
  stringType,
  type CelType,
} from "../cel/values/types.ts";
import { admissionEnvironment, jsonPatchType, objectType, type Names } from "./environment.ts";

/** What an expression has to give. */
export type Returns = "bool" | "string" | "string or null" | "anything" | "patch" | "object";

/** An expression that was compiled: it has a program, or something is wrong with it. */
export interface AdmissionExpression {
  readonly source: string;
  readonly program?: Program;
  /** What is wrong with it; `internal` when nobody's text is to blame. */
  readonly wrong?: string;
  readonly internal?: boolean;
}

/** Compiles an expression of a webhook's match conditions or of a policy. */
export function compileAdmission(source: string, returns: Returns, names: Names): AdmissionExpression {
  const compiled = compile(source, admissionEnvironment(names));
  if ("wrong" in compiled) return { source, wrong: `compilation failed: ${compiled.wrong}` };
  const type = "program" in compiled ? compiled.program.type : compiled.type;
  const wanted = types[returns];
  if (wanted.length > 0 && !wanted.some((each) => sameType(each, type))) {
    const shown = wanted.map(typeName);
    const what = wanted.length === 1 ? shown.join("") : `one of [${shown.join(" ")}]`;
    return { source, wrong: `must evaluate to ${what} but got ${typeName(type)}` };
  }
  if ("program" in compiled) return { source, program: compiled.program };
  return { source, wrong: `program instantiation failed: ${compiled.notReady}`, internal: true };
}

const types: Readonly<Record<Returns, readonly CelType[]>> = {
  bool: [boolType],
  string: [stringType],
  "string or null": [stringType, nullType],
  anything: [],
  patch: [listOf(jsonPatchType)],
  object: [objectType],
};

/** A type as Go prints it: with the names that types have as values. */
function typeName({ name, params }: CelType): string {
  return params.length === 0 ? name : `${name}(${params.map(typeName).join(", ")})`;
}

/** The variables of a policy: each may name those before it. */
export class Composition {
  readonly types = new Map<string, CelType>();
  readonly compiled = new Map<string, AdmissionExpression>();

  /** Compiles one more. What is wrong with it is told by the result, and by whoever names it when it runs. */
  add(name: string, source: string, names: Omit<Names, "variables">): AdmissionExpression {
    const compiled = compileAdmission(source, "anything", { ...names, variables: this.types });
    this.types.set(name, declared(compiled.program?.type));
    this.compiled.set(name, compiled);
    return compiled;
  }
}

const simple = new Set("bool bytes double duration int null string timestamp uint".split(" "));

/** What others know of a variable: nothing, when its type has a name that nobody else has. */
function declared(type: CelType | undefined): CelType {
  if (type === undefined) return dynType;
  if (simple.has(type.kind)) return type;
  if (type.kind !== "list" && type.kind !== "map") return dynType;
  return { ...type, params: type.params.map(declared) };
}
