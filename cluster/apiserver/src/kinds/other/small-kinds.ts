import { deepEqual } from "@kedge/machinery";
import { HorizontalPodAutoscaler } from "@kedge/machinery/kinds/autoscaling/v2";
import { Lease } from "@kedge/machinery/kinds/coordination/v1";
import { Endpoints } from "@kedge/machinery/kinds/core/v1";
import { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import type { ApiObject, StoredApiObject } from "../../registry/types.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { sentAs } from "../../registry/sent.ts";
import { fieldsOf, statusPart } from "../status.ts";
import { validateAutoscaler, validateAutoscalerStatus } from "../validation/horizontal-pod-autoscaler.ts";
import { validateEndpointSlice, validateEndpointSliceUpdate } from "../validation/endpoint-slice.ts";
import { validateLease } from "../validation/lease.ts";

/** Kinds of which little is particular. */
export function smallDefinitions(): readonly KindDefinition[] {
  return [
    { kind: Endpoints, strategy: { generation: "none", createOnUpdate: true } },
    {
      kind: EndpointSlice,
      strategy: {
        validate: validateEndpointSlice,
        validateUpdate: validateEndpointSliceUpdate,
        warnings: (object, previous) =>
          object["addressType"] === "FQDN" && previous === undefined
            ? ["spec.addressType: FQDN endpoints are deprecated"]
            : [],
        generation: hasNewContentOrLabels,
      },
    },
    {
      kind: Lease,
      strategy: {
        prepareForCreate: dropElection,
        prepareForUpdate: dropElection,
        validate: validateLease,
        generation: "none",
        createOnUpdate: true,
        unconditionalUpdate: false,
      },
    },
    {
      kind: HorizontalPodAutoscaler,
      strategy: { validate: validateAutoscaler, generation: "none" },
      subresources: { status: statusPart({ validateUpdate: validateAutoscalerStatus }) },
    },
  ];
}

/** Coordinated leader election is switched off in Kubernetes, which forgets its fields. */
function dropElection(object: ApiObject): void {
  const { spec } = sentAs(Lease, object);
  delete spec?.strategy;
  delete spec?.preferredHolder;
}

/** The labels of a slice say which service it belongs to. */
function hasNewContentOrLabels(object: StoredApiObject, previous: StoredApiObject): boolean {
  return (
    !deepEqual(fieldsOf(object), fieldsOf(previous)) ||
    !deepEqual(object.metadata.labels ?? {}, previous.metadata.labels ?? {})
  );
}
