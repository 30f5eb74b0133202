import type { ApiPod, ObservedPod, PodAction, ResizeState, Waiting } from "../model/types.ts";

/**
 * All that reaches from a pod's worker into the machine: what it sees, and what it does. What takes time is begun here
 * and goes on by itself; its end is told by `onChange`.
 */
export interface RuntimeManager {
  /** The pod's address, once it has one. */
  readonly address: string | undefined;
  /** Which limit of its storage the pod has passed, in the kubelet's words. */
  readonly storageExceeded: string | undefined;
  /** Remembers what an earlier agent left. */
  begin(signal: AbortSignal): Promise<void>;
  /** The agent ends, or the pod is gone. Containers that run go on. */
  letGo(): void;
  look(): Promise<Omit<ObservedPod, "pod" | "now" | "ending">>;
  act(action: RuntimeAction): Promise<void>;
  /** Removes all that is left of the pod on the node. */
  forget(): Promise<void>;
  /** Records the event of an eviction, and why. */
  tellEvicted(message: string): void;
  /** Tells that a wish for other resources has come this far. */
  tellResize?(state: ResizeState): void;
  /** Tells of waits that have just begun. */
  tellWaiting(waiting: ReadonlyMap<string, Waiting>): void;
}

/** What the runtime manager of a pod is given. */
export interface RuntimeManagerOptions {
  readonly pod: () => ApiPod;
  /** Something happened: look again. */
  readonly onChange: () => void;
  /** Ids of containers of this pod that the runtime has already. */
  readonly adopted: readonly string[];
  /** Whether the pod's network is there already. */
  readonly attached: boolean;
}

/** What can be done to a container or to its sandbox. */
export type RuntimeAction = Exclude<PodAction, { readonly type: "delete" | "forget" }>;
