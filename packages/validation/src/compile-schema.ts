import type { FieldError, FieldPath, Steps } from "@kedge/machinery";
import type { JsonSchema } from "./json-schema.ts";
import { coerceEmbedded, validateEmbedded } from "./metadata/embedded.ts";
import { hasRules, ruleNodeOf, type RuleNode } from "./rules/rule-node.ts";
import { validateRules, type RuleFindings } from "./rules/validate-rules.ts";
import { applyDefaults, dropNulls } from "./structural/default.ts";
import { validateListTypes } from "./structural/list-types.ts";
import { prune } from "./structural/prune.ts";
import { structuralOf } from "./structural/structural.ts";
import { compileCheck } from "./validator/compile.ts";
import { Findings } from "./validator/findings.ts";
import { checkPart } from "./validator/ratchet.ts";

/** A structural schema at work. Compiled once, used for every object. */
export interface CompiledSchema {
  /** All that the schema says is wrong with a value, in the server's words and order. `at` is where the value is. */
  validate(value: unknown, at?: FieldPath): FieldError[];
  /** The same for an update: what was wrong before and did not change is not told. */
  validateUpdate(value: unknown, previous: unknown, at?: FieldPath): FieldError[];
  /** What is wrong with apiVersion, kind and metadata of embedded objects. */
  validateEmbedded(object: unknown): FieldError[];
  /**
   * What the schema's rules say is wrong with a resource, in steps; undefined when it has none. With `previous` an update
   * is asked about, and of what it did not change is only warned.
   */
  validateRules(object: unknown, previous?: unknown): Steps<RuleFindings> | undefined;
  /** Items of sets, and keys of lists of type map, that are there twice. */
  validateListTypes(object: unknown): FieldError[];
  /**
   * Drops what the schema does not know from a whole resource, in place: unknown fields, also in the metadata of
   * embedded objects, and nulls where null may not be. Gives the paths of unknown fields, or what cannot be decoded.
   */
  prune(object: unknown): { readonly dropped: readonly string[]; readonly error?: FieldError };
  /** Fills in defaults, in place. */
  default(value: unknown): void;
}

/** Compiles a schema. It must have passed `checkSchema`. */
export function compileSchema(schema: JsonSchema): CompiledSchema {
  const check = compileCheck(schema);
  const shape = structuralOf(schema);
  const root = { ...shape, embedded: true };
  const ruled = hasRules(schema);
  let rules: RuleNode | undefined;
  return {
    validate: (value, at) => {
      const findings = new Findings(at);
      check(value, findings, undefined);
      return [...findings.errors];
    },
    validateUpdate: (value, previous, at) => {
      const findings = new Findings(at);
      checkPart(check, value, findings, previous);
      return [...findings.errors];
    },
    validateRules: (object, previous) => {
      if (!ruled) return undefined;
      rules ??= ruleNodeOf(schema, true);
      return rules && validateRules(rules, { value: object, previous, ratchets: previous !== undefined });
    },
    validateEmbedded: (object) => validateEmbedded(object, shape),
    validateListTypes: (object) => validateListTypes(object, shape),
    prune: (object) => {
      const dropped = prune(object, root);
      dropNulls(object, shape);
      const embedded = coerceEmbedded(object, shape);
      return Array.isArray(embedded) ? { dropped: [...dropped, ...embedded] } : { dropped, error: embedded };
    },
    default: (value) => applyDefaults(value, shape),
  };
}
