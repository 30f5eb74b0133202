import { additionalOf, hasDefault, itemsOf, propertiesOf, type JsonSchema } from "../json-schema.ts";

/** What of a schema decides about the shape of a value: what is kept, filled in and told apart. Compiled once. */
export interface Structural {
  /** Unknown fields of objects here are kept. */
  readonly preserve: boolean;
  /** An object with apiVersion, kind and metadata. */
  readonly embedded: boolean;
  readonly nullable: boolean;
  /** Undefined when there is none. */
  readonly default: unknown;
  readonly properties: ReadonlyMap<string, Structural>;
  /** `allowed` without a schema: any value, but fields of objects in it are unknown. */
  readonly additional: { readonly schema: Structural | undefined } | undefined;
  readonly items: Structural | undefined;
  readonly listType: string;
  readonly listKeys: readonly string[];
  /** Whether anything here or below has the trait: what has not is not walked through. */
  readonly below: Traits;
}

/** What a part of a schema may have to do. */
export interface Traits {
  readonly defaults: boolean;
  readonly embedded: boolean;
  readonly listTypes: boolean;
}

/** Reads the shape out of a schema. */
export function structuralOf(schema: JsonSchema): Structural {
  const properties = new Map(propertiesOf(schema).map(([name, part]) => [name, structuralOf(part)]));
  const items = itemsOf(schema);
  const shape = {
    preserve: schema["x-kubernetes-preserve-unknown-fields"] === true,
    embedded: schema["x-kubernetes-embedded-resource"] === true,
    nullable: schema.nullable === true,
    default: hasDefault(schema) ? schema.default : undefined,
    properties,
    additional: additionalIn(schema),
    items: items === undefined ? undefined : structuralOf(items),
    listType: schema["x-kubernetes-list-type"] ?? "",
    listKeys: schema["x-kubernetes-list-map-keys"] ?? [],
  };
  const parts = [...properties.values(), shape.additional?.schema, shape.items].filter(
    (part) => part !== undefined,
  );
  return {
    ...shape,
    below: {
      defaults: shape.default !== undefined || parts.some(({ below }) => below.defaults),
      embedded: shape.embedded || parts.some(({ below }) => below.embedded),
      listTypes: ["set", "map"].includes(shape.listType) || parts.some(({ below }) => below.listTypes),
    },
  };
}

function additionalIn(schema: JsonSchema): Structural["additional"] {
  if (schema.additionalProperties === undefined) return undefined;
  const part = additionalOf(schema);
  return { schema: part === undefined ? undefined : structuralOf(part) };
}

/** The shape of one field; undefined when nothing is known of it. */
export function fieldOf(shape: Structural | undefined, name: string): Structural | undefined {
  return shape?.properties.get(name) ?? shape?.additional?.schema;
}
