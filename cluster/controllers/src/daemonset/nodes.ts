import { selectsNode, tolerates, type DeepReadonly } from "@kedge/machinery";
import type { DaemonSet } from "@kedge/machinery/kinds/apps/v1";
import type { Node, Pod, Toleration } from "@kedge/machinery/kinds/core/v1";

type AnyPod = DeepReadonly<Pod>;

/** What a node is to a daemon set. */
export interface NodeFit {
  /** It gets a pod. */
  readonly shouldRun: boolean;
  /** A pod that it has may stay. */
  readonly mayStay: boolean;
}

/** Whether a node gets a pod of a set, by its labels, its name and its taints. */
export function fitOf({ spec }: DeepReadonly<DaemonSet>, node: DeepReadonly<Node>): NodeFit {
  const pod = spec.template.spec ?? { containers: [] };
  const { name, labels = {} } = node.metadata;
  const isNamed = [undefined, "", name].includes(pod.nodeName);
  if (!isNamed || !selectsNode(pod, { name, labels })) return { shouldRun: false, mayStay: false };
  const tolerations = daemonTolerations(pod.tolerations, pod.hostNetwork === true);
  const untolerated = (node.spec?.taints ?? []).filter(
    (taint) => !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
  return {
    shouldRun: !untolerated.some(({ effect }) => effect === "NoExecute" || effect === "NoSchedule"),
    mayStay: !untolerated.some(({ effect }) => effect === "NoExecute"),
  };
}

/** What pods of daemon sets put up with besides what their template says: they stay on nodes in trouble. */
export function daemonTolerations(
  own: DeepReadonly<Toleration[]> | undefined,
  hasHostNetwork: boolean,
): Toleration[] {
  const trouble: readonly (readonly [string, string])[] = [
    ["not-ready", "NoExecute"],
    ["unreachable", "NoExecute"],
    ["disk-pressure", "NoSchedule"],
    ["memory-pressure", "NoSchedule"],
    ["pid-pressure", "NoSchedule"],
    ["unschedulable", "NoSchedule"],
    ...(hasHostNetwork ? ([["network-unavailable", "NoSchedule"]] as const) : []),
  ];
  const tolerations = (own ?? []).map((toleration): Toleration => ({ ...toleration }));
  for (const [name, effect] of trouble) {
    const added = { key: `node.kubernetes.io/${name}`, operator: "Exists", effect };
    const same = tolerations.findIndex(
      ({ key, operator, effect: for_, value = "" }) =>
        key === added.key && operator === added.operator && for_ === effect && value === "",
    );
    // One that says the same with an end is replaced: these pods stay for good.
    if (same === -1) tolerations.push(added);
    else tolerations[same] = added;
  }
  return tolerations;
}

/** The node that a pod is on, or is meant for; undefined when it does not say. */
export function targetOf({ spec }: AnyPod): string | undefined {
  if ((spec.nodeName ?? "") !== "") return spec.nodeName;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const fields = (required?.nodeSelectorTerms ?? []).flatMap(({ matchFields = [] }) => matchFields);
  const named = fields.find(({ key, operator }) => key === "metadata.name" && operator === "In");
  return named?.values?.length === 1 ? named.values[0] : undefined;
}

/** Those that have a node first, then the oldest. */
export function oldestFirst(pods: readonly AnyPod[]): readonly AnyPod[] {
  const rank = ({ spec }: AnyPod): number => ((spec.nodeName ?? "") === "" ? 1 : 0);
  return pods.toSorted((one, other) => {
    const [a, b] = [one.metadata, other.metadata];
    if (rank(one) !== rank(other)) return rank(one) - rank(other);
    const [first, second] = [`${a.creationTimestamp} ${a.name}`, `${b.creationTimestamp} ${b.name}`];
    return first < second ? -1 : 1;
  });
}
