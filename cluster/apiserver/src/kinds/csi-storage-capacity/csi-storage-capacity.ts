import {
  fieldInvalid,
  fieldPath,
  parseQuantity,
  quantitySign,
  validateDns1123Subdomain,
  validateLabelSelector,
  type FieldError,
} from "@kedge/machinery";
import { CSIStorageCapacity } from "@kedge/machinery/kinds/storage/v1";
import { decodedAs } from "../../registry/decoded.ts";
import { labelSelectorOf, shownSelector } from "../../registry/label-selector.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { immutable, named } from "../validation/field-rules.ts";

/** CSIStorageCapacities: how much is left of a storage class, for nodes of a topology. */
export function csiStorageCapacityDefinition(): KindDefinition {
  return {
    kind: CSIStorageCapacity,
    strategy: {
      validate,
      validateUpdate: (object, previous) => [
        ...immutableTopology(object, previous),
        ...immutable(object["storageClassName"], previous["storageClassName"], fieldPath("storageClassName")),
      ],
      generation: "none",
      unconditionalUpdate: false,
    },
  };
}

function validate(object: StoredApiObject): FieldError[] {
  const { nodeTopology, storageClassName = "", capacity } = decodedAs(CSIStorageCapacity, object);
  return [
    ...(nodeTopology === undefined
      ? []
      : validateLabelSelector(labelSelectorOf(nodeTopology), fieldPath("nodeTopology"))),
    ...named(storageClassName, validateDns1123Subdomain, fieldPath("storageClassName")),
    ...(capacity !== undefined && quantitySign(parseQuantity(capacity)) < 0
      ? [fieldInvalid("capacity", capacity, "must be greater than or equal to 0")]
      : []),
  ];
}

function immutableTopology(object: StoredApiObject, previous: StoredApiObject): FieldError[] {
  const { nodeTopology } = decodedAs(CSIStorageCapacity, object);
  const same = immutable(nodeTopology, previous["nodeTopology"], fieldPath("nodeTopology"));
  if (same.length === 0) return [];
  const shown = nodeTopology === undefined ? null : shownSelector(nodeTopology);
  return [fieldInvalid("nodeTopology", shown, "field is immutable")];
}
