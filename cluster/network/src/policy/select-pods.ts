import {
  nothing,
  selectorFromLabelSelector,
  selectorMatches,
  type DeepReadonly,
  type Labels,
  type LabelSelector,
  type Selector,
} from "@kedge/machinery";
import type { NetworkPolicyPeer } from "@kedge/machinery/kinds/networking/v1";
import type { PolicyPod, PolicyState } from "./types.ts";

/** Finds pods by selectors. */
export interface PodSelection {
  /** The pods of a namespace that a selector means. */
  inNamespace(namespace: string, selector: DeepReadonly<LabelSelector> | undefined): readonly PolicyPod[];
  /** The pods that a peer in a policy of this namespace means. */
  peers(namespace: string, peer: DeepReadonly<NetworkPolicyPeer>): readonly PolicyPod[];
}

/**
 * Pods with the same labels are looked at once: there are thousands of pods, but as many sorts of them as there are
 * workloads.
 */
export function createPodSelection({ pods, namespaces }: PolicyState): PodSelection {
  const sorts = new Map<string, Map<string, Sort>>();
  for (const pod of pods) {
    const ofNamespace = sorts.get(pod.namespace) ?? new Map<string, Sort>();
    sorts.set(pod.namespace, ofNamespace);
    const key = textOf(pod.labels);
    const sort = ofNamespace.get(key) ?? { labels: pod.labels, pods: [] };
    ofNamespace.set(key, sort);
    sort.pods.push(pod);
  }
  const matching = (namespace: string, selector: Selector): readonly PolicyPod[] =>
    [...(sorts.get(namespace)?.values() ?? [])]
      .filter(({ labels }) => selectorMatches(selector, labels))
      .flatMap((sort) => sort.pods);
  return {
    inNamespace: (namespace, selector) => matching(namespace, read(selector ?? {})),
    peers(namespace, { podSelector, namespaceSelector, ipBlock }) {
      if (ipBlock !== undefined) return [];
      const ofPods = read(podSelector ?? {});
      if (namespaceSelector === undefined) return matching(namespace, ofPods);
      const ofNamespaces = read(namespaceSelector);
      return [...sorts.keys()]
        .filter((name) => selectorMatches(ofNamespaces, namespaces.get(name)))
        .flatMap((name) => matching(name, ofPods));
    },
  };
}

interface Sort {
  readonly labels: Labels;
  readonly pods: PolicyPod[];
}

const texts = new WeakMap<Labels, string>();
const selectors = new WeakMap<DeepReadonly<LabelSelector>, Selector>();

function textOf(labels: Labels): string {
  const known = texts.get(labels);
  if (known !== undefined) return known;
  const text = JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  texts.set(labels, text);
  return text;
}

/** One that is not valid, which older servers have let pass, means no pod. */
function read(source: DeepReadonly<LabelSelector>): Selector {
  const known = selectors.get(source);
  if (known !== undefined) return known;
  let selector = nothing();
  try {
    selector = selectorFromLabelSelector(source);
  } catch {
    // It stays so.
  }
  selectors.set(source, selector);
  return selector;
}
