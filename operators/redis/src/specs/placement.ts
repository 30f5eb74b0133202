import type { DeepReadonly } from "@kedge/machinery";
import type { PodSpec, TopologySpreadConstraint } from "@kedge/machinery/kinds/core/v1";
import type { InstanceSpec } from "../kind.ts";
import { labelsOf } from "../names.ts";

/** What the spec says of pods beside what runs in them. */
export interface PlacingOptions extends NonNullable<InstanceSpec["placement"]> {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly priorityClassName: string | undefined;
}

/** The part of a pod's spec that says where it may run. */
export function placedPod(instance: string, options: PlacingOptions): DeepReadonly<Partial<PodSpec>> {
  const { nodeSelector, tolerations, affinity, priorityClassName } = options;
  const topologySpreadConstraints = spreadOf(instance, options);
  return {
    ...(nodeSelector !== undefined && { nodeSelector }),
    ...(tolerations !== undefined && { tolerations }),
    ...(affinity !== undefined && { affinity }),
    ...(topologySpreadConstraints.length > 0 && { topologySpreadConstraints }),
    ...(priorityClassName !== undefined && { priorityClassName }),
  };
}

/** Over nodes when nothing else is said; if there are too few of them, pods share one rather than wait. */
function spreadOf(
  instance: string,
  { topologySpreadConstraints: wanted }: PlacingOptions,
): readonly DeepReadonly<TopologySpreadConstraint>[] {
  const labelSelector = { matchLabels: labelsOf(instance) };
  const byDefault = [
    { maxSkew: 1, topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "ScheduleAnyway", labelSelector },
  ];
  // One without a selector would be about no pod at all.
  return wanted?.map((constraint) => ({ labelSelector, ...constraint })) ?? byDefault;
}
