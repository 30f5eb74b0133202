import type { DeepReadonly } from "@kedge/machinery";
import type { ConfigMap, Pod } from "@kedge/machinery/kinds/core/v1";
import type { Refusal } from "@kedge/runtime";
import { checkConfig } from "../config/check-config.ts";
import { redisConfig } from "../config/redis-config.ts";
import { configKey, configVolume } from "../names.ts";
import type { Observed } from "../observe.ts";
import { rolloutOf } from "./rollout.ts";

/** The config that pods are to have, and with it the image that it was checked for. */
export interface ConfigPlan {
  /** Undefined: there is none that could be used. */
  readonly text: string | undefined;
  readonly image: string;
  readonly refusals: readonly Refusal[];
}

/** A config that is refused leaves the servers with the one that they have, and with the image that knows it. */
export function planConfig({ instance, configMap, configCopies, statefulSet }: Observed): ConfigPlan {
  const { config, auth, image } = instance.spec;
  const refusals = checkConfig(config, { image, authEnabled: auth.enabled });
  if (refusals.length === 0) {
    return { text: redisConfig({ config, authEnabled: auth.enabled }), image, refusals };
  }
  const template = statefulSet?.spec?.template?.spec;
  const mounted = configCopies.find(({ metadata }) => metadata.name === mountedCopy(template));
  const present = template?.containers.find(({ name }) => name === "redis")?.image ?? image;
  const heldBack: readonly Refusal[] =
    present === image
      ? []
      : [{ field: "spec.image", message: `stays ${present} until spec.config is accepted for ${image}` }];
  return {
    text: (mounted ?? configMap)?.data?.[configKey],
    image: present,
    refusals: [...refusals, ...heldBack],
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
