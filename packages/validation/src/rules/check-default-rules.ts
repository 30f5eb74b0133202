import type { FieldError, FieldPath, Steps } from "@kedge/machinery";
import { hasDefault, itemsOf, propertiesOf, type JsonSchema } from "../json-schema.ts";
import { hasRules, ruleNodeOf } from "./rule-node.ts";
import { perObject, validateRules, type RuleFindings } from "./validate-rules.ts";

/** Complains about defaults that the schema's own rules would refuse. All of them together may cost what an object may. */
export function* checkDefaultRules(schema: JsonSchema, path: FieldPath): Steps<FieldError[]> {
  const found: RuleFindings = { errors: [], warnings: [], budget: perObject };
  yield* checkNode(schema, path, { found, isResource: true });
  return found.errors;
}

interface Context {
  readonly found: RuleFindings;
  readonly isResource: boolean;
}

function* checkNode(schema: JsonSchema, path: FieldPath, { found, isResource }: Context): Steps<void> {
  if (!hasRules(schema) || found.budget < 0) return;
  const node = hasDefault(schema) ? ruleNodeOf(schema, isResource) : undefined;
  if (node !== undefined) {
    const { default: value } = schema;
    const subject = { value, at: path.child("default"), budget: found.budget };
    const unchanged = yield* validateRules(node, { ...subject, previous: value });
    // A value that comes new may not be let in by rules that would have let it stay.
    const fresh = unchanged.errors.length > 0 ? unchanged : yield* validateRules(node, subject);
    found.errors.push(...unchanged.errors, ...(fresh === unchanged ? [] : fresh.errors));
    found.budget = Math.min(unchanged.budget, fresh.budget);
  }
  const below = (part: JsonSchema): Context => ({
    found,
    isResource: part["x-kubernetes-embedded-resource"] === true,
  });
  const items = itemsOf(schema);
  if (items !== undefined) yield* checkNode(items, path.child("items"), below(items));
  for (const [name, part] of propertiesOf(schema))
    yield* checkNode(part, path.child("properties").key(name), below(part));
}
