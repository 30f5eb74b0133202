import { additionalOf, itemsOf, propertiesOf, type JsonSchema } from "../json-schema.ts";
import { compileRules, type CompiledRule } from "./compile-rules.ts";
import { Declarations, withObjectMeta, type Declared } from "./declared.ts";
import { escapeName } from "./escape.ts";

/** A part of a schema that has rules, or below which some part has. */
export class RuleNode {
  readonly schema: JsonSchema;
  /** What values are read by: that of a resource knows its metadata. */
  readonly valueSchema: JsonSchema;
  readonly items: RuleNode | undefined;
  readonly additional: RuleNode | undefined;
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly #declared: Declared | undefined;
  readonly #compiled: CompiledRule[] = [];
  #compiling: ReturnType<typeof compileRules> | undefined;

  constructor(
    schema: JsonSchema,
    declared: Declared | undefined,
    declarations: Declarations,
    isResource: boolean,
  ) {
    this.schema = schema;
    this.valueSchema = isResource ? withObjectMeta(schema) : schema;
    this.#declared = declared;
    const [items, additional] = [itemsOf(schema), additionalOf(schema)];
    this.items = items && nodeOf(items, declared?.element, declarations);
    this.additional = additional && nodeOf(additional, declared?.element, declarations);
    const properties = new Map<string, RuleNode>();
    for (const [name, part] of propertiesOf(schema)) {
      const escaped = escapeName(name);
      const known = escaped === undefined ? declarations.of(part) : declared?.fields?.get(escaped);
      const node = known && nodeOf(part, known, declarations);
      if (node !== undefined) properties.set(name, node);
    }
    this.properties = properties;
  }

  get hasRules(): boolean {
    return (this.schema["x-kubernetes-validations"] ?? []).length > 0;
  }

  /** The rules of this part, compiled when they are first asked for. Undefined while there are more to compile. */
  rules(): readonly CompiledRule[] | undefined {
    if (this.#declared === undefined) return [];
    this.#compiling ??= compileRules(this.schema, this.#declared);
    const next = this.#compiling.next();
    if (next.done === true) return this.#compiled;
    if (next.value !== undefined) this.#compiled.push(next.value);
    return undefined;
  }
}

/** The rules of a schema; undefined when it has none. */
export function ruleNodeOf(schema: JsonSchema, isResource: boolean): RuleNode | undefined {
  if (!hasRules(schema)) return undefined;
  const declarations = new Declarations();
  return new RuleNode(schema, declarations.of(schema, isResource), declarations, isResource);
}

function nodeOf(
  schema: JsonSchema,
  declared: Declared | undefined,
  declarations: Declarations,
): RuleNode | undefined {
  if (!hasRules(schema)) return undefined;
  return new RuleNode(schema, declared, declarations, schema["x-kubernetes-embedded-resource"] === true);
}

const known = new WeakMap<JsonSchema, boolean>();

/** Whether a schema or a part of it has rules. */
export function hasRules(schema: JsonSchema): boolean {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const parts = [itemsOf(schema), additionalOf(schema), ...propertiesOf(schema).map(([, part]) => part)];
  const found =
    (schema["x-kubernetes-validations"] ?? []).length > 0 ||
    parts.some((part) => part !== undefined && hasRules(part));
  known.set(schema, found);
  return found;
}
