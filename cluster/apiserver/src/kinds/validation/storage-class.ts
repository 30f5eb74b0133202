import {
  fieldInvalid,
  fieldPath,
  fieldRequired,
  validateQualifiedName,
  type FieldError,
} from "@kedge/machinery";
import { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import { sentAs } from "../sent.ts";
import { immutable, named, oneOf, optionalOneOf } from "./field-rules.ts";

/** What is wrong with a storage class by itself. */
export function validateStorageClass(object: StoredApiObject): FieldError[] {
  const {
    provisioner = "",
    parameters = {},
    reclaimPolicy,
    volumeBindingMode,
  } = sentAs(StorageClass, object);
  const path = fieldPath("provisioner");
  return [
    ...(provisioner === ""
      ? [fieldRequired(path)]
      : named(provisioner.toLowerCase(), validateQualifiedName, path)),
    ...("" in parameters ? [fieldInvalid("parameters", "", "field can not be empty.")] : []),
    ...optionalOneOf(reclaimPolicy, ["Delete", "Retain"], fieldPath("reclaimPolicy")),
    ...oneOf(volumeBindingMode, ["Immediate", "WaitForFirstConsumer"], fieldPath("volumeBindingMode")),
  ];
}

/** What is wrong with changing a storage class so. */
export function validateStorageClassUpdate(object: StoredApiObject, previous: StoredApiObject): FieldError[] {
  return ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"].flatMap((field) =>
    immutable(object[field], previous[field], fieldPath(field)),
  );
}
