import { addQuantities, quantityIsZero, subtractQuantities, type DeepReadonly } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import type { NodePods, PlacedView } from "./placement.ts";
import { antiAffinityTerms } from "./pod-affinity.ts";
import { requestsOf, scoringRequestsOf, type Amounts, type MutableAmounts } from "./requests.ts";

type AnyPod = DeepReadonly<Pod>;

interface Placed {
  readonly node: string;
  readonly pod: AnyPod;
  readonly requested: Amounts;
  readonly scored: Amounts;
}

interface NodeSum extends NodePods {
  readonly pods: Iterable<AnyPod>;
  readonly byUid: Map<string, AnyPod>;
  readonly requested: MutableAmounts;
  readonly scored: MutableAmounts;
}

/**
 * Which pods take room on which node, kept up to date pod by pod. A pod counts from the moment at which its node was
 * chosen (`assume`), until it has ended or is gone, or its binding has failed (`forget`).
 */
export class PlacedPods implements PlacedView {
  readonly #placed = new Map<string, Placed>();
  readonly #nodes = new Map<string, NodeSum>();
  readonly #antiAffine = new Map<string, readonly [string, AnyPod]>();
  /** Uids of pods whose node only we know so far. */
  readonly #assumed = new Set<string>();
  /** Those of them that may not have been bound: the answer was lost. */
  readonly #doubtful = new Set<string>();

  on(node: string): NodePods {
    return this.#nodes.get(node) ?? empty;
  }

  get withAntiAffinity(): Iterable<readonly [string, AnyPod]> {
    return this.#antiAffine.values();
  }

  /** A node was chosen for a pod: its room is taken before the cache shows it. */
  assume(pod: AnyPod, node: string): void {
    this.#put(pod, node);
    this.#doubtful.delete(pod.metadata.uid);
    this.#assumed.add(pod.metadata.uid);
  }

  /** Whether room is taken of which the server may still say no. */
  get hasAssumed(): boolean {
    return this.#assumed.size > 0;
  }

  isAssumed(uid: string): boolean {
    return this.#assumed.has(uid);
  }

  /** The answer to a binding was lost: its room stays taken until someone has asked. */
  doubt(uid: string): void {
    if (this.#assumed.has(uid)) this.#doubtful.add(uid);
  }

  isDoubtful(uid: string): boolean {
    return this.#doubtful.has(uid);
  }

  /** A binding failed: unless the cache has shown it by now, the room is free again. */
  forget(uid: string): void {
    if (this.#know(uid)) this.#take(uid);
  }

  /** Takes what the cache shows of a pod; undefined: it is gone. True when it has left its room. */
  see(uid: string, pod: AnyPod | undefined): boolean {
    if (pod === undefined || hasEnded(pod)) {
      this.#know(uid);
      return this.#take(uid);
    }
    const node = pod.spec.nodeName ?? "";
    if (node !== "") {
      this.#know(uid);
      this.#put(pod, node);
      return false;
    }
    const placed = this.#placed.get(uid);
    if (placed !== undefined && this.#assumed.has(uid)) this.#put(pod, placed.node);
    return false;
  }

  /** True when it was only assumed so far. */
  #know(uid: string): boolean {
    this.#doubtful.delete(uid);
    return this.#assumed.delete(uid);
  }

  #put(pod: AnyPod, node: string): void {
    const { uid } = pod.metadata;
    const before = this.#placed.get(uid);
    const amounts =
      before !== undefined && isSameSpec(before.pod, pod)
        ? before
        : { requested: requestsOf(pod), scored: scoringRequestsOf(pod) };
    const placed = { node, pod, requested: amounts.requested, scored: amounts.scored };
    this.#take(uid);
    this.#placed.set(uid, placed);
    const sum = this.#nodes.get(node) ?? emptySum();
    this.#nodes.set(node, sum);
    sum.byUid.set(uid, pod);
    add(sum.requested, placed.requested);
    add(sum.scored, placed.scored);
    if (antiAffinityTerms(pod).length > 0) this.#antiAffine.set(uid, [node, pod]);
  }

  #take(uid: string): boolean {
    const placed = this.#placed.get(uid);
    if (placed === undefined) return false;
    this.#placed.delete(uid);
    this.#antiAffine.delete(uid);
    const sum = this.#nodes.get(placed.node);
    if (sum === undefined) return true;
    sum.byUid.delete(uid);
    subtract(sum.requested, placed.requested);
    subtract(sum.scored, placed.scored);
    if (sum.byUid.size === 0) this.#nodes.delete(placed.node);
    return true;
  }
}

/** What a pod asks for is read once: pods change their status often, and this hardly ever. */
function isSameSpec(one: AnyPod, other: AnyPod): boolean {
  const { generation } = one.metadata;
  return one.spec === other.spec || (generation !== undefined && generation === other.metadata.generation);
}

function hasEnded({ status }: AnyPod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

function emptySum(): NodeSum {
  const byUid = new Map<string, AnyPod>();
  return {
    byUid,
    requested: new Map(),
    scored: new Map(),
    get pods() {
      return byUid.values();
    },
    get count() {
      return byUid.size;
    },
  };
}

const empty: NodePods = emptySum();

function add(sum: MutableAmounts, amounts: Amounts): void {
  for (const [name, amount] of amounts) {
    const before = sum.get(name);
    sum.set(name, before === undefined ? amount : addQuantities(before, amount));
  }
}

function subtract(sum: MutableAmounts, amounts: Amounts): void {
  for (const [name, amount] of amounts) {
    const before = sum.get(name);
    const left = before === undefined ? undefined : subtractQuantities(before, amount);
    if (left === undefined || quantityIsZero(left)) sum.delete(name);
    else sum.set(name, left);
  }
}
