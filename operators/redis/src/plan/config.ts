import { deepEqual, type DeepReadonly } from "@kedge/machinery";
import type { ConfigMap, Container, Pod, ResourceRequirements } from "@kedge/machinery/kinds/core/v1";
import type { Refusal } from "@kedge/runtime";
import { canonicalResources } from "@kedge/schema";
import { outgrows } from "../config/maxmemory.ts";
import { isVolatile, volatileRefusal } from "../config/persistence.ts";
import { redisConfig } from "../config/redis-config.ts";
import { configKey, configVolume } from "../names.ts";
import type { Observed } from "../observe.ts";
import { serverRefusals } from "../rules/server-rules.ts";
import { rolloutOf } from "./rollout.ts";
import { lastWriter, refuseImage } from "./upgrade.ts";

/** The config that pods are to have, and with it the image and the memory that it was checked for. */
export interface ConfigPlan {
  /** Undefined: there is none that could be used. */
  readonly text: string | undefined;
  readonly image: string;
  readonly resources: ResourceRequirements | undefined;
  /** How many pods may have it. */
  readonly replicas: number;
  readonly refusals: readonly Refusal[];
}

/** A config that is refused leaves the servers with the one that they have, and with the image that knows it. */
export function planConfig(observed: Observed): ConfigPlan {
  const { instance, statefulSet } = observed;
  const { config, auth, image, replicas } = instance.spec;
  const resources = resourcesOf(instance.spec);
  const memoryLimit = resources?.limits?.["memory"];
  const wanted = redisConfig({ config, authEnabled: auth.enabled, memoryLimit });
  const unknown = serverRefusals(instance.spec);
  const isUnsafe = unknown.length === 0 && replicas > 1 && isVolatile(wanted);
  const unreadable = refuseImage(observed);
  if (unknown.length === 0 && !isUnsafe && unreadable === undefined)
    return { text: wanted, image, resources, replicas, refusals: [] };
  const current = currentConfig(observed);
  if (isUnsafe && unreadable === undefined && current !== undefined && isVolatile(current)) {
    // The servers have such a config: it is the replicas that are new.
    const refusals = [volatileRefusal(`spec.replicas is ${replicas}, but spec.config`)];
    const most = Math.min(statefulSet?.spec?.replicas ?? 1, replicas);
    return { text: wanted, image, resources, replicas: most, refusals };
  }
  const server = presentServer(observed);
  const present = server?.image ?? lastWriter(observed) ?? image;
  // The config that stays may be too large for the memory that is wanted.
  const isTooLarge = server !== undefined && current !== undefined && outgrows(current, memoryLimit);
  const heldBack: readonly Refusal[] = [
    ...(present === image || unreadable !== undefined
      ? []
      : [{ field: "spec.image", message: `stays ${present} until spec.config is accepted for ${image}` }]),
    ...(unreadable !== undefined &&
    unknown.length === 0 &&
    !isUnsafe &&
    current !== undefined &&
    wanted !== current
      ? [{ field: "spec.config", message: "stays as it was until spec.image is accepted" }]
      : []),
    ...(isTooLarge && !deepEqual(resourcesOf(server), resources)
      ? [{ field: "spec.resources", message: "stays as it was until spec.config is accepted with it" }]
      : []),
  ];
  return {
    text: current,
    image: present,
    resources: isTooLarge ? resourcesOf(server) : resources,
    replicas,
    refusals: [
      ...(unreadable === undefined ? [] : [unreadable]),
      ...(isUnsafe ? [volatileRefusal("spec.config")] : unknown),
      ...heldBack,
    ],
  };
}

function resourcesOf({
  resources,
}: {
  readonly resources?: Parameters<typeof canonicalResources>[0] | undefined;
}): ResourceRequirements | undefined {
  return resources === undefined ? undefined : canonicalResources(resources);
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

function presentServer(observed: Observed): DeepReadonly<Container> | undefined {
  return presentPodSpec(observed)?.containers.find(({ name }) => name === "redis");
}

/** What the servers were made with. */
function currentConfig(observed: Observed): string | undefined {
  const { configMap, configCopies } = observed;
  const name = mountedCopy(presentPodSpec(observed));
  const mounted = configCopies.find(({ metadata }) => metadata.name === name);
  return (mounted ?? configMap)?.data?.[configKey];
}

/**
 * Copies that no pod has or can come to have: while pods are being replaced, or are missing, one could still be made
 * with an older config.
 */
export function unusedCopies(
  { configCopies, statefulSet, pods }: Observed,
  newest: string,
): readonly DeepReadonly<ConfigMap>[] {
  if (statefulSet === undefined || !rolloutOf(statefulSet, pods).isSettled) return [];
  const specs = [statefulSet.spec?.template?.spec, ...pods.map(({ spec }) => spec)];
  const used = new Set([newest, ...specs.map(mountedCopy)]);
  return configCopies.filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined && !used.has(metadata.name),
  );
}

function mountedCopy(spec: DeepReadonly<Pod["spec"]> | undefined): string | undefined {
  return spec?.volumes?.find(({ name }) => name === configVolume)?.configMap?.name;
}
