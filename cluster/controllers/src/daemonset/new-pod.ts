import { withTypeMeta, type DeepReadonly, type Draft } from "@kedge/machinery";
import { DaemonSet } from "@kedge/machinery/kinds/apps/v1";
import type { Affinity, Pod } from "@kedge/machinery/kinds/core/v1";
import { podFromTemplate } from "../pods/pod-from-template.ts";
import { daemonTolerations } from "./nodes.ts";

/** Which template a pod was made by: the hash of its revision. */
export const hashLabel = "controller-revision-hash";
/** The same as a count: an older way, which pods still carry. */
export const generationLabel = "pod-template-generation";
const generationAnnotation = "deprecated.daemonset.template.generation";

/** How many templates the set has had, as it says. */
export function templateGenerationOf({ metadata }: DeepReadonly<DaemonSet>): string | undefined {
  const text = metadata.annotations?.[generationAnnotation];
  return text !== undefined && /^-?\d+$/u.test(text) ? String(Number(text)) : undefined;
}

/** A pod of a daemon set, meant for a node: the scheduler puts it there and nowhere else. */
export function podOfDaemonSet(set: DeepReadonly<DaemonSet>, node: string, hash: string): Draft<Pod> {
  const pod = podFromTemplate(set.spec.template, withTypeMeta(DaemonSet, set), {
    generateName: `${set.metadata.name}-`,
  });
  const { metadata, spec } = pod;
  const generation = templateGenerationOf(set);
  if (generation !== undefined) metadata.labels[generationLabel] = generation;
  metadata.labels[hashLabel] = hash;
  spec.tolerations = daemonTolerations(spec.tolerations, spec.hostNetwork === true);
  spec.affinity = withNode(spec.affinity, node);
  return pod;
}

/** The node already fits what the template requires: its name takes the place of that. */
function withNode(affinity: Affinity | undefined, node: string): Affinity {
  const matchFields = [{ key: "metadata.name", operator: "In", values: [node] }];
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
    },
  };
}
