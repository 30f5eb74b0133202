import { messageOf } from "../errors/message-of.ts";
import { isJsonList, isJsonObject } from "../json-value.ts";
import type { Steps } from "../steps.ts";
import { fieldType, type TypeSchema } from "../type-schema/type-schema.ts";
import { mergeValuesInSteps } from "./merge-values.ts";
import { validateValue } from "./validate-value.ts";

/**
 * Lays what a policy of admission applies over an object. Nobody becomes the owner of it, and so nothing that is owned
 * as a whole may be part of it: half of it would be lost. Throws an `Error` with what does not fit, in Kubernetes' words.
 */
export function* mergeConfiguration(
  schema: TypeSchema,
  live: unknown,
  configuration: unknown,
): Steps<unknown> {
  fits(schema, configuration, { allowDuplicates: false, what: "patch object" });
  const whole = wholes(schema, configuration, "");
  if (whole.length > 0)
    throw new Error(
      `invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${whole.join(", ")}`,
    );
  yield;
  fits(schema, live, { allowDuplicates: true, what: "original object" });
  return yield* mergeValuesInSteps(schema, live, configuration);
}

function fits(
  schema: TypeSchema,
  value: unknown,
  { allowDuplicates, what }: { readonly allowDuplicates: boolean; readonly what: string },
): void {
  try {
    validateValue(schema, value, { allowDuplicates });
  } catch (error) {
    throw new Error(`failed to convert ${what} to typed object: ${messageOf(error)}`, { cause: error });
  }
}

/** Where a value has parts that are owned as a whole. */
function wholes(schema: TypeSchema, value: unknown, path: string): string[] {
  const { map, list } = schema;
  if (isJsonObject(value) && map !== undefined) {
    return [
      ...(map.atomic ? [path] : []),
      ...Object.entries(value).flatMap(([key, part]) => {
        const type = map.field(key) === undefined ? undefined : fieldType(map, key);
        return type === undefined ? [] : wholes(type, part, `${path}.${key}`);
      }),
    ];
  }
  if (!isJsonList(value) || list === undefined) return [];
  return [
    ...(list.type === "atomic" ? [path] : []),
    ...value.flatMap((item, index) => wholes(list.item, item, `${path}[${index}]`)),
  ];
}
