import type { ApplyObject } from "@kedge/client";
import type { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { configCopyLabel, configKey, labelsOf, namesOf } from "../names.ts";
import type { InstanceKey } from "./instance-key.ts";

/** The ConfigMap with the newest redis.conf that was accepted: for people to see. Pods do not mount it. */
export function configMapOf({ namespace, name }: InstanceKey, redisConf: string): ApplyObject<ConfigMap> {
  return {
    metadata: { namespace, name: namesOf(name).configMap, labels: labelsOf(name) },
    data: { [configKey]: redisConf },
  };
}

/**
 * The copy that pods mount. It never changes: a pod that starts again has the config that it had, and another config
 * reaches it only with another template.
 */
export function configCopyOf(
  { namespace, name }: InstanceKey,
  { text, hash }: { readonly text: string; readonly hash: string },
): ApplyObject<ConfigMap> & { readonly metadata: { readonly name: string } } {
  return {
    metadata: {
      namespace,
      name: configCopyName(name, hash),
      labels: { ...labelsOf(name), [configCopyLabel]: "true" },
    },
    immutable: true,
    data: { [configKey]: text },
  };
}

/** What the copy of a config is called. */
export function configCopyName(instance: string, hash: string): string {
  return `${instance}-config-${hash.slice(0, 10)}`;
}
