import type { DeepReadonly } from "@kedge/machinery";
import type { ConfigMap, Pod } from "@kedge/machinery/kinds/core/v1";
import type { Refusal } from "@kedge/runtime";
import { checkConfig } from "../config/check-config.ts";
import { redisConfig } from "../config/redis-config.ts";
import { configKey, configVolume } from "../names.ts";
import type { Observed } from "../observe.ts";
import { isVolatile, volatileRefusal } from "./persistence.ts";
import { rolloutOf } from "./rollout.ts";

/** The config that pods are to have, and with it the image that it was checked for. */
export interface ConfigPlan {
  /** Undefined: there is none that could be used. */
  readonly text: string | undefined;
  readonly image: string;
  /** How many pods may have it. */
  readonly replicas: number;
  readonly refusals: readonly Refusal[];
}

/** A config that is refused leaves the servers with the one that they have, and with the image that knows it. */
export function planConfig(observed: Observed): ConfigPlan {
  const { instance, statefulSet } = observed;
  const { config, auth, image, replicas } = instance.spec;
  const wanted = redisConfig({ config, authEnabled: auth.enabled });
  const unknown = checkConfig(config, { image, authEnabled: auth.enabled });
  const isUnsafe = unknown.length === 0 && replicas > 1 && isVolatile(wanted);
  if (unknown.length === 0 && !isUnsafe) return { text: wanted, image, replicas, refusals: [] };
  const current = currentConfig(observed);
  if (isUnsafe && current !== undefined && isVolatile(current)) {
    // The servers have such a config: it is the replicas that are new.
    const refusals = [volatileRefusal(`spec.replicas is ${replicas}, but spec.config`)];
    return { text: wanted, image, replicas: Math.min(statefulSet?.spec?.replicas ?? 1, replicas), refusals };
  }
  const present =
    statefulSet?.spec?.template?.spec?.containers.find(({ name }) => name === "redis")?.image ?? image;
  const heldBack: readonly Refusal[] =
    present === image
      ? []
      : [{ field: "spec.image", message: `stays ${present} until spec.config is accepted for ${image}` }];
  const refusals = [...(isUnsafe ? [volatileRefusal("spec.config")] : unknown), ...heldBack];
  return { text: current, image: present, replicas, refusals };
}

/** What the servers were made with. */
function currentConfig({ configMap, configCopies, statefulSet }: Observed): string | undefined {
  const name = mountedCopy(statefulSet?.spec?.template?.spec);
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
  if (statefulSet === undefined || !rolloutOf(statefulSet).isSettled) return [];
  const specs = [statefulSet.spec?.template?.spec, ...pods.map(({ spec }) => spec)];
  const used = new Set([newest, ...specs.map(mountedCopy)]);
  return configCopies.filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined && !used.has(metadata.name),
  );
}

function mountedCopy(spec: DeepReadonly<Pod["spec"]> | undefined): string | undefined {
  return spec?.volumes?.find(({ name }) => name === configVolume)?.configMap?.name;
}
