import { deepEqual } from "@kedge/machinery";
import { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import { fieldsOf } from "../status.ts";
import { validateEndpointSlice, validateEndpointSliceUpdate } from "./validation.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { endpointSlicePrinter } from "./printer.ts";

/** EndpointSlices. */
export function endpointSliceDefinition(): KindDefinition {
  return {
    kind: EndpointSlice,
    printer: endpointSlicePrinter,
    strategy: {
      validate: validateEndpointSlice,
      validateUpdate: validateEndpointSliceUpdate,
      warnings: (object, previous) =>
        object["addressType"] === "FQDN" && previous === undefined
          ? ["spec.addressType: FQDN endpoints are deprecated"]
          : [],
      generation: hasNewContentOrLabels,
    },
  };
}

/** The labels of a slice say which service it belongs to. */
function hasNewContentOrLabels(object: StoredApiObject, previous: StoredApiObject): boolean {
  return (
    !deepEqual(fieldsOf(object), fieldsOf(previous)) ||
    !deepEqual(object.metadata.labels ?? {}, previous.metadata.labels ?? {})
  );
}
