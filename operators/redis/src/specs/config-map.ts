import type { ApplyObject } from "@kedge/client";
import type { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { labelsOf, namesOf } from "../names.ts";
import type { InstanceKey } from "./instance-key.ts";

/** The ConfigMap with redis.conf. */
export function configMapOf({ namespace, name }: InstanceKey, redisConf: string): ApplyObject<ConfigMap> {
  return {
    metadata: { namespace, name: namesOf(name).configMap, labels: labelsOf(name) },
    data: { "redis.conf": redisConf },
  };
}
