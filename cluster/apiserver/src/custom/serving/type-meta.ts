import { apiVersionOf, fieldInvalid, type FieldError } from "@kedge/machinery";
import type { Resource, StoredApiObject } from "../../registry/types.ts";

/** Objects have the kind and version of the path that they are written to. */
export function validateTypeMeta(
  object: StoredApiObject,
  type: Pick<Resource, "group" | "version" | "kind">,
): FieldError[] {
  const apiVersion = apiVersionOf(type);
  return [
    ...(object.kind === type.kind ? [] : [fieldInvalid("kind", object.kind, `must be ${type.kind}`)]),
    ...(object.apiVersion === apiVersion
      ? []
      : [fieldInvalid("apiVersion", object.apiVersion, `must be ${apiVersion}`)]),
  ];
}
