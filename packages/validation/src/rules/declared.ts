import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  stringType,
  structType,
  timestampType,
  type CelType,
} from "../cel/values/types.ts";
import type { Environment } from "../cel/values/environment.ts";
import type { SizeOf } from "../cel/cost/estimate.ts";
import { allFunctions, namedTypes } from "../cel/library/library.ts";
import {
  additionalOf,
  hasDefault,
  itemsOf,
  propertiesOf,
  propertyOf,
  type JsonSchema,
} from "../json-schema.ts";
import { escapeName, isReserved } from "./escape.ts";

/** What expressions may know of values of a schema. */
export interface Declared {
  /** Undefined for objects, lists and maps, whose types depend on what they are called. */
  readonly type: CelType | undefined;
  /** Bytes that such a value has at least, as JSON. */
  readonly minSize: number;
  /** Characters, items or entries that it has at most; 0 where that makes no sense. */
  readonly maxElements: number;
  /** Of an object, by their names in expressions. */
  readonly fields?: ReadonlyMap<string, Declared>;
  /** Of a list or a map. */
  readonly element?: Declared;
  readonly isMap?: boolean;
}

/** Bytes that a request has at most. */
const largestRequest = 3 * 1024 * 1024;

/** Declares schemas; each part of one is looked at once. */
export class Declarations {
  readonly #known = new Map<JsonSchema, Declared | undefined>();

  /** Undefined when expressions may not know such values. */
  of(
    schema: JsonSchema,
    isResource = schema["x-kubernetes-embedded-resource"] === true,
  ): Declared | undefined {
    if (isResource) return this.#declare(withObjectMeta(schema));
    if (this.#known.has(schema)) return this.#known.get(schema);
    const declared = this.#declare(schema);
    this.#known.set(schema, declared);
    return declared;
  }

  #declare(schema: JsonSchema): Declared | undefined {
    if (schema["x-kubernetes-int-or-string"] === true) {
      const { maxLength } = schema;
      return {
        type: dynType,
        minSize: 1,
        maxElements: maxLength === undefined ? largestRequest - 2 : inBytes(maxLength),
      };
    }
    switch (schema.type) {
      case "array":
        return this.#list(schema);
      case "object":
        return this.#object(schema);
      case "string":
        return text(schema);
      case "boolean":
        return { type: boolType, minSize: 4, maxElements: 0 };
      case "number":
        return { type: doubleType, minSize: 1, maxElements: 0 };
      case "integer":
        return { type: intType, minSize: 1, maxElements: 0 };
      default:
        return undefined;
    }
  }

  #list(schema: JsonSchema): Declared | undefined {
    const items = itemsOf(schema);
    const element = items === undefined ? undefined : this.of(items);
    if (element === undefined) return undefined;
    const most = Math.floor((largestRequest - 2) / (element.minSize + 1));
    return { type: undefined, minSize: 2, maxElements: atLeastZero(schema.maxItems) ?? most, element };
  }

  #object(schema: JsonSchema): Declared | undefined {
    const additional = additionalOf(schema);
    if (additional !== undefined) {
      const element = this.of(additional);
      if (element === undefined) return undefined;
      const most = Math.floor((largestRequest - 2) / (element.minSize + 6));
      return {
        type: undefined,
        minSize: 2,
        maxElements: atLeastZero(schema.maxProperties) ?? most,
        element,
        isMap: true,
      };
    }
    const fields = new Map<string, Declared>();
    let minSize = 2;
    for (const [name, part] of propertiesOf(schema)) {
      const declared = this.of(part);
      if (declared === undefined) continue;
      const escaped = escapeName(name);
      if (escaped !== undefined) fields.set(escaped, declared);
      if (schema.required?.includes(name) === true && !hasDefault(part)) {
        minSize += Buffer.byteLength(name) + declared.minSize + 4;
      }
    }
    return { type: undefined, minSize, maxElements: 0, fields };
  }
}

function text({ format, maxLength, enum: values }: JsonSchema): Declared {
  switch (format) {
    case "byte":
      return { type: bytesType, minSize: 2, maxElements: atLeastZero(maxLength) ?? largestRequest - 2 };
    case "duration":
      return { type: durationType, minSize: 3, maxElements: 32 };
    case "date":
      return { type: timestampType, minSize: 12, maxElements: 12 };
    case "date-time":
      return { type: timestampType, minSize: 21, maxElements: 32 };
    default:
      break;
  }
  const texts = (values ?? []).map((value) => (typeof value === "string" ? Buffer.byteLength(value) : 0));
  const most = texts.length > 0 ? Math.max(...texts) : largestRequest - 2;
  return { type: stringType, minSize: 2, maxElements: maxLength === undefined ? most : inBytes(maxLength) };
}

/** Of a schema, which may have integers of 64 bits: bigints. */
export function atLeastZero(value: number | bigint | undefined): number | undefined {
  return value === undefined ? undefined : Math.max(0, Number(value));
}

/** A character has four bytes at most. */
function inBytes(characters: number | bigint): number {
  return Math.max(0, Number(characters)) * 4;
}

/** A resource has apiVersion, kind and the names in its metadata, whatever its schema says. */
export function withObjectMeta(schema: JsonSchema): JsonSchema {
  const metadata = propertyOf(schema, "metadata");
  const complete =
    propertyOf(schema, "kind")?.type === "string" &&
    propertyOf(schema, "apiVersion")?.type === "string" &&
    metadata?.type === "object" &&
    propertyOf(metadata, "name")?.type === "string" &&
    propertyOf(metadata, "generateName")?.type === "string";
  if (complete) return schema;
  const name: JsonSchema = { type: "string" };
  return {
    ...schema,
    properties: {
      ...schema.properties,
      kind: name,
      apiVersion: name,
      metadata: { type: "object", properties: { name, generateName: name } },
    },
  };
}

/** What rules about values of a schema may name: `self`, and `oldSelf` as it is or as a value that may be missing. */
export function environmentOf(self: Declared, oldSelf: (self: CelType) => CelType): Environment {
  const structs = new Map<string, Declared>();
  const typeOf = (declared: Declared, name: string): CelType => {
    const { type, element, isMap } = declared;
    if (type !== undefined) return type;
    if (element !== undefined) {
      return isMap === true
        ? mapOf(stringType, typeOf(element, `${name}.@elem`))
        : listOf(typeOf(element, `${name}.@idx`));
    }
    structs.set(name, declared);
    return structType(name);
  };
  const type = typeOf(self, "selfType");
  return {
    functions: allFunctions(),
    types: namedTypes,
    variables: new Map([
      ["self", type],
      ["oldSelf", oldSelf(type)],
    ]),
    fieldOf: (struct, field) => {
      const fields = structs.get(struct)?.fields;
      const declared = fields?.get(field) ?? (isReserved(field) ? fields?.get(`__${field}__`) : undefined);
      return declared && typeOf(declared, `${struct}.${field}`);
    },
  };
}

/** How large values may be, by what the schema says. */
export function sizesOf(root: Declared): SizeOf {
  return ([, ...steps]) => {
    let declared: Declared | undefined = root;
    for (const name of steps) {
      if (name === "@keys") declared = declared.isMap === true ? mapKey : undefined;
      else if (name === "@items" || name === "@values") declared = declared.element;
      else declared = declared.fields?.get(name);
      if (declared === undefined) return undefined;
    }
    return { min: 0, max: declared.maxElements };
  };
}

/** Nothing limits the keys of a map: as on the server, this counts as if they had no characters. */
const mapKey: Declared = { type: stringType, minSize: 2, maxElements: 0 };
