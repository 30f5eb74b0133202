import type { AffinityTerm } from "./affinity-term.ts";
import type { PodInfo } from "./pod-info.ts";

/** A rule that pods have brought to their nodes: how many pods of each node have it. */
export interface ExistingTerm {
  readonly term: AffinityTerm;
  /** What it is worth to have such a pod near; negative: to be without. Of required rules 0. */
  readonly weight: number;
  readonly byNode: ReadonlyMap<string, number>;
}

interface CountedTerm extends ExistingTerm {
  readonly byNode: Map<string, number>;
}

/**
 * The rules of the pods that have a node. The pods of one workload have the same: each rule is held once, with the number
 * of its pods on each node, so that a new pod is compared with the rules and not with all pods.
 */
export class ExistingTerms {
  readonly #requiredAnti = new Map<string, CountedTerm>();
  readonly #required = new Map<string, CountedTerm>();
  readonly #preferred = new Map<string, CountedTerm>();

  /** Whom pods refuse to have near them. */
  get requiredAnti(): Iterable<ExistingTerm> {
    return this.#requiredAnti.values();
  }

  /** Whom pods must have near them. */
  get required(): Iterable<ExistingTerm> {
    return this.#required.values();
  }

  /** Whom pods would like to have near them, or not. */
  get preferred(): Iterable<ExistingTerm> {
    return this.#preferred.values();
  }

  change({ terms }: PodInfo, node: string, by: 1 | -1): void {
    for (const term of terms.requiredAnti) count(this.#requiredAnti, { term, weight: 0 }, node, by);
    for (const term of terms.required) count(this.#required, { term, weight: 0 }, node, by);
    for (const weighted of terms.preferred) count(this.#preferred, weighted, node, by);
  }
}

function count(
  terms: Map<string, CountedTerm>,
  { term, weight }: { readonly term: AffinityTerm; readonly weight: number },
  node: string,
  by: 1 | -1,
): void {
  const key = `${weight} ${term.key}`;
  const counted = terms.get(key) ?? { term, weight, byNode: new Map<string, number>() };
  terms.set(key, counted);
  const pods = (counted.byNode.get(node) ?? 0) + by;
  if (pods !== 0) counted.byNode.set(node, pods);
  else {
    counted.byNode.delete(node);
    if (counted.byNode.size === 0) terms.delete(key);
  }
}
