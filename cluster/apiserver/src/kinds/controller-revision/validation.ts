import { fieldInvalid, fieldPath, fieldRequired, isJsonObject, type FieldError } from "@kedge/machinery";
import { ControllerRevision } from "@kedge/machinery/kinds/apps/v1";
import { decodedAs } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { immutable } from "../validation/field-rules.ts";

/** What is wrong with a revision, or with changing it so: its data never change. */
export function validateControllerRevision(
  object: StoredApiObject,
  previous: StoredApiObject | undefined,
): FieldError[] {
  const { revision = 0 } = decodedAs(ControllerRevision, object);
  const { data } = object;
  const path = fieldPath("data");
  return [
    ...(revision < 0
      ? [fieldInvalid(fieldPath("revision"), revision, "must be greater than or equal to 0")]
      : []),
    ...(previous === undefined ? dataErrors(data) : immutable(data, previous["data"], path)),
  ];
}

function dataErrors(data: unknown): FieldError[] {
  if (data === undefined || data === null) return [fieldRequired(fieldPath("data"), "data is mandatory")];
  return isJsonObject(data) ? [] : [fieldRequired(fieldPath("data"), "data must be a valid JSON object")];
}
