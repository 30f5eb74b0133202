import {
  labelOf,
  selectorFromLabelSelector,
  selectorMatches,
  selectorOf,
  selectorToString,
  type DeepReadonly,
  type Labels,
  type Requirement,
  type Selector,
} from "@kedge/machinery";
import type { Pod, PodAffinityTerm } from "@kedge/machinery/kinds/core/v1";

/** Which pods a rule of affinity means, and what "near" is for it. */
export interface AffinityTerm {
  readonly topologyKey: string;
  readonly namespaces: ReadonlySet<string>;
  readonly namespaceSelector: Selector;
  readonly selector: Selector;
  /** Equal terms have equal keys. */
  readonly key: string;
}

/** A wish, with its weight; negative: to be apart. */
export interface WeightedTerm {
  readonly term: AffinityTerm;
  readonly weight: number;
}

/** All rules of a pod about other pods. */
export interface AffinityTerms {
  readonly required: readonly AffinityTerm[];
  readonly requiredAnti: readonly AffinityTerm[];
  readonly preferred: readonly WeightedTerm[];
}

/** The labels of a namespace. */
export type NamespaceLabels = (namespace: string) => Labels;

const noTerms: AffinityTerms = { required: [], requiredAnti: [], preferred: [] };

/** The rules that a pod brings. */
export function affinityTermsOf(pod: DeepReadonly<Pod>): AffinityTerms {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  if (podAffinity === undefined && podAntiAffinity === undefined) return noTerms;
  const required = (terms: DeepReadonly<PodAffinityTerm[]> | undefined): readonly AffinityTerm[] =>
    (terms ?? []).map((term) => termOf(term, pod));
  const preferred = (
    affinity: typeof podAffinity | typeof podAntiAffinity,
    sign: 1 | -1,
  ): readonly WeightedTerm[] =>
    (affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ weight, podAffinityTerm }) => ({
      term: termOf(podAffinityTerm, pod),
      weight: sign * weight,
    }));
  return {
    required: required(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    requiredAnti: required(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    preferred: [...preferred(podAffinity, 1), ...preferred(podAntiAffinity, -1)],
  };
}

/** Whether a rule means a pod with these labels in this namespace. */
export function termMatches(
  { namespaces, namespaceSelector, selector }: AffinityTerm,
  { namespace, labels }: { readonly namespace: string; readonly labels: Labels },
  namespaceLabels: NamespaceLabels,
): boolean {
  if (!namespaces.has(namespace)) {
    if (!namespaceSelector.selectable) return false;
    const isEvery = namespaceSelector.requirements.length === 0;
    if (!isEvery && !selectorMatches(namespaceSelector, namespaceLabels(namespace))) return false;
  }
  return selectorMatches(selector, labels);
}

function termOf(term: DeepReadonly<PodAffinityTerm>, pod: DeepReadonly<Pod>): AffinityTerm {
  const { topologyKey, namespaces = [], namespaceSelector } = term;
  const isOwn = namespaces.length === 0 && namespaceSelector === undefined;
  const names = isOwn ? [pod.metadata.namespace] : namespaces.toSorted();
  const selector = selectorOfTerm(term, pod.metadata.labels ?? {});
  const ofNamespaces = selectorFromLabelSelector(namespaceSelector);
  const key = JSON.stringify([topologyKey, names, selectorKey(ofNamespaces), selectorKey(selector)]);
  return { topologyKey, namespaces: new Set(names), namespaceSelector: ofNamespaces, selector, key };
}

/** The selector, with the labels that the pod itself gives values to. */
function selectorOfTerm(
  { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] }: DeepReadonly<PodAffinityTerm>,
  labels: Labels,
): Selector {
  const selector = selectorFromLabelSelector(labelSelector);
  return withOwnLabels(withOwnLabels(selector, matchLabelKeys, labels), mismatchLabelKeys, labels, "notin");
}

/** A selector that also asks for the values which some labels of the pod have: for the pods of its own revision. */
export function withOwnLabels(
  selector: Selector,
  keys: readonly string[],
  labels: Labels,
  operator: "in" | "notin" = "in",
): Selector {
  const added = keys.flatMap((key): readonly Requirement[] => {
    const value = labelOf(labels, key);
    return value === undefined ? [] : [{ key, operator, values: [value] }];
  });
  if (added.length === 0 || !selector.selectable) return selector;
  return selectorOf([...selector.requirements, ...added]);
}

/** Equal selectors have equal keys; the one that matches nothing has its own. */
export function selectorKey(selector: Selector): string {
  return selector.selectable ? selectorToString(selector) : "<nothing>";
}
