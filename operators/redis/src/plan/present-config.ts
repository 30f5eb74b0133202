import type { DeepReadonly } from "@kedge/machinery";
import type { Container, Pod, ResourceRequirements } from "@kedge/machinery/kinds/core/v1";
import { canonicalResources } from "@kedge/schema";
import { mergedConfig } from "../config/live-change.ts";
import { configHash } from "../config/redis-config.ts";
import { configKey, configVolume } from "../names.ts";
import type { Observed } from "../observe.ts";

/** What servers were made with, and what was set in them since. */
export function currentConfig(observed: Observed): string | undefined {
  const mounted = mountedConfig(observed);
  if (mounted === undefined) return observed.configMap?.data?.[configKey];
  const overlay = observed.peers?.data?.[`live-${configHash(mounted).slice(0, 10)}.conf`];
  return overlay === undefined || overlay === "" ? mounted : mergedConfig(mounted, overlay);
}

/** The copy that pods are made with. */
export function mountedConfig(observed: Observed): string | undefined {
  const name = mountedCopy(presentPodSpec(observed));
  return observed.configCopies.find(({ metadata }) => metadata.name === name)?.data?.[configKey];
}

/** The container of a server as pods are made with it. */
export function presentServer(observed: Observed): DeepReadonly<Container> | undefined {
  return presentPodSpec(observed)?.containers.find(({ name }) => name === "redis");
}

/** Of what pods are made; while the StatefulSet is away, its pods tell. */
function presentPodSpec({
  statefulSet,
  pods,
}: Pick<Observed, "statefulSet" | "pods">): DeepReadonly<Pod["spec"]> | undefined {
  if (statefulSet !== undefined) return statefulSet.spec?.template?.spec;
  return pods.toSorted((one, other) => createdAt(other) - createdAt(one))[0]?.spec;
}

function createdAt({ metadata }: DeepReadonly<Pod>): number {
  return Date.parse(metadata.creationTimestamp);
}

/** Which copy of the config a pod mounts. */
export function mountedCopy(spec: DeepReadonly<Pod["spec"]> | undefined): string | undefined {
  return spec?.volumes?.find(({ name }) => name === configVolume)?.configMap?.name;
}

/** Resources as they are written. */
export function resourcesOf({
  resources,
}: {
  readonly resources?: Parameters<typeof canonicalResources>[0] | undefined;
}): ResourceRequirements | undefined {
  return resources === undefined ? undefined : canonicalResources(resources);
}
