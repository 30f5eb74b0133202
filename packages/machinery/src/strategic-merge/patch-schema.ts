import { goQuote } from "../go/go-quote.ts";
import type { FieldSchema, TypeSchema } from "../type-schema/type-schema.ts";
import { StrategicPatchError } from "./patch-error.ts";

/** How a field is patched. */
export interface PatchField {
  /** Of a list, the type of its items. */
  readonly type: TypeSchema;
  /** `merge`, `replace`, or empty: objects are merged then, and lists replaced. */
  readonly strategy: string;
  readonly retainKeys: boolean;
  /** Empty when there is none. */
  readonly mergeKey: string;
}

/** How a field that holds an object is patched. Throws when there is no such field. */
export function objectField(type: TypeSchema, key: string): PatchField {
  return patchField(lookUp(type, key));
}

/** How a field that holds a list is patched. Throws when there is no such field, or it holds no list. */
export function listField(type: TypeSchema, key: string): PatchField {
  const field = lookUp(type, key);
  const item = field.type.list?.item;
  if (item?.goKind === "slice" && item.list !== undefined)
    throw new StrategicPatchError("unexpected slice of slice");
  if (item === undefined && field.type.goKind !== "slice") {
    throw new StrategicPatchError(`expected slice or array type, but got: ${type.goKind}`);
  }
  return { ...patchField(field), type: item ?? field.type };
}

function patchField({ type, patchStrategies, patchMergeKey }: FieldSchema): PatchField {
  return {
    type,
    strategy: patchStrategies.find((strategy) => strategy !== "retainKeys") ?? "",
    retainKeys: patchStrategies.includes("retainKeys"),
    mergeKey: patchMergeKey,
  };
}

/** As Go decodes JSON: in any case of letters, if not in this one. */
function lookUp(type: TypeSchema, key: string): FieldSchema {
  if (type.goKind !== "struct") {
    throw new StrategicPatchError(
      `merging an object in json but data type is not struct, instead is: ${type.goKind}`,
    );
  }
  const { map } = type;
  const folded = key.toLowerCase();
  const field =
    map?.field(key) ?? map?.field(map.fieldNames.find((name) => name.toLowerCase() === folded) ?? "");
  if (field === undefined) {
    const name = type.name?.slice(type.name.lastIndexOf(".") + 1) ?? "";
    throw new StrategicPatchError(
      `unable to find api field in struct ${name} for the json field ${goQuote(key)}`,
    );
  }
  return field;
}
