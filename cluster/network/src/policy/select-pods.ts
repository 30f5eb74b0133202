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
 * workloads. A selector that asks for a certain label is shown only those that have it.
 */
export function createPodSelection({ pods, namespaces }: PolicyState): PodSelection {
  const everywhere = new SortIndex();
  const inside = new Map<string, SortIndex>();
  const known = new Map<string, Sort>();
  for (const pod of pods) {
    const key = `${pod.namespace} ${textOf(pod.labels)}`;
    let sort = known.get(key);
    if (sort === undefined) {
      sort = { namespace: pod.namespace, labels: pod.labels, pods: [] };
      known.set(key, sort);
      const ofNamespace = inside.get(pod.namespace) ?? new SortIndex();
      inside.set(pod.namespace, ofNamespace);
      for (const index of [everywhere, ofNamespace]) index.add(sort);
    }
    sort.pods.push(pod);
  }
  const inNamespace = (namespace: string, selector: Selector): readonly PolicyPod[] =>
    (inside.get(namespace)?.matching(selector) ?? []).flatMap((sort) => sort.pods);
  return {
    inNamespace: (namespace, selector) => inNamespace(namespace, read(selector ?? {})),
    peers(namespace, { podSelector, namespaceSelector, ipBlock }) {
      if (ipBlock !== undefined) return [];
      const ofPods = read(podSelector ?? {});
      if (namespaceSelector === undefined) return inNamespace(namespace, ofPods);
      const ofNamespaces = read(namespaceSelector);
      const names = new Set(
        [...inside.keys()].filter((name) => selectorMatches(ofNamespaces, namespaces.get(name))),
      );
      return everywhere.matching(ofPods).flatMap((sort) => (names.has(sort.namespace) ? sort.pods : []));
    },
  };
}

/** Pods of a namespace with the same labels. */
interface Sort {
  readonly namespace: string;
  readonly labels: Labels;
  readonly pods: PolicyPod[];
}

class SortIndex {
  readonly #all: Sort[] = [];
  readonly #byLabel = new Map<string, Sort[]>();

  add(sort: Sort): void {
    this.#all.push(sort);
    for (const [key, value] of Object.entries(sort.labels)) {
      const label = `${key}=${value}`;
      const found = this.#byLabel.get(label);
      if (found === undefined) this.#byLabel.set(label, [sort]);
      else found.push(sort);
    }
  }

  matching(selector: Selector): readonly Sort[] {
    const exact = selector.requirements.find(
      ({ operator, values }) => (operator === "=" || operator === "in") && values.length === 1,
    );
    const candidates =
      exact === undefined ? this.#all : (this.#byLabel.get(`${exact.key}=${exact.values[0] ?? ""}`) ?? []);
    return candidates.filter(({ labels }) => selectorMatches(selector, labels));
  }
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
