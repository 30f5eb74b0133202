import { PersistentVolumeClaim, Pod, ResourceQuota } from "@kedge/machinery/kinds/core/v1";
import { evaluatorOf, isTerminating, type Evaluator } from "@kedge/machinery/quota";
import { decodedAs } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import type { AdmissionContext, AdmissionPlugin, AdmissionRequest } from "../types.ts";
import { QuotaCharges } from "./quota-charges.ts";

/**
 * Refuses what would exceed the ResourceQuotas of its namespace, and charges them with the rest. It comes last: what is
 * charged is refused by nobody else. Made once for each server.
 */
export function createResourceQuota(): AdmissionPlugin {
  const charges = new QuotaCharges();
  return {
    name: "ResourceQuota",
    operations: ["CREATE", "UPDATE"],
    validate: (request, context) => {
      const { object, namespace } = request;
      if (object === undefined || namespace === "" || isNamespace(request)) return undefined;
      const evaluator = evaluatorOf(request.resource);
      if (evaluator === undefined || !hasQuotas(context, namespace)) return undefined;
      if (!mayCharge(request, object, evaluator)) return undefined;
      return charges.charge({ request, object, evaluator }, context);
    },
  };
}

function isNamespace({ resource: { group, kind } }: AdmissionRequest<StoredApiObject>): boolean {
  return group === "" && kind === "Namespace";
}

function hasQuotas({ objects }: AdmissionContext, namespace: string): boolean {
  const resource = objects.registry.byKind("", ResourceQuota.kind);
  return resource !== undefined && objects.list(resource, namespace).length > 0;
}

/** Whether a request can change what its object uses. */
function mayCharge(
  { operation, resource, subresource, oldObject }: AdmissionRequest<StoredApiObject>,
  object: StoredApiObject,
  { updates }: Evaluator,
): boolean {
  const isUpdate = operation === "UPDATE";
  const isCore = (kind: { readonly plural: string }): boolean =>
    resource.group === "" && resource.plural === kind.plural;
  if (isCore(Pod)) {
    if (subresource !== "") return subresource === "resize" && isUpdate;
    if (!isUpdate || oldObject === undefined) return true;
    return isTerminating(decodedAs(Pod, object)) !== isTerminating(decodedAs(Pod, oldObject));
  }
  if (subresource !== "") return subresource === "status" && isCore(PersistentVolumeClaim);
  return !isUpdate || updates;
}
