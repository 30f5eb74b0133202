import { ageText } from "../../../age-text.ts";
import type { Cause } from "../cause.ts";
import { oneLine, type Situation } from "../situation.ts";

/** What is wrong with a node that was asked about: cordoned, it is ready, but gets no pods. */
export function causesOfNode(name: string, situation: Situation): readonly Cause[] {
  const gone = nodeCauses(name, situation);
  if (gone.length > 0 || situation.node(name)?.spec?.unschedulable !== true) return gone;
  const about = { kind: "Node", metadata: { name } };
  return [{ about, says: "is cordoned: no new pod is placed on it", fix: `kubectl uncordon ${name}` }];
}

/** Why nothing is to be expected of a node: it is not there, or does not report. */
export function nodeCauses(name: string, situation: Situation): readonly Cause[] {
  const about = { kind: "Node", metadata: { name } };
  const node = situation.node(name);
  if (node === undefined)
    return [{ about, says: "does not exist any more", fix: "kubectl get nodes shows those that do" }];
  const ready = node.status?.conditions?.find((condition) => condition.type === "Ready");
  const { startsNode, agentsDown = [] } = situation.facts;
  const start = startsNode === undefined ? "start it again" : `${startsNode} ${name}`;
  if (ready?.status === "True" && agentsDown.includes(name))
    return [
      {
        about,
        says: "does not run: its agent is down, which the cluster notices after a while only",
        evidence: [`Ready=True: ${oneLine(ready.message ?? "")}`],
        fix: start,
      },
    ];
  if (ready?.status === "True") return [];
  const since = ageText(situation.since(ready?.lastTransitionTime));
  const isSilent = ready?.status === "Unknown";
  return [
    {
      about,
      says: isSilent ? `is gone: it has not reported for ${since}` : `has not been ready for ${since}`,
      evidence: [`Ready=${ready?.status ?? "Unknown"}: ${oneLine(ready?.message ?? "no condition Ready")}`],
      fix: isSilent
        ? `${start}; if it will not come back: kubectl delete node ${name}`
        : `kubectl describe node ${name}`,
    },
  ];
}
