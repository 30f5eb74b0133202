import type { DeepReadonly, Labels, Random } from "@kedge/machinery";
import type { Node, Pod } from "@kedge/machinery/kinds/core/v1";
import { explain, explainPreemption } from "./explain.ts";
import { findNode, type Search } from "./find-node.ts";
import { NominatedPods } from "./nominated-pods.ts";
import { planPreemption } from "./preemption/plan-preemption.ts";
import { defaultProfile, type Profile } from "./profile.ts";
import { ClusterView } from "./view/cluster-view.ts";
import { podInfoOf } from "./view/pod-info.ts";

/** What placing without a server takes. */
export interface PlacementOptions {
  readonly random: Random;
  readonly profile?: Profile;
  /** The selectors of a namespace's services: their pods are spread by default. */
  readonly services?: (namespace: string) => Iterable<Labels>;
}

/** A node, or in Kubernetes' words why there is none. */
export type Placed = { readonly node: string } | { readonly node: undefined; readonly why: string };

/**
 * Places pods on nodes by the same rules, without a server: to measure them, and to ask what would be. Pods with claims
 * are refused, as there are none.
 */
export class Placement {
  readonly #view = new ClusterView();
  readonly #search: Search;
  readonly #options: PlacementOptions;

  constructor(options: PlacementOptions) {
    this.#options = options;
    this.#search = { nominated: new NominatedPods(), random: options.random, next: 0 };
  }

  setNode(node: DeepReadonly<Node>): void {
    this.#view.setNode(node.metadata.name, node);
  }

  /** Finds a node for a pod and takes its room. Nobody is made to leave. */
  place(pod: DeepReadonly<Pod>): Placed {
    const { random, profile = defaultProfile, services = () => [] } = this.#options;
    const cycle = {
      pod,
      info: podInfoOf(pod),
      profile,
      view: this.#view,
      namespaceLabels: (name: string): Labels => ({ "kubernetes.io/metadata.name": name }),
      volumes: { claim: none, volume: none, volumesOfClass: () => [], storageClass: none },
      owners: { services, workload: none },
    };
    const finding = findNode(cycle, this.#search);
    if (finding.node !== undefined) {
      this.#view.assume(pod, finding.node.name);
      return { node: finding.node.name };
    }
    const { nominated } = this.#search;
    const plan = planPreemption(cycle, finding, { nominated, random, budgets: [], now: 0 });
    const why = explain(finding, plan.type === "none" ? explainPreemption(plan.why) : "");
    return { node: undefined, why };
  }
}

function none(): undefined {
  return undefined;
}
