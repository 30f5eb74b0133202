import {
  fieldDuplicate,
  fieldInvalid,
  fieldPath,
  fieldRequired,
  validateQualifiedName,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import type { TopologySelectorTerm } from "@kedge/machinery/kinds/core/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { immutable, named, oneOf, optionalOneOf } from "../validation/field-rules.ts";
import { repeated } from "../repeated.ts";

/** What is wrong with a storage class by itself. */
export function validateStorageClass(object: StoredApiObject): FieldError[] {
  const {
    provisioner = "",
    parameters = {},
    reclaimPolicy,
    volumeBindingMode,
    allowedTopologies = [],
  } = decodedAs(StorageClass, object);
  const path = fieldPath("provisioner");
  const secondTerms = repeated(allowedTopologies, ({ matchLabelExpressions = [] }) =>
    JSON.stringify(matchLabelExpressions.map(({ key, values }) => [key, values])),
  );
  return [
    ...(provisioner === ""
      ? [fieldRequired(path)]
      : named(provisioner.toLowerCase(), validateQualifiedName, path)),
    ...("" in parameters ? [fieldInvalid("parameters", "", "field can not be empty.")] : []),
    ...optionalOneOf(reclaimPolicy, ["Delete", "Retain"], fieldPath("reclaimPolicy")),
    ...oneOf(volumeBindingMode, ["Immediate", "WaitForFirstConsumer"], fieldPath("volumeBindingMode")),
    ...allowedTopologies.flatMap((term, i) => [
      ...topologyErrors(term, fieldPath("allowedTopologies").index(i)),
      ...((term.matchLabelExpressions ?? []).length === 0 || secondTerms.has(i)
        ? [fieldDuplicate(fieldPath("allowedTopologies").index(i).child("matchLabelExpressions"), "")]
        : []),
    ]),
  ];
}

function topologyErrors(
  { matchLabelExpressions = [] }: Decoded<TopologySelectorTerm>,
  path: FieldPath,
): FieldError[] {
  const secondKeys = repeated(matchLabelExpressions, ({ key }) => key);
  return matchLabelExpressions.flatMap(({ key = "", values: sent }, i) => {
    const values = sent ?? [];
    const secondValues = repeated(values, (value) => value);
    const item = path.child("matchLabelExpressions").index(i);
    return [
      ...(values.length === 0 ? [fieldRequired(item.child("values"))] : []),
      ...values.flatMap((value, j) =>
        secondValues.has(j) ? [fieldDuplicate(item.child("values").index(j), value)] : [],
      ),
      ...named(key, validateQualifiedName, item.child("key")),
      ...(secondKeys.has(i) ? [fieldDuplicate(item.child("key"), key)] : []),
    ];
  });
}

/** What is wrong with changing a storage class so. */
export function validateStorageClassUpdate(object: StoredApiObject, previous: StoredApiObject): FieldError[] {
  return ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"].flatMap((field) =>
    immutable(object[field], previous[field], fieldPath(field)),
  );
}
