import type { DeepReadonly } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { inNamespace, type Cause } from "../cause.ts";
import { oneLine, type Situation } from "../situation.ts";
import { claimCauses, claimsOf, evidenceOf } from "./claim.ts";
import { containerCauses } from "./container.ts";
import { nodeCauses } from "./node.ts";

/** Why a pod is not ready; nothing, when it is, or has done its work. */
export function podCauses(pod: DeepReadonly<Pod>, situation: Situation): readonly Cause[] {
  const about = { kind: "Pod", metadata: pod.metadata };
  const { phase, reason, message, conditions = [] } = pod.status ?? {};
  if (phase === "Succeeded") return [];
  if (phase === "Failed") {
    const [why] = containerCauses(pod, situation);
    const says = `has failed${reason ? ` (${reason})` : ""}${message ? `: ${oneLine(message)}` : ""}`;
    return [why ?? { about, says, fix: `kubectl delete pod ${pod.metadata.name}${inNamespace(pod)}` }];
  }
  const node = pod.spec?.nodeName;
  if (node === undefined || node === "") return unscheduled(pod, situation);
  const gone = nodeCauses(node, situation);
  if (gone.length > 0) return gone;
  const isReady = conditions.some(({ type, status }) => type === "Ready" && status === "True");
  if (isReady) return [];
  const inContainers = containerCauses(pod, situation);
  if (inContainers.length > 0) return inContainers;
  const gate = pod.spec?.readinessGates?.find(
    ({ conditionType }) =>
      !conditions.some(({ type, status }) => type === conditionType && status === "True"),
  );
  if (gate === undefined) return [];
  return [
    { about, says: `waits for its readiness gate ${gate.conditionType}, which somebody else must open` },
  ];
}

function unscheduled(pod: DeepReadonly<Pod>, situation: Situation): readonly Cause[] {
  const about = { kind: "Pod", metadata: pod.metadata };
  const gates = pod.spec?.schedulingGates ?? [];
  if (gates.length > 0) {
    const names = gates.map(({ name }) => name).join(", ");
    return [{ about, says: `waits until somebody takes its scheduling gates away: ${names}` }];
  }
  const claims = claimsOf(pod.spec).flatMap((name): readonly Cause[] => {
    const claim = situation.claim(name);
    if (claim !== undefined)
      return claimCauses(claim, situation).filter(({ says }) => says !== "has no volume yet");
    return [{ about, says: `uses the claim ${name}, which does not exist`, fix: "create the claim" }];
  });
  if (claims.length > 0) return claims;
  const condition = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (condition === undefined || condition.status === "True")
    return situation.since(pod.metadata.creationTimestamp) < 5
      ? []
      : [
          {
            about,
            says: `was looked at by no scheduler (${pod.spec?.schedulerName ?? "default-scheduler"})`,
          },
        ];
  const words = oneLine(condition.message ?? "");
  const seen = situation.warning(pod, "FailedScheduling");
  return [
    {
      about,
      says: `cannot be scheduled: ${words}`,
      evidence: seen === undefined ? [] : [evidenceOf(seen)],
      fix: schedulingFix(words, situation),
    },
  ];
}

/** What helps, by what the scheduler says. */
function schedulingFix(words: string, { facts }: Situation): string {
  if (words.includes("Insufficient ")) return "ask for less in resources.requests, or add a node";
  if (words.includes("Too many pods")) return "delete pods that nobody needs, or add a node";
  if (words.includes("were unschedulable")) {
    const cordoned = facts.nodes.filter(({ spec }) => spec?.unschedulable === true);
    return `kubectl uncordon ${cordoned.map(({ metadata }) => metadata.name).join(" ") || "NODE"}`;
  }
  if (words.includes("node affinity/selector"))
    return "kubectl label node NODE KEY=VALUE, or change the selector";
  if (words.includes("topology spread"))
    return "relax topologySpreadConstraints, or add a node in that topology";
  if (words.includes("anti-affinity")) return "relax the anti-affinity, or add a node";
  // Last: nodes that are down have taints, too.
  if (words.includes("taint")) return "add a toleration to the pod, or: kubectl taint nodes NODE KEY-";
  return "kubectl get nodes -o wide";
}
