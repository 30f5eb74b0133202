import { deepEqual, type DeepReadonly } from "@kedge/machinery";
import type { ConfigMap, ResourceRequirements } from "@kedge/machinery/kinds/core/v1";
import type { Refusal } from "@kedge/runtime";
import { outgrows } from "../config/maxmemory.ts";
import { isVolatile, volatileRefusal } from "../config/persistence.ts";
import { redisConfig } from "../config/redis-config.ts";
import type { Observed } from "../observe.ts";
import { serverRefusals } from "../rules/server-rules.ts";
import { currentConfig, mountedCopy, presentServer, resourcesOf } from "./present-config.ts";
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
  const { config, auth, image, replicas, durability } = instance.spec;
  const resources = resourcesOf(instance.spec);
  const memoryLimit = resources?.limits?.["memory"];
  const wanted = redisConfig({ config, authEnabled: auth.enabled, memoryLimit, durability, replicas });
  const unknown = serverRefusals(instance.spec);
  const isUnsafe = unknown.length === 0 && replicas > 1 && durability !== "cache" && isVolatile(wanted);
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
