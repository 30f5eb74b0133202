import { selectorFromLabels, selectorMatches, type DeepReadonly } from "@kedge/machinery";
import type {
  Event,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
} from "@kedge/machinery/kinds/core/v1";
import type { StorageClass } from "@kedge/machinery/kinds/storage/v1";

/** What is known of any object. */
export interface AnyObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly uid?: string | undefined;
    readonly generation?: number | undefined;
    readonly creationTimestamp?: string | undefined;
    readonly deletionTimestamp?: string | undefined;
    readonly deletionGracePeriodSeconds?: number | undefined;
    readonly finalizers?: readonly string[] | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
    readonly ownerReferences?: readonly { readonly uid: string }[] | undefined;
  };
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** All that was read of a cluster to find out what holds one object up. */
export interface Facts {
  readonly target: AnyObject;
  /** Of the target's namespace; what is not namespaced is there whole. */
  readonly pods: readonly DeepReadonly<Pod>[];
  readonly claims: readonly DeepReadonly<PersistentVolumeClaim>[];
  readonly volumes: readonly DeepReadonly<PersistentVolume>[];
  readonly nodes: readonly DeepReadonly<Node>[];
  readonly storageClasses: readonly DeepReadonly<StorageClass>[];
  /** Deployments, ReplicaSets, StatefulSets, DaemonSets, Jobs, CronJobs, Services. */
  readonly others: readonly AnyObject[];
  readonly events: readonly DeepReadonly<Event>[];
  readonly now: Date;
  /** That the operators of this cluster do not run, where that is known: the command that starts them. */
  readonly operatorsDown?: string | undefined;
  /** The nodes of this cluster whose agents do not run, where that is known. */
  readonly agentsDown?: readonly string[] | undefined;
  /** What starts a node of this cluster again, without its name, where that is known. */
  readonly startsNode?: string | undefined;
}

/** The facts, with ways through them. */
export class Situation {
  readonly facts: Facts;
  readonly #children = new Map<string, AnyObject[]>();

  constructor(facts: Facts) {
    this.facts = facts;
    for (const object of [...facts.others, ...facts.pods, ...facts.claims])
      for (const { uid } of object.metadata.ownerReferences ?? [])
        this.#children.set(uid, [...(this.#children.get(uid) ?? []), object]);
  }

  /** What an object owns. */
  childrenOf(object: AnyObject): readonly AnyObject[] {
    return this.#children.get(object.metadata.uid ?? "") ?? [];
  }

  /** The newest warning about an object, of these reasons where there are any. */
  warning(object: Pick<AnyObject, "metadata">, ...reasons: readonly string[]): SeenEvent | undefined {
    return this.facts.events
      .filter((event) => event.type === "Warning" && event.involvedObject.uid === object.metadata.uid)
      .filter((event) => reasons.length === 0 || reasons.includes(event.reason ?? ""))
      .map((event) => ({
        reason: event.reason ?? "",
        message: oneLine(event.message ?? ""),
        at: Date.parse(event.series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? "") || 0,
        count: event.series?.count ?? event.count ?? 1,
      }))
      .toSorted((a, b) => b.at - a.at)[0];
  }

  /** Pods with these labels. */
  podsWith(labels: Readonly<Record<string, string>>): readonly DeepReadonly<Pod>[] {
    const selector = selectorFromLabels(labels);
    return this.facts.pods.filter((pod) => selectorMatches(selector, pod.metadata.labels ?? {}));
  }

  claim(name: string): DeepReadonly<PersistentVolumeClaim> | undefined {
    return this.facts.claims.find((claim) => claim.metadata.name === name);
  }

  node(name: string): DeepReadonly<Node> | undefined {
    return this.facts.nodes.find((node) => node.metadata.name === name);
  }

  /** Seconds since a time; negative when it is still to come. */
  since(time: string | number | undefined): number {
    const at = typeof time === "number" ? time : Date.parse(time ?? "");
    return Number.isNaN(at) ? 0 : (this.facts.now.getTime() - at) / 1000;
  }
}

/** An event, as far as it is evidence. */
export interface SeenEvent {
  readonly reason: string;
  readonly message: string;
  readonly at: number;
  readonly count: number;
}

/** What somebody wrote, without line breaks and not too long. */
export function oneLine(text: string, longest = 300): string {
  const line = text.replace(/\s+/gu, " ").trim();
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}
