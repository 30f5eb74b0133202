import type { PodInfo } from "./view/pod-info.ts";

/**
 * Pods that are to come to a node when others have left it for them, or when their volumes are there. Room is kept for
 * them from pods that are no more important.
 */
export class NominatedPods {
  readonly #byNode = new Map<string, Map<string, PodInfo>>();
  readonly #nodes = new Map<string, string>();

  /** The node that a pod was promised. */
  nodeOf(uid: string): string | undefined {
    return this.#nodes.get(uid);
  }

  set(pod: PodInfo, node: string): void {
    this.delete(pod.uid);
    this.#nodes.set(pod.uid, node);
    const pods = this.#byNode.get(node) ?? new Map<string, PodInfo>();
    pods.set(pod.uid, pod);
    this.#byNode.set(node, pods);
  }

  /** True when it was there. */
  delete(uid: string): boolean {
    const node = this.#nodes.get(uid);
    if (node === undefined) return false;
    this.#nodes.delete(uid);
    const pods = this.#byNode.get(node);
    pods?.delete(uid);
    if (pods?.size === 0) this.#byNode.delete(node);
    return true;
  }

  /** Those that come to a node and that a pod must leave room for. */
  before(pod: PodInfo, node: string): readonly PodInfo[] {
    if (this.#byNode.size === 0) return none;
    const pods = this.#byNode.get(node);
    if (pods === undefined) return none;
    return [...pods.values()].filter(({ uid, priority }) => uid !== pod.uid && priority >= pod.priority);
  }

  /** Those that come to a node and are less important. */
  below(priority: number, node: string): readonly PodInfo[] {
    return [...(this.#byNode.get(node)?.values() ?? [])].filter((each) => each.priority < priority);
  }
}

const none: readonly PodInfo[] = [];
