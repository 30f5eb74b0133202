import type { DeepReadonly, Random } from "@kedge/machinery";
import type { PodDisruptionBudget } from "@kedge/machinery/kinds/policy/v1";
import type { Cycle } from "../cycle.ts";
import { explainVictims } from "../explain.ts";
import type { Refusal } from "../find-node.ts";
import type { NominatedPods } from "../nominated-pods.ts";
import type { NodeInfo } from "../view/node-info.ts";
import type { PodInfo } from "../view/pod-info.ts";
import { chooseCandidate, type Candidate } from "./choose-candidate.ts";
import { selectVictims } from "./select-victims.ts";

/** Who should leave which node for a pod, or why nobody will. */
export type PreemptionPlan =
  | { readonly type: "preempt"; readonly node: string; readonly victims: readonly PodInfo[] }
  | {
      readonly type: "none";
      readonly why: string;
      /** Whether the promise of a node that the pod may have is void. */
      readonly isHopeless: boolean;
    };

/** What a plan is made from, beside the pod and the reasons against each node. */
export interface PreemptionView {
  readonly nominated: NominatedPods;
  readonly budgets: readonly DeepReadonly<PodDisruptionBudget>[];
  readonly random: Random;
  /** Now, in milliseconds. */
  readonly now: number;
}

/** So many nodes are compared: a tenth, at least this many. */
const leastCandidates = 100;

/** Looks for the node where a pod's room costs the least harm. */
export function planPreemption(cycle: Cycle, refusal: Refusal, view: PreemptionView): PreemptionPlan {
  const why = whyNotEligible(cycle, refusal);
  if (why !== undefined) return { type: "none", why, isHopeless: false };
  const { filters, nodes, obstacles } = refusal;
  if (filters === undefined) return { type: "none", why: explainVictims(nodes, []), isHopeless: true };
  const possible: NodeInfo[] = [];
  for (const [name, { isLasting }] of obstacles) {
    const node = isLasting ? undefined : cycle.view.node(name);
    if (node !== undefined) possible.push(node);
  }
  const tried: (readonly string[])[] = [];
  const candidates: Candidate[] = [];
  const enough = Math.min(Math.max(Math.floor(possible.length / 10), leastCandidates), possible.length);
  const offset = possible.length === 0 ? 0 : view.random.int(possible.length);
  for (let index = 0; index < possible.length; index++) {
    const node = possible[(offset + index) % possible.length];
    if (node === undefined) continue;
    const found = selectVictims({ cycle, filters, node, ...view });
    if ("reasons" in found) tried.push(found.reasons);
    else candidates.push(found);
    if (candidates.length >= enough && candidates.some(({ violations }) => violations === 0)) break;
  }
  const best = chooseCandidate(candidates, view);
  if (best !== undefined) return { type: "preempt", node: best.node, victims: best.victims };
  return { type: "none", why: explainVictims(nodes, tried), isHopeless: true };
}

function whyNotEligible({ pod, info, view }: Cycle, { obstacles }: Refusal): string | undefined {
  if (pod.spec.preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never.";
  const promised = pod.status?.nominatedNodeName ?? "";
  if (promised === "" || obstacles.get(promised)?.isLasting === true) return undefined;
  const node = view.node(promised);
  return node !== undefined && isBeingLeft(node, info)
    ? "not eligible due to a terminating pod on the nominated node."
    : undefined;
}

/** Whether pods are leaving a node because they were made to. */
function isBeingLeft({ pods }: NodeInfo, { priority }: PodInfo): boolean {
  return [...pods.values()].some(
    (other) =>
      other.priority < priority &&
      other.isTerminating &&
      (other.pod.status?.conditions ?? []).some(
        ({ type, status, reason }) =>
          type === "DisruptionTarget" && status === "True" && reason === "PreemptionByScheduler",
      ),
  );
}
