import { deepEqual, type DeepReadonly } from "@kedge/machinery";
import type { Node, Pod } from "@kedge/machinery/kinds/core/v1";
import { ExistingTerms } from "./existing-terms.ts";
import { inTurns } from "./in-turns.ts";
import { MatchingPods } from "./matching-pods.ts";
import { NodeInfo } from "./node-info.ts";
import { podInfoOf, type PodInfo } from "./pod-info.ts";

type AnyPod = DeepReadonly<Pod>;

interface Placed {
  readonly node: NodeInfo;
  readonly info: PodInfo;
}

/**
 * The nodes and which pods take room on them, changed object by object and never rebuilt. A pod counts from the moment at
 * which its node was chosen (`assume`), until it has ended or is gone, or its binding has failed (`forget`).
 */
export class ClusterView {
  readonly #nodes = new Map<string, NodeInfo>();
  #list: readonly NodeInfo[] | undefined;
  readonly #placed = new Map<string, Placed>();
  /** Uids of pods whose node only we know so far. */
  readonly #assumed = new Set<string>();
  /** Those of them that may not have been bound: the answer was lost. */
  readonly #doubtful = new Set<string>();
  readonly #claims = new Map<string, number>();
  readonly #images = new Map<string, number>();
  readonly terms = new ExistingTerms();
  readonly matching = new MatchingPods(() => this.#pods());

  /** The nodes that are there, one of each zone in turns. */
  get nodes(): readonly NodeInfo[] {
    this.#list ??= inTurns([...this.#nodes.values()].filter(({ node }) => node !== undefined));
    return this.#list;
  }

  /** A node that is there. */
  node(name: string): NodeInfo | undefined {
    const info = this.#nodes.get(name);
    return info?.node === undefined ? undefined : info;
  }

  setNode(name: string, node: DeepReadonly<Node> | undefined): void {
    const info = this.#info(name);
    for (const image of info.images.keys()) count(this.#images, image, -1);
    info.setNode(node);
    for (const image of info.images.keys()) count(this.#images, image, 1);
    this.#list = undefined;
    this.#dropEmpty(info);
  }

  /** How many nodes have an image. */
  nodesWithImage(name: string): number {
    return this.#images.get(name) ?? 0;
  }

  /** How many pods with a node use a claim, by `namespace/name`. */
  usersOfClaim(key: string): number {
    return this.#claims.get(key) ?? 0;
  }

  /** A node was chosen for a pod: its room is taken before the cache shows it. */
  assume(pod: AnyPod, node: string): void {
    this.#put(pod, node);
    this.#doubtful.delete(pod.metadata.uid);
    this.#assumed.add(pod.metadata.uid);
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

  /** A binding failed: unless the cache has shown it by now, the room is free again. Gives what took it. */
  forget(uid: string): PodInfo | undefined {
    return this.#know(uid) ? this.#take(uid) : undefined;
  }

  /** What the view knows of a pod that takes room. */
  placed(uid: string): PodInfo | undefined {
    return this.#placed.get(uid)?.info;
  }

  /** Takes what the cache shows of a pod; undefined: it is gone. Gives what has left its room. */
  see(uid: string, pod: AnyPod | undefined): PodInfo | undefined {
    if (pod === undefined || hasEnded(pod)) {
      this.#know(uid);
      return this.#take(uid);
    }
    const node = pod.spec.nodeName ?? "";
    if (node !== "") {
      this.#know(uid);
      this.#put(pod, node);
      return undefined;
    }
    const placed = this.#placed.get(uid);
    if (placed !== undefined && this.#assumed.has(uid)) this.#put(pod, placed.node.name);
    return undefined;
  }

  /** True when it was only assumed so far. */
  #know(uid: string): boolean {
    this.#doubtful.delete(uid);
    return this.#assumed.delete(uid);
  }

  #put(pod: AnyPod, name: string): void {
    const { uid } = pod.metadata;
    const before = this.#placed.get(uid);
    const info = podInfoOf(pod, before?.info);
    if (before?.node.name === name && takesTheSame(before.info, info)) {
      this.#placed.set(uid, { node: before.node, info });
      before.node.pods.set(uid, info);
      return;
    }
    this.#take(uid);
    const node = this.#info(name);
    this.#placed.set(uid, { node, info });
    node.add(info);
    this.terms.change(info, name, 1);
    this.matching.add(info, name);
    for (const claim of info.claims) count(this.#claims, claim, 1);
  }

  #take(uid: string): PodInfo | undefined {
    const placed = this.#placed.get(uid);
    if (placed === undefined) return undefined;
    const { node, info } = placed;
    this.#placed.delete(uid);
    node.remove(uid);
    this.terms.change(info, node.name, -1);
    this.matching.remove(info, node.name);
    for (const claim of info.claims) count(this.#claims, claim, -1);
    this.#dropEmpty(node);
    return info;
  }

  #info(name: string): NodeInfo {
    const info = this.#nodes.get(name) ?? new NodeInfo(name);
    this.#nodes.set(name, info);
    return info;
  }

  #dropEmpty(info: NodeInfo): void {
    if (info.node === undefined && info.pods.size === 0) this.#nodes.delete(info.name);
  }

  *#pods(): Iterable<readonly [string, PodInfo]> {
    for (const { node, info } of this.#placed.values()) yield [node.name, info];
  }
}

/** Most changes of a pod are of its status: they change nothing that is counted. */
function takesTheSame(one: PodInfo, other: PodInfo): boolean {
  return (
    one.requested === other.requested &&
    one.terms === other.terms &&
    one.isTerminating === other.isTerminating &&
    deepEqual(one.labels, other.labels)
  );
}

function count(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const sum = (counts.get(key) ?? 0) + by;
  if (sum === 0) counts.delete(key);
  else counts.set(key, sum);
}

/** Whether a pod has run to its end: it takes no room any more. */
export function hasEnded({ status }: AnyPod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}
