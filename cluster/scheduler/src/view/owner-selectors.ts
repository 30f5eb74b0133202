import {
  labelOf,
  selectorFromLabels,
  selectorFromLabelSelector,
  selectorOf,
  type DeepReadonly,
  type Labels,
  type LabelSelector,
  type Selector,
} from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";

/** Where the services and workloads are looked up that a pod belongs to. */
export interface OwnerSelectors {
  /** The selectors of a namespace's services. */
  services(namespace: string): Iterable<Labels | undefined>;
  /** The selector of a ReplicationController, ReplicaSet or StatefulSet; undefined: there is none. */
  workload(
    kind: string,
    key: { readonly namespace: string; readonly name: string },
  ): LabelSelector | undefined;
}

/** The kinds whose pods are spread by default, by their apiVersion. */
const workloads: ReadonlyMap<string, string> = new Map([
  ["ReplicationController", "v1"],
  ["ReplicaSet", "apps/v1"],
  ["StatefulSet", "apps/v1"],
]);

/** The pods that a pod is one of: of its services, and of the workload that made it. Undefined: it stands alone. */
export function siblingsOf(pod: DeepReadonly<Pod>, owners: OwnerSelectors): Selector | undefined {
  const { namespace, labels = {}, ownerReferences = [] } = pod.metadata;
  const ofServices: Record<string, string> = {};
  for (const selector of owners.services(namespace)) {
    if (selector !== undefined && means(selector, labels)) Object.assign(ofServices, selector);
  }
  const requirements = [...selectorFromLabels(ofServices).requirements];
  const owner = ownerReferences.find(({ controller }) => controller === true);
  if (owner !== undefined && workloads.get(owner.kind) === owner.apiVersion) {
    const selector = owners.workload(owner.kind, { namespace, name: owner.name });
    if (selector !== undefined) requirements.push(...selectorFromLabelSelector(selector).requirements);
  }
  return requirements.length === 0 ? undefined : selectorOf(requirements);
}

/** Services are looked at for every pod: without making a selector of each. An empty one means all. */
function means(selector: Labels, labels: Labels): boolean {
  for (const key in selector) if (labelOf(labels, key) !== selector[key]) return false;
  return true;
}
