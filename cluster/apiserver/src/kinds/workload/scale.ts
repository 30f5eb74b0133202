import { selectorFromLabelSelector, selectorToString } from "@kedge/machinery";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import type { ScaleSubresource, StoredApiObject } from "../../registry/types.ts";
import { labelSelectorOf } from "../../registry/label-selector.ts";
import { decodedAs } from "../../registry/decoded.ts";

/** The subresource `scale` of a workload whose selector is a LabelSelector. */
export function workloadScale(): ScaleSubresource {
  return {
    type: "scale",
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    selector: selectorText,
  };
}

/** Deployments, ReplicaSets and StatefulSets hold their selector in the same place. */
function selectorText(object: StoredApiObject): string | undefined {
  const selector = decodedAs(Deployment, object).spec?.selector;
  return selectorToString(selectorFromLabelSelector(labelSelectorOf(selector)));
}
