import type { PodInfo } from "./pod-info.ts";

/** Which pods are counted. Equal questions have equal keys. */
export interface PodQuestion {
  readonly key: string;
  /** Only pods of this namespace can be meant. Undefined: of any. */
  readonly namespace: string | undefined;
  readonly means: (pod: PodInfo) => boolean;
}

interface Counted {
  readonly question: PodQuestion;
  readonly byNode: Map<string, number>;
}

/** So many questions are kept answered; the one that was not asked for longest is forgotten. */
const mostQuestions = 256;

/**
 * How many pods on each node a selector means. Pods of one workload all ask the same: an answer is counted once over all
 * pods, and from then on kept up to date pod by pod.
 */
export class MatchingPods {
  readonly #all: () => Iterable<readonly [string, PodInfo]>;
  readonly #answers = new Map<string, Counted>();
  /** The same, by the namespace of the question. */
  readonly #byNamespace = new Map<string | undefined, Set<Counted>>();

  /** Takes where all pods are listed, each with the name of its node. */
  constructor(all: () => Iterable<readonly [string, PodInfo]>) {
    this.#all = all;
  }

  /** By the names of nodes; those without any are left out. */
  count(question: PodQuestion): ReadonlyMap<string, number> {
    const known = this.#answers.get(question.key);
    if (known !== undefined) {
      this.#answers.delete(question.key);
      this.#answers.set(question.key, known);
      return known.byNode;
    }
    const counted: Counted = { question, byNode: new Map() };
    for (const [node, pod] of this.#all()) change(counted, pod, node, 1);
    this.#keep(counted);
    return counted.byNode;
  }

  add(pod: PodInfo, node: string): void {
    this.#change(pod, node, 1);
  }

  remove(pod: PodInfo, node: string): void {
    this.#change(pod, node, -1);
  }

  /** Forgets all answers: something changed that they depend on. */
  clear(): void {
    this.#answers.clear();
    this.#byNamespace.clear();
  }

  #change(pod: PodInfo, node: string, by: 1 | -1): void {
    for (const counted of this.#byNamespace.get(pod.namespace) ?? []) change(counted, pod, node, by);
    for (const counted of this.#byNamespace.get(undefined) ?? []) change(counted, pod, node, by);
  }

  #keep(counted: Counted): void {
    const { key, namespace } = counted.question;
    this.#answers.set(key, counted);
    const group = this.#byNamespace.get(namespace) ?? new Set();
    group.add(counted);
    this.#byNamespace.set(namespace, group);
    if (this.#answers.size <= mostQuestions) return;
    for (const [oldest, forgotten] of this.#answers) {
      this.#answers.delete(oldest);
      const others = this.#byNamespace.get(forgotten.question.namespace);
      others?.delete(forgotten);
      if (others?.size === 0) this.#byNamespace.delete(forgotten.question.namespace);
      return;
    }
  }
}

function change({ question, byNode }: Counted, pod: PodInfo, node: string, by: 1 | -1): void {
  if (question.namespace !== undefined && question.namespace !== pod.namespace) return;
  if (!question.means(pod)) return;
  const count = (byNode.get(node) ?? 0) + by;
  if (count === 0) byNode.delete(node);
  else byNode.set(node, count);
}
